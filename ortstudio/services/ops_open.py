"""What a build must have for the models that are open, and for files beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.model.model import FileKind
from ortstudio.services.document import Document
from ortstudio.services.ops import Ops, needs, row_of
from ortstudio.services.ops_flags import OpsFlags, ops_flags

CONFIG_NAME = "required_operators.config"


@dataclass(frozen=True, slots=True)
class OpenNeeds:
    """`everything` is for the eye; the config, its `text` and the flags are for `shipped` alone.

    A source beside its result is not shipped, and its operators would only be in the way.
    """

    everything: Ops
    shipped: Ops
    flags: OpsFlags
    text: str


def needs_of_open(
    documents: Sequence[Document], added: Sequence[Path], *, types: bool
) -> OpenNeeds:
    """Ask of documents and of files, which may be configs. Reads the files.

    Raises RefusedError where a name cannot be written into a config.
    """
    rows = {document: row_of(document.path, document.model, types=types) for document in documents}
    more = needs(added, types=types, configs=True).rows
    results = [document for document in documents if document.model.kind is FileKind.ORT]
    shipped = Ops((*(rows[document] for document in results or documents), *more))
    flags = ops_flags(shipped, config=CONFIG_NAME, types=types)
    return OpenNeeds(Ops((*rows.values(), *more)), shipped, flags, shipped.text())
