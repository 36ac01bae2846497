"""What a profile found, in sentences for both faces."""

from __future__ import annotations

from ortstudio.analysis.words import count, duration_text, share
from ortstudio.services.profile_found import Measured


def headline(measured: Measured) -> str:
    """How long a run takes, with the profile on and without."""
    times = measured.times
    return (
        f"A run takes {duration_text(times.run_ns)} with the profile on,"
        f" {duration_text(measured.plain_run_ns)} without"
        f" ({count(len(times.runs_ns), 'run')} each)."
    )


def between_text(measured: Measured) -> str:
    """What lies in nodes, and what between them."""
    times = measured.times
    part = share(times.between_ns, times.run_ns)
    return (
        f"{count(len(times.nodes), 'node')} ran. {duration_text(times.between_ns)} ({part}) lie"
        " between them: the runtime's own work, and that of writing the profile."
    )
