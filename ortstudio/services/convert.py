"""ONNX → ORT: works through a plan, in child processes side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container
from pathlib import Path

from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.conversion import Conversion, Converted, State
from ortstudio.services.convert_board import Board, OnProgress
from ortstudio.services.convert_configs import write_configs
from ortstudio.services.convert_needs import means
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_pool import Pool, cancelled_row, not_tried_row
from ortstudio.services.convert_resume import done_row
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.hidden import hidden_folder, remove_left


def run(
    plan: ConvertPlan,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] | None = None,
    unwanted: Container[int] = frozenset(),
    make_child: Callable[[], Child] = agent_child,
) -> Conversion:
    """Convert what was planned. Blocks. Every trouble with a source stands in its row.

    `cancelled`, and for the place of each source in the plan whether it is in `unwanted`, are asked
    many times a second and from several threads; `on_progress` is called from several threads too,
    one at a time. Raises UsageError where the memory given is not enough for anything.
    """
    if not plan.sources:
        return Conversion(())
    settings = plan.sources[0].settings
    is_cancelled = cancelled or _never
    board = Board(plan, on_progress)
    pool = Pool(
        plan.sources,
        _order(plan, settings),
        means(plan, settings),
        board,
        make_child,
        keep_going=settings.keep_going,
        cancelled=is_cancelled,
        unwanted=unwanted,
    )
    for folder in {output.path.parent for row in plan.sources for output in row.outputs}:
        remove_left(folder)
    for index, source in enumerate(plan.sources):
        if source.skipped:
            board.end(index, done_row(source))
    with hidden_folder(Path(tempfile.gettempdir())) as folder:
        pool.work(folder)
    return _ended(plan, board, cancelled=is_cancelled())


def _order(plan: ConvertPlan, settings: ConvertSettings) -> list[int]:
    """As planned where a failure ends the run.

    Else what is refused comes first, and of the others the largest, so that none is late alone.
    """
    every = [index for index, source in enumerate(plan.sources) if not source.skipped]
    if not settings.keep_going:
        return every
    sizes = [sum(identity.size for _, identity in source.identities) for source in plan.sources]
    refused = [source.refusal is not None for source in plan.sources]
    return sorted(every, key=lambda index: (not refused[index], -sizes[index]))


def _ended(plan: ConvertPlan, board: Board, *, cancelled: bool) -> Conversion:
    """The answer, with a row for each source that did not have its turn."""
    rows: list[Converted] = []
    for index, source in enumerate(plan.sources):
        row = board.row(index)
        if row is None:
            row = cancelled_row(source) if cancelled else not_tried_row(source)
            board.end(index, row)
        rows.append(row)
    left = State.CANCELLED if cancelled else State.NOT_TRIED
    has_ended_early = any(row.state is left for row in rows)
    configs = () if has_ended_early else write_configs(plan, rows)
    return Conversion(tuple(rows), configs=configs, skipped=plan.skipped)


def _never() -> bool:
    return False
