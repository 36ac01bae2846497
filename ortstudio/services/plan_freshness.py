"""Whether a plan that was made a while ago is still what would happen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ortstudio.errors import ChangedError
from ortstudio.services.convert_planned import ConvertPlan, PlannedSource
from ortstudio.services.convert_sources import Found, sources


def still_holds(plan: ConvertPlan, paths: Sequence[Path], made_s: float) -> bool:
    """Whether no source came, went or changed since, and no result's name was taken or freed.

    `made_s` is when the plan was begun, by the clock of file times. Costs a look at each name,
    where a new plan would read every model.
    """
    found = [one.path for one in sources(paths) if isinstance(one, Found)]
    if found != [row.source for row in plan.sources]:
        return False
    outputs = [output for row in plan.sources for output in row.outputs] + list(plan.configs)
    if any(output.path.exists() != output.replaces for output in outputs):
        return False
    return all(_is_unchanged(row, made_s) for row in plan.sources)


def _is_unchanged(row: PlannedSource, made_s: float) -> bool:
    try:
        row.check_unchanged()
        return bool(row.identities) or row.source.stat().st_mtime < made_s
    except (ChangedError, OSError):
        return False
