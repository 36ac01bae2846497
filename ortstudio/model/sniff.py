"""What a file is, by its content. Names are only a hint, and often a wrong one."""

from __future__ import annotations

from ortstudio.format.buffer import Buffer
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import InferenceSession
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind
from ortstudio.model.onnx_reader import looks_like_onnx
from ortstudio.model.ort_reader import strict_version

_IDENTIFIERS = {
    b"ORTM": FileKind.ORT,
    b"ODTC": FileKind.CHECKPOINT,
    b"TORT": FileKind.ADAPTER,
}


def sniff(source: Source) -> FileKind | None:
    """The kind of model that the file holds; None where it is none that we know."""
    if source.size >= 8:
        kind = _IDENTIFIERS.get(source.read(4, 4))
        if kind is not None:
            return kind
    if _is_ort_without_identifier(source):
        return FileKind.ORT
    return FileKind.ONNX if looks_like_onnx(source) else None


def _is_ort_without_identifier(source: Source) -> bool:
    """Release 1.5.1 left the identifier out; its root table is told by the version in it."""
    version = Tables.root(Buffer(source), "container").texts(InferenceSession.ort_version)[0]
    return strict_version(version) is not None
