"""Version 5 → 6 without a runtime: a version 5 model with another number is a version 6 model.

Version 6 only added element types. The runtime's own way, to load and save, drops all saved
optimizations, or leaves what they produce out of the resolver.
"""

from __future__ import annotations

from pathlib import Path

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.resolver import missing, produced_op_ids
from ortstudio.errors import RefusedError, Where
from ortstudio.model.model import Model
from ortstudio.services.ort_edits import set_format_version
from ortstudio.services.ort_write import rewrite
from ortstudio.services.reading import read_model

FROM, TO = 5, 6


def upgrade_lossless(source: Path, target: Path) -> None:
    """Write a version 5 model as version 6 with all it holds, to a staged name; see `rewrite`.

    Raises RefusedError for a model of another version, or one whose resolver is not complete.
    """
    model = read_model(source)
    if model.error is not None:
        raise model.error
    if model.ort is None or model.ort.format_version != FROM:
        raise RefusedError(
            f"Only a model of ORT format version {FROM} becomes one of version {TO} as it is",
            where=Where(str(source)),
        )
    lacking = unresolved(model)
    if lacking:
        raise RefusedError(
            f"The kernel type resolver has no entry for {', '.join(lacking)}",
            where=Where(str(source)),
            hint="Let a runtime load and save the model: saved optimizations are lost.",
        )
    rewrite(source, target, [set_format_version(TO)])


def unresolved(model: Model) -> list[str]:
    """The op ids that the resolver lacks, of nodes and of what saved optimizations produce.

    Without the first a model does not load, without the second its optimizations do not replay.
    """
    entries = {entry.op_id for entry in (model.ort.resolver if model.ort else None) or ()}
    used = [operator.op_id for operator in missing(model, by_operator(model.graphs))]
    return used + sorted(produced_op_ids(model) - entries)
