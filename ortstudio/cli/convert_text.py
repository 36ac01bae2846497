"""What `ortstudio convert` says to people: of a plan, and of what was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.cli.output import Output, printable
from ortstudio.cli.results import show_check
from ortstudio.services.conversion import Converted, ConvertedModel
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_sources import Skipped

FEW = 5
"""So many skipped files of a kind are named each."""


def show_plan(plan: ConvertPlan, output: Output) -> None:
    """What would be written and why, and what is left alone; refusals are complaints, not shown."""
    for row in plan.sources:
        if row.refusal is None:
            _show_planned(row.outputs, output, purposes=len(plan.sources) == 1)
            _show_notes(row.notes, output)
            if isinstance(row.verification, str):
                output.line(f"  would not be verified: {printable(row.verification)}")
    _show_planned(plan.configs, output, purposes=True)
    if plan.not_tried:
        names = printable(listed([str(row.source) for row in plan.not_tried]))
        output.line(f"would not try {names}. To go on after a failure, give --keep-going.")
    for reason, alike in groupby(plan.skipped, lambda one: one.reason):
        _show_skipped(reason, list(alike), output)


def show_row(row: Converted, output: Output, *, purposes: bool) -> None:
    """A line for each file that was written, and what the comparison found.

    Among many rows the role stands for the purpose.
    """
    checks = iter(row.checks)
    for made in row.outputs:
        name = output.style(printable(str(made.path)), "name")
        what = made.purpose if purposes else made.role
        output.line(f"{name}  {size_text(made.size_bytes)}, {what}")
        if made.is_model:
            show_check(next(checks), output)
    if row.outputs and isinstance(row, ConvertedModel):
        _show_notes(row.notes, output)


def _show_planned(outputs: Iterable[PlannedOutput], output: Output, *, purposes: bool) -> None:
    for made in outputs:
        name = output.style(printable(str(made.path)), "name")
        verb = "would replace" if made.replaces else "would write"
        output.line(f"{verb} {name}" + (f"  {made.purpose}" if purposes else ""))


def _show_notes(notes: Iterable[Finding], output: Output) -> None:
    for note in notes:
        text = printable(note.message)
        output.line(f"  {output.style(text, 'warning') if note.severity == 'warning' else text}")


def _show_skipped(reason: str, alike: Sequence[Skipped], output: Output) -> None:
    if len(alike) > FEW:
        output.line(f"would skip {count(len(alike), 'file')}: {reason}")
        return
    for one in alike:
        output.line(f"would skip {printable(str(one.path))}: {reason}")
