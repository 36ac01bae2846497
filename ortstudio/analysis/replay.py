"""Why a saved runtime optimization cannot be replayed, as far as the file shows.

What stops the load and what is passed over was tried on 1.32.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ortstudio.analysis.element_types import refused
from ortstudio.analysis.replay_actions import action_of, is_replayed
from ortstudio.analysis.resolver import FIRST_VERSION, parse_op_id
from ortstudio.analysis.words import listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import NO_NODE, Model, OptimizationRecord

REPLAY_ORDER = ("QDQSelectorActionTransformer", "ConvActivationFusion", "MatMulNBitsFusion")
"""The order in which the runtime goes through the optimizers, whatever that of the file."""

TOO_OLD = (
    "Records of format 4 were replayed by 1.11 and 1.12; releases that still read such files"
    " ignore them"
)


_STOPS = "with replay enabled the model does not load"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a record cannot be replayed; with `stops_load`, replay makes the whole load fail."""

    code: str
    text: str
    stops_load: bool = False


def entries(count_: int, variadic: bool, variadic_count: int) -> int:
    """How many nodes stand on one side: the last position of a variadic side holds several."""
    return count_ - 1 + max(1, variadic_count) if variadic else count_


class GraphReplay:
    """The records of one graph against the graph and the resolver."""

    def __init__(self, model: Model, graph: Graph, records: tuple[OptimizationRecord, ...]) -> None:
        ort = model.ort
        self._version = ort.format_version if ort else None
        self._resolved = {entry.op_id for entry in (ort.resolver if ort else None) or ()}
        self._records = records
        self._rows = graph.nodes.rows_by_index
        self._refused = len(refused(graph.initializers.data_types)) > 0
        self._taken = self._taken_by_others()

    def problems(self, place: int) -> tuple[Problem, ...]:
        """Everything that keeps one record from being replayed."""
        record = self._records[place]
        if self._version is not None and self._version < FIRST_VERSION:
            return (Problem("older-than-format-5", TOO_OLD),)
        if not is_replayed(record.optimizer):
            text = f"Release 1.32 replays nothing of {record.optimizer}"
            return (Problem("unknown-optimizer", text),)
        return (
            *_action_problems(record),
            *self._product_problems(record),
            *_count_problems(record),
            *self._node_problems(record, self._taken[place]),
        )

    def _product_problems(self, record: OptimizationRecord) -> Iterator[Problem]:
        for op in record.produced_op_ids:
            if parse_op_id(op) is None:
                text = f"{op!r} is no operator identifier: the model does not load"
                yield Problem("malformed-op-id", text, stops_load=True)
            elif op not in self._resolved:
                text = f"The kernel type resolver has no entry for {op}, which it makes: {_STOPS}"
                yield Problem("produced-operator-unresolved", text, stops_load=True)

    def _node_problems(
        self, record: OptimizationRecord, taken: frozenset[int]
    ) -> Iterator[Problem]:
        gone = [i for i in record.nodes if i != NO_NODE and i not in self._rows]
        if gone:
            # The runtime looks into the gaps that removed nodes left, but not past the last node.
            beyond = max(gone) > max(self._rows, default=-1)
            text = f"The graph has no node {listed([str(i) for i in gone])}"
            yield Problem("node-not-in-graph", f"{text}: {_STOPS}" if beyond else text, beyond)
        if taken:
            nodes = listed([str(index) for index in sorted(taken)])
            text = f"A record that is replayed before uses node {nodes} up"
            yield Problem("node-used-twice", text)
        if self._refused:
            text = "Release 1.32 does not load the model for the element type of its weights"
            yield Problem("model-refused", text)

    def _taken_by_others(self) -> list[frozenset[int]]:
        """For each record the nodes that one replayed before it has used up."""
        used: set[int] = set()
        taken = [frozenset[int]()] * len(self._records)
        for place in sorted(range(len(self._records)), key=self._turn):
            nodes = {index for index in self._records[place].nodes if index != NO_NODE}
            taken[place] = frozenset(nodes & used)
            if nodes <= self._rows.keys() and not taken[place]:
                used |= nodes
        return taken

    def _turn(self, place: int) -> int:
        optimizer = self._records[place].optimizer
        known = optimizer in REPLAY_ORDER
        return REPLAY_ORDER.index(optimizer) if known else len(REPLAY_ORDER)


def _action_problems(record: OptimizationRecord) -> Iterator[Problem]:
    action = action_of(record.optimizer, record.action)
    if action is None:
        text = f"Release 1.32 has no action {record.action} of {record.optimizer}: {_STOPS}"
        yield Problem("unknown-action", text, stops_load=True)
    elif action.produces and not record.produced_op_ids:
        text = f"The record does not say which operator it makes: {_STOPS}"
        if action.never_recorded:
            text += ", and by default not at all in releases up to 1.29"
        yield Problem("no-produced-operator", text, stops_load=True)


def _count_problems(record: OptimizationRecord) -> Iterator[Problem]:
    inputs = entries(record.input_count, record.variadic_input, record.variadic_input_count)
    outputs = entries(record.output_count, record.variadic_output, record.variadic_output_count)
    if len(record.nodes) != inputs + 1 + outputs:
        named = len(record.nodes)
        text = f"It counts {inputs} + 1 + {outputs} nodes and names {named}: {_STOPS}"
        yield Problem("counts-do-not-add-up", text, stops_load=True)
    elif record.target is None:
        yield Problem("no-target", f"It names no target: {_STOPS}", stops_load=True)
