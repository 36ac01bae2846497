"""Advice as text: the answer first, then uses, accelerators and what each choice does."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.accelerators import Estimate, NotTaken, Outlook
from ortstudio.analysis.words import count, size_text
from ortstudio.cli.page import Page
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.advice import Advice
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.reasons import Reason, Stance
from ortstudio.services.uses import Recommendation

MOST_REASONS = 6
MOST_CAVEATS = 3

_STYLES = {Stance.FOR: "good", Stance.AGAINST: "warning", Stance.NOTE: "muted"}
_WORTH = {"yes": "good", "maybe": "name", "no": "warning"}


def show(advice: Advice, page: Page, release: str, *, everything: bool) -> None:
    """Write the page; with `everything` each node that is not taken for itself.

    `release` is what the choices were tried with.
    """
    document = advice.document
    aside = f"{KIND_TEXT[document.model.kind]}, {size_text(document.size_bytes)}"
    page.title(document.path.name, aside)
    page.text(advice.answer.text, "good" if advice.answer.ship == "ort" else "warning")
    _reasons(page, advice.answer.reasons)
    page.section("Uses")
    for use in advice.uses:
        _use(page, use, advice.answer.reasons, is_ort=advice.case.is_ort)
    if advice.accelerators is not None:
        _accelerators(page, advice.accelerators, everything)
    _effects(page, advice, release)


def _reasons(page: Page, reasons: Sequence[Reason]) -> None:
    for reason in reasons:
        text = f"{reason.text} ({reason.evidence.value})"
        page.fact(reason.stance.value, text, label_style=_STYLES[reason.stance])


def _use(page: Page, use: Recommendation, told: Sequence[Reason], *, is_ort: bool) -> None:
    """The recommendation, the options that make it, and reasons that were not told above."""
    lines = [use.text]
    if use.options and not is_ort:
        lines.append(f"convert {use.options}")
    lines += [f"{r.text} ({r.evidence.value})" for r in use.reasons if r not in told]
    page.fact(use.use.value, "\n".join(lines), label_style="" if use.fits else "muted")


def _accelerators(page: Page, found: Accelerators, everything: bool) -> None:
    page.section("Accelerators", f"estimates, for {found.basis}")
    for outlook in found.outlooks:
        _outlook(page, outlook, everything)


def _outlook(page: Page, outlook: Outlook, everything: bool) -> None:
    best = outlook.best
    lines = [outlook.text, *_left(best, everything)]
    if best.caveats and best.taken:
        lines.append(f"Not looked at: {'; '.join(best.caveats[:MOST_CAVEATS])}.")
    lines.append(f"By {outlook.as_is.basis}.")
    name = outlook.as_is.accelerator.value
    page.fact(name, "\n".join(lines), label_style=_WORTH[best.worth])


def _left(estimate: Estimate, everything: bool) -> list[str]:
    """Why nodes are not taken: a line for each reason, or for each node."""
    if everything:
        return [f"{_node(row)}: {row.why}." for row in estimate.not_taken]
    rows = estimate.reasons
    lines = [f"{count(len(nodes), 'node')}: {why}." for why, nodes in rows[:MOST_REASONS]]
    if len(rows) > MOST_REASONS:
        lines.append(f"and {count(len(rows) - MOST_REASONS, 'more reason')}; --all lists them")
    return lines


def _node(row: NotTaken) -> str:
    return f"{row.op} #{row.node.index}"


def _effects(page: Page, advice: Advice, release: str) -> None:
    aside = "" if advice.untried else f"measured here, with {release}"
    page.section("What each choice does", aside)
    if advice.untried:
        page.text(advice.untried)
    for effect in advice.effects.values():
        text = effect.text
        if effect.error is None and effect.same_as is None:
            text += f" {size_text(effect.size_bytes)}."
        page.fact(effect.choice.name, text)
