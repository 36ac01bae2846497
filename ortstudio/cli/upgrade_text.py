"""What `ortstudio upgrade` says to people: before anything is written, and afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ortstudio.analysis.words import count, size_text
from ortstudio.cli.output import Output, printable
from ortstudio.cli.page import Page
from ortstudio.services.conversion import Conversion, State
from ortstudio.services.release_strip import strip_text
from ortstudio.services.upgrade.facts import Strips
from ortstudio.services.upgrade.planned import PlannedUpgrade, UpgradePlan
from ortstudio.services.upgrade.questions import losing
from ortstudio.services.upgrade.upgraded import OLD, ReleaseRun, Upgraded
from ortstudio.services.upgrade.words import records_text
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances

_PARTS = (
    ("kept", "stays", "good"),
    ("lost", "is lost", "warning"),
    ("gained", "is won", "good"),
    ("better", "better", "name"),
)


def show_plan(plan: UpgradePlan, output: Output) -> None:
    """Everything about every file; refusals are complaints, not shown."""
    for row in plan.rows:
        show_explained(row, output)
        if row.is_wanted:
            verb = "would replace" if row.target.exists() else "would write"
            output.line(f"{verb} {output.style(str(row.target), 'name')}")
            if isinstance(row.verification, str):
                output.line(f"  would not be verified: {row.verification}")
    if plan.skipped:
        output.line(f"would look at none of {count(len(plan.skipped), 'other file')} there")


def show_explained(row: PlannedUpgrade, output: Output) -> None:
    """What the file is, what stays, what is lost, and what would be better."""
    page = Page(output)
    if row.facts is None:
        return
    version = f"ORT format version {row.facts.version}"
    page.title(str(row.source), f"{version} → {row.to}" if row.is_wanted else version)
    _lines(page, "what it is", row.words.meaning, "muted")
    if row.route is not None and row.is_wanted:
        page.fact("how", f"{row.route.words}.")
    for name, label, style in _PARTS:
        _lines(page, label, getattr(row.words, name), style)
    if row.before is not None and row.after is not None:
        _strips(page, row.before, row.after)
    if row.skipped:
        page.fact("left alone", f"{row.skipped}.", label_style="good")
    output.line()


def show_outlook(row: PlannedUpgrade, output: Output) -> None:
    """What will become of one of several files, and whether it loses saved optimizations."""
    if row.facts is None or not row.is_wanted:
        return
    text = f"{printable(str(row.source))}: format version {row.facts.version}, to become {row.to}"
    if losing(row):
        lost = f"{records_text(row.facts)} cannot come along"
        text += f"; {output.style(lost, 'warning')}"
    output.line(text)


def _lines(page: Page, label: str, sentences: Sequence[str], style: str) -> None:
    for place, sentence in enumerate(sentences):
        page.fact("" if place else label, f"{sentence}.", label_style=style)


def _strips(page: Page, before: Strips, after: Strips) -> None:
    """Which releases load the old file, and which the new one."""
    for build in ("full", "minimal"):
        page.fact(f"{build} builds", f"before: {strip_text(getattr(before, build))}")
        page.fact("", f"after: {strip_text(getattr(after, build))}")


def show_proof(row: Upgraded, output: Output) -> None:
    """What was written, and what was found of it."""
    proof = row.proof
    if proof is None or not row.outputs:
        return
    for made in row.outputs:
        name = output.style(str(made.path), "name")
        output.line(f"{name}  {size_text(made.size_bytes)}, {made.purpose}")
    page = Page(output)
    page.fact(
        "compared",
        f"{count(proof.nodes, 'node')}, one by one, the same; each of"
        f" {count(proof.operators, 'operator')} has its resolver entry",
        label_style="good",
    )
    for place, change in enumerate(proof.changes):
        page.fact("" if place else "changed", change)
    for run in proof.runs:
        _run(page, run)
    if not proof.runs:
        page.fact("not verified", f"{row.verify_skipped}.", label_style="warning")


def _run(page: Page, run: ReleaseRun) -> None:
    if isinstance(run.found, Verified):
        text = f"{agreement_text(run.found, OLD)} ({circumstances(run.found)})"
        page.fact("verified", f"{run.words}: {text}", label_style="good")
    else:
        page.fact("not verified", f"{run.words}: {run.found}", label_style="warning")


def show_summary(done: Conversion, output: Output) -> None:
    """How it went."""
    states = Counter(row.state for row in done.results)
    failed = states[State.FAILED] + states[State.REFUSED]
    parts = [f"{states[State.DONE]} of {count(len(done.results), 'file')} upgraded"]
    parts += [f"{states[State.SKIPPED]} left alone"] if states[State.SKIPPED] else []
    parts += [f"{failed} failed"] if failed else []
    for state in (State.CANCELLED, State.NOT_TRIED):
        parts += [f"{states[state]} {state.value}"] if states[state] else []
    output.line(", ".join(parts))
