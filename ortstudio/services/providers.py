"""The execution providers that the runtime at hand offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from ortstudio.errors import UsageError, Where
from ortstudio.jobs.runner import Child
from ortstudio.services.runtime_words import child_error

SUFFIX = "ExecutionProvider"


def offered(make_child: Callable[[], Child]) -> tuple[str, ...]:
    """Their names, the most wanted first. Starts a child; raises JobError where that fails."""
    with make_child() as child:
        outcome = child.ask("probe", {})
    if not outcome.ok:
        raise child_error(outcome, "Asking for execution providers", Where())
    return tuple(cast("list[str]", outcome.value["providers"]))


def chosen(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The providers that were meant: `coreml` stands for `CoreMLExecutionProvider`.

    Raises UsageError for one that is not offered.
    """
    full = {one.removesuffix(SUFFIX).lower(): one for one in known}
    found = []
    for name in names:
        one = full.get(name.removesuffix(SUFFIX).lower())
        if one is None:
            raise UsageError(
                f"ONNX Runtime here has no execution provider named {name}",
                hint=f"It has: {', '.join(full.values())}.",
            )
        found.append(one)
    return tuple(dict.fromkeys(found))
