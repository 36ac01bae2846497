"""A plan as lines for people: what will be written, replaced, skipped and refused, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ortstudio.analysis.words import count
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import ConvertPlan, PlannedSource
from ortstudio.ui.job import as_sentence, plainly
from ortstudio.ui.theme import Tone

Kind = Literal["refuse", "warn", "replace", "write", "note", "skip"]

LOOKS: dict[Kind, tuple[str, Tone]] = {
    "write": ("save", "text"),
    "replace": ("warning", "warning"),
    "warn": ("warning", "warning"),
    "note": ("info", "muted"),
    "skip": ("forward", "muted"),
    "refuse": ("error", "error"),
}
"""Icon and tone of each kind of line."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """What becomes of one source in one file; `target` is None where nothing is written.

    `source` is None for what is made of all of them.
    """

    kind: Kind
    source: Path | None
    target: Path | None
    words: str


def plan_lines(plan: ConvertPlan) -> list[PlanLine]:
    """A line for each file that will be written or is left alone, and for each refusal and note."""
    lines = [line for row in plan.sources for line in _lines(row)]
    if any(line.target for line in lines):
        lines += [_line(output, None) for output in plan.configs]
    return lines + [PlanLine("skip", left.path, None, left.reason) for left in plan.skipped]


def _lines(row: PlannedSource) -> list[PlanLine]:
    if row.refusal is not None:
        there = [output.path for output in row.outputs if output.replaces]
        refused = PlanLine("refuse", row.source, None, plainly(row.refusal))
        return [
            refused,
            *(PlanLine("note", row.source, path, "Is there already.") for path in there),
        ]
    lines = [_line(output, row.source) for output in row.outputs]
    for note in row.notes:
        kind: Kind = "note" if note.severity == "info" else "warn"
        lines.append(PlanLine(kind, row.source, None, as_sentence(note.message)))
    if isinstance(row.verification, str) and row.settings.verify:
        text = as_sentence(f"Will not be verified: {row.verification}")
        lines.append(PlanLine("warn", row.source, None, text))
    return lines


def _line(output: PlannedOutput, source: Path | None) -> PlanLine:
    kind: Kind = "replace" if output.replaces else "write"
    return PlanLine(kind, source, output.path, as_sentence(output.purpose))


def worst_first(lines: list[PlanLine]) -> list[PlanLine]:
    """What needs a look first: a refusal among hundreds of lines would not be seen."""
    order = get_args(Kind)
    return sorted(lines, key=lambda line: order.index(line.kind))


def counted(lines: list[PlanLine]) -> str:
    """`3 files to write, 1 replaced, 2 models refused`."""
    kinds = [line.kind for line in lines]
    written = kinds.count("write") + kinds.count("replace")
    texts = [f"{count(written, 'file')} to write" if written else "Nothing will be written"]
    if "replace" in kinds:
        texts.append(f"{kinds.count('replace')} of them replaced")
    if "skip" in kinds:
        texts.append(f"{count(kinds.count('skip'), 'file')} skipped")
    if "refuse" in kinds:
        texts.append(f"{count(kinds.count('refuse'), 'model')} refused")
    return ", ".join(texts)
