"""What the tables of advice say of their rows."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.analysis.accelerators import Estimate, NotTaken, Outlook
from ortstudio.analysis.nodes import node_text
from ortstudio.analysis.words import count, size_text
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.document import Document
from ortstudio.services.effects import Effect
from ortstudio.services.uses import Recommendation
from ortstudio.ui.advice.bars import pieces_bar
from ortstudio.ui.tables import Column

_OPERATORS = {
    "portable": "standard ONNX",
    "onnxruntime-only": "ONNX Runtime's own",
    "this-cpu-family": "for one kind of CPU",
    None: "",
}


@dataclass(frozen=True, slots=True, eq=False)
class LeftNode:
    """A node that is not taken, as the file has it where it does, or operators that may not be."""

    text: str
    why: str
    row: NotTaken | None = None


def left_nodes(found: Accelerators, estimate: Estimate) -> list[LeftNode]:
    """The nodes that are not taken, by their names in the file, then what nobody looked at."""
    rows = [LeftNode(_node(found, row), row.why, row) for row in estimate.not_taken]
    for caveat in estimate.caveats if estimate.pieces else ():
        op, _, limit = caveat.partition(": ")
        rows.append(LeftNode(f"any {op}", f"Taken, if this holds: {limit}"))
    return rows


def _node(found: Accelerators, row: NotTaken) -> str:
    """The node of the file; where there is none, as level basic has it."""
    texts = [_text(found.file, node.graph, node.index) for node in found.in_file(row.node)]
    named = [text for text in texts if text]
    return " + ".join(named) or _text(found.looked_at, row.node.graph, row.node.index)


def _text(document: Document, graph: str, index: int) -> str:
    number = document.graph_numbers.get(graph)
    row = None if number is None else document.graphs[number].nodes.rows_by_index.get(index)
    return "" if number is None or row is None else node_text(document.graphs[number], row)


def use_columns() -> list[Column[Recommendation]]:
    """One row for each use."""
    return [
        Column("Use", lambda row: row.use.value),
        Column("Settings", _settings, mono=True),
        Column("What to do", lambda row: row.text, tip=lambda row: row.text),
    ]


def _settings(row: Recommendation) -> str:
    return (row.options or "defaults") if row.converts else ""


def accelerator_columns() -> list[Column[Outlook]]:
    """One row for each accelerator."""
    return [
        Column("Accelerator", lambda row: row.as_is.accelerator.value, tip=_runs_on),
        Column("Worth it", lambda row: row.best.worth),
        Column(
            "Takes",
            lambda row: taken_text(row.as_is),
            decoration=lambda row: pieces_bar(row.as_is),
            tip=lambda row: row.as_is.text,
        ),
        Column(
            "With sizes fixed",
            lambda row: taken_text(row.if_fixed) if row.if_fixed else "the same",
            decoration=lambda row: pieces_bar(row.if_fixed) if row.if_fixed else None,
            tip=lambda row: row.best.text,
        ),
    ]


def _runs_on(row: Outlook) -> str:
    return f"Runs on {row.as_is.accelerator.runs_on}"


def taken_text(estimate: Estimate) -> str:
    """`8 of 9, 2 pieces`."""
    text = f"{estimate.taken:,} of {estimate.nodes:,}"
    return f"{text}, {count(len(estimate.pieces), 'piece')}" if estimate.pieces else text


def left_columns() -> list[Column[LeftNode]]:
    """One row for each node that is not taken."""
    return [
        Column("Node", lambda row: row.text, mono=True, tip=lambda row: row.text),
        Column("Why it is not taken", lambda row: row.why, tip=lambda row: row.why),
    ]


def effect_columns() -> list[Column[Effect]]:
    """One row for each choice."""
    return [
        Column("Choice", lambda row: row.choice.name),
        Column("Nodes", lambda row: row.nodes or None, numeric=True, mono=True),
        Column("Size", lambda row: row.size_bytes or None, _size, numeric=True, mono=True),
        Column("Operators", lambda row: _OPERATORS[row.verdict]),
        Column("What it does", lambda row: row.text, tip=lambda row: row.text),
    ]


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""
