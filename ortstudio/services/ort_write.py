"""Writes ORT-format models: the same model in canonical form, with edits where some are asked for.

The runtime lays the same content out differently in every process. What is written here depends on
the content alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ortstudio.errors import ChangedError, RefusedError, StudioError, Where
from ortstudio.format.content import Batch, read_content
from ortstudio.format.flatwrite import write_content
from ortstudio.format.ort_tables import SCHEMA
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind
from ortstudio.model.sniff import sniff
from ortstudio.services.staging import unwritable

Edit = Callable[[Batch], None]
"""Changes the content of a model, given its root table. Raises StudioError where it cannot."""


def rewrite(
    source: Path, target: Path, edits: Sequence[Edit] = (), *, final: Path | None = None
) -> None:
    """Write the ORT-format model `source`, of version 1 to 6, anew to `target`, edited.

    Equal content gives equal bytes, whatever wrote the source. The target is overwritten in place:
    give it a staged name, and `final` for errors to name. Deprecated slots and unknown enum numbers
    stay. Needs memory for the structure, not for the weights.
    Raises FormatError where the source is damaged or holds what the schema does not know, and
    RefusedError where it is no ORT-format model, the result would be too large, or cannot be
    written.
    """
    opened = Source.open(source)
    try:
        if sniff(opened) is not FileKind.ORT:
            raise RefusedError("This is not a model in ORT format")
        content = read_content(opened, SCHEMA)
        for edit in edits:
            edit(content)
        written = write_content(content, SCHEMA, opened)
        try:
            with target.open("wb") as file:
                file.writelines(written.chunks())
        except OSError as error:
            raise unwritable(final or target, error) from None
    except StudioError as error:
        raise error.at(str(source)) from None
    if opened.changed:
        raise ChangedError(
            "The file was changed while it was written anew", where=Where(str(source))
        )


def reproducible(source: Path, target: Path) -> None:
    """Write a converted model so that only its content decides its bytes; see `rewrite`."""
    rewrite(source, target)
