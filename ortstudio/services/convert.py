"""ONNX → ORT: works through a plan, in a child process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    Converted,
    ConvertProgress,
    NotStartedError,
)
from ortstudio.services.convert_plan import ConvertPlan, PlannedSource
from ortstudio.services.convert_work import Work


def run(
    plan: ConvertPlan,
    *,
    on_progress: Callable[[ConvertProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Conversion:
    """Convert what was planned, one source after the other, in one child. Blocks.

    `cancelled` is asked many times a second. Every trouble with a source stands in its row.
    """
    rows: list[Converted] = []
    with tempfile.TemporaryDirectory(prefix="ortstudio-") as folder, children(make_child) as child:
        for index, planned in enumerate(plan.sources):

            def report(phase: str, index: int = index, planned: PlannedSource = planned) -> None:
                if on_progress:
                    on_progress(ConvertProgress(planned.source, index, len(plan.sources), phase))

            work = Work(planned, child, Path(folder), report, cancelled)
            rows.append(work.convert())
            if isinstance(rows[-1].error, CancelledError | NotStartedError):
                break
    return Conversion(tuple(rows))
