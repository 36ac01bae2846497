"""ONNX → ORT: works through a plan, in child processes side by side."""

from __future__ import annotations

from collections.abc import Callable, Container

from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.conversion import Conversion, Converted, State
from ortstudio.services.convert_board import Board, OnProgress
from ortstudio.services.convert_configs import write_configs
from ortstudio.services.convert_needs import means
from ortstudio.services.convert_planned import ConvertPlan, Planned
from ortstudio.services.convert_pool import Pool, cancelled_row, not_tried_row
from ortstudio.services.hidden import remove_left, temporary_folder


def run(
    planned: Planned,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] | None = None,
    unwanted: Container[int] = frozenset(),
    make_child: Callable[[], Child] = agent_child,
) -> Conversion:
    """Convert what is planned, while the rest of it still may be. Blocks.

    Every trouble with a source stands in its row. `cancelled`, and for the place of each source in
    the plan whether it is in `unwanted`, are asked many times a second and from several threads;
    `on_progress` is called from several threads too, one at a time. Raises UsageError where the
    settings fit none of the sources, or the memory given is not enough for anything.
    """
    settings = planned.settings
    is_cancelled = cancelled or _never
    board = Board(planned.count, on_progress)
    pool = Pool(
        means(settings, planned.count),
        board,
        make_child,
        keep_going=settings.keep_going,
        cancelled=is_cancelled,
        unwanted=unwanted,
    )
    with temporary_folder() as folder:
        pool.work(planned.rows(), folder)
    plan = planned.whole()
    for place in {output.path.parent for row in plan.sources for output in row.outputs}:
        remove_left(place)
    return _ended(plan, board, cancelled=is_cancelled())


def _ended(plan: ConvertPlan, board: Board, *, cancelled: bool) -> Conversion:
    """The answer, with a row for each source that did not have its turn."""
    rows: list[Converted] = []
    for source in plan.sources[len(board.sources) :]:
        board.add(source)
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
