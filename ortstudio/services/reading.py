"""From a path to a read model, whatever kind it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ortstudio.analysis.damage import explain
from ortstudio.analysis.foreign import Diagnosis
from ortstudio.analysis.sample import Sample
from ortstudio.analysis.structure import AGAIN, cut_onnx
from ortstudio.errors import FormatError, StudioError, Where
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind, Model
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.ort_reader import read_ort
from ortstudio.model.siblings import read_adapter, read_checkpoint
from ortstudio.model.sniff import sniff
from ortstudio.services.knowledge import knowledge


def read_model(path: str | Path) -> Model:
    """Read a model of any kind. The kind is decided by content.

    Raises FormatError where the file is no model, in words that say what it is instead. Damage
    inside a model stands in `Model.error`, with all that can be read beside it.
    """
    source = Source.open(path)
    kind = None
    try:
        kind = sniff(source)
        model = _read(source, kind)
    except FormatError as error:
        raise _stated(error, source, kind) from None
    except StudioError as error:
        raise error.at(source.path) from None
    if isinstance(model.error, FormatError):
        return replace(model, error=_stated(model.error, source, kind))
    return model


def _read(source: Source, kind: FileKind | None) -> Model:
    if kind is FileKind.ORT:
        return read_ort(source)
    if kind is FileKind.ONNX:
        return read_onnx(source, knowledge().operators.since)
    if kind is FileKind.CHECKPOINT:
        return read_checkpoint(source)
    if kind is FileKind.ADAPTER:
        return read_adapter(source)
    raise FormatError("")


def _stated(error: FormatError, source: Source, kind: FileKind | None) -> FormatError:
    """The reader's error behind a plain statement of what is wrong with the file."""
    if kind is not FileKind.ONNX:
        return explain(error, source)
    found = cut_onnx(Sample.of(source)) or _BROKEN_ONNX
    where = Where(source.path, error.where.offset_bytes, error.where.field)
    return FormatError(f"{found.message} ({error.message})", where=where, hint=found.hint)


_BROKEN_ONNX = Diagnosis(
    "broken", "This is an ONNX model, but its structure is broken", f"The file is damaged. {AGAIN}"
)
