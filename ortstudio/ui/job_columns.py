"""How the list of conversions reads: its columns, and the sum of a run in a line."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.words import count, size_text
from ortstudio.services.conversion import FolderConfig, State
from ortstudio.ui import icons, theme
from ortstudio.ui.job import Job, details
from ortstudio.ui.tables import Column
from ortstudio.ui.theme import Tone

LOOKS: dict[State, tuple[str, Tone]] = {
    State.QUEUED: ("recent", "muted"),
    State.CONVERTING: ("convert", "text"),
    State.VERIFYING: ("run", "text"),
    State.DONE: ("good", "good"),
    State.SKIPPED: ("forward", "muted"),
    State.REFUSED: ("warning", "warning"),
    State.FAILED: ("error", "error"),
    State.CANCELLED: ("cancel", "muted"),
    State.NOT_TRIED: ("unknown", "muted"),
}
"""Icon and tone of each state."""

WIDTHS = (14, 30, 12, 12, 12, 18)
"""Of all columns but the last, in digits: columns that move with what is in them are unreadable."""


def columns() -> list[Column[Job]]:
    """State, source, sizes, time, verdict, and what came of it."""
    return [
        Column("State", lambda job: job.state.value, decoration=_mark),
        Column("Source", lambda job: job.source.name, tip=lambda job: str(job.source)),
        Column("Before", lambda job: job.progress.source_bytes or None, _size, numeric=True),
        Column("After", lambda job: job.progress.output_bytes or None, _size, numeric=True),
        Column("Time", lambda job: job.elapsed_s(), _seconds, numeric=True),
        Column("Verdict", lambda job: job.verdict or None),
        Column(
            "What came of it", lambda job: job.text, tip=lambda job: details(job.error) or job.text
        ),
    ]


def summed_up(jobs: Sequence[Job], configs: Sequence[FolderConfig]) -> str:
    """`2 of 3 models converted, 1 refused; the operator config covers 2 of 3 models`."""
    states = [job.state for job in jobs]
    texts = [f"{states.count(State.DONE)} of {count(len(jobs), 'model')} converted"]
    rest = (State.SKIPPED, State.REFUSED, State.FAILED, State.CANCELLED, State.NOT_TRIED)
    texts += [f"{states.count(state)} {state.value}" for state in rest if state in states]
    return "; ".join([", ".join(texts), *(_covers(config, len(jobs)) for config in configs)])


def _covers(config: FolderConfig, total: int) -> str:
    if config.error is not None:
        return f"no operator config: {config.error.message}"
    covered = total - len(config.not_covered)
    if covered == total:
        return "the operator config covers them all"
    return f"the operator config covers {covered} of {count(total, 'model')}"


def _mark(job: Job) -> object:
    icon, tone = LOOKS[job.state]
    return icons.toned(icon, theme.current().tone(tone))


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _seconds(value: object) -> str:
    if not isinstance(value, float):
        return ""
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    return f"{int(value) // 60} min {int(value) % 60:02} s"
