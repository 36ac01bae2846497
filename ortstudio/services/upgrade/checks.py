"""Why a file cannot be upgraded, said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.unregistered import Lack, unregistered
from ortstudio.analysis.words import listed
from ortstudio.errors import RefusedError, Where
from ortstudio.model.model import FileKind, Model
from ortstudio.model.types import DataType, element_count
from ortstudio.services.compatibility import answer, releases
from ortstudio.services.document import Document
from ortstudio.services.lossless_upgrade import unresolved
from ortstudio.services.runtimes import Runtime
from ortstudio.services.upgrade.onnx_source import OnnxSource
from ortstudio.services.upgrade.route import Route

LEFT_WEIGHTS_OUT = 2
"""Up to this format version, that of 1.6, weights in other files were not taken into the model."""
_KINDS = {
    FileKind.ONNX: "is an ONNX model, which has no ORT format version: convert it",
    FileKind.CHECKPOINT: "is a training checkpoint, not a model in ORT format",
    FileKind.ADAPTER: "is a LoRA adapter, not a model in ORT format",
}


class NeedsLibraryError(RefusedError):
    """The file has operators that only a library of the user's brings."""

    kind = "custom-operator"


def check_file(document: Document) -> None:
    """Raises RefusedError for what is no ORT-format model of a version that is known."""
    model = document.model
    if model.kind in _KINDS:
        _refuse(model, f"This {_KINDS[model.kind]}")
    assert model.ort is not None
    text = model.ort.format_version_text
    problem = document.known.versions.problem(text, model.ort.format_version)
    if problem:
        _refuse(model, f"{problem[0].upper()}{problem[1:]}: there is nothing to upgrade it from")


def check_weights(model: Model, onnx: OnnxSource | None) -> None:
    """Raises RefusedError where weights were never in the file."""
    assert model.ort is not None
    version = model.ort.format_version
    names = list(_without_data(model))
    if version is None or version > LEFT_WEIGHTS_OUT or not names:
        return
    source = str(onnx.path) if onnx is not None and onnx.fits else "its ONNX model"
    _refuse(
        model,
        f"The weights {listed([repr(name) for name in names])} are not in the file: ONNX Runtime"
        " 1.5 and 1.6 left out what the ONNX model held in other files, and no release loads it",
        f"Convert {source} again, with those files beside it.",
    )


def _without_data(model: Model) -> Iterator[str]:
    """The initializers that should have elements and hold not a byte of them."""
    for graph in model.graphs:
        tensors = graph.initializers
        empty = (row for row, size in enumerate(tensors.data_lengths.tolist()) if not size)
        for tensor in (tensors[row] for row in empty):
            if tensor.data_type != DataType.STRING and element_count(tensor.dims):
                yield tensor.name


def check_operators(document: Document, library: str | None) -> None:
    """Raises NeedsLibraryError for custom operators without a library, RefusedError for others."""
    found = unregistered(document.model, document.known.operators)
    if not found or library is not None:
        return
    first, *others = found
    text = f"The operator {first.text} {first.lack.value}"
    if others:
        text += f"; the same holds of {listed([one.text for one in others])}"
    if first.lack is Lack.CUSTOM:
        hint = "Give the library that brings it with --custom-ops."
        raise NeedsLibraryError(text, where=Where(document.model.source.path), hint=hint)
    _refuse(document.model, text, "Training operators, for one, are in builds for training only.")


def check_resolver(model: Model, way: Route) -> None:
    """Raises RefusedError where our writer would carry over a resolver that is not complete."""
    lacking = unresolved(model) if way.runtime is None else []
    if lacking:
        _refuse(
            model,
            f"The kernel type resolver has no entry for {listed(lacking)}: the file itself is"
            " damaged, and so would the result be",
            "Without its saved optimizations it may do: ortstudio edit --drop-optimizations.",
        )


def check_loads(result: Document, way: Route) -> None:
    """Raises RefusedError where the release that is to load the file, or the newest, refuses it."""
    release = Release.parse(way.runtime.onnxruntime) if way.runtime else releases().newest
    found = None if release is None else answer(result, release)
    if found is not None and found.loads == "no":
        _refuse(result.model, f"onnxruntime {release} does not load it: {found.why}")


def check_asked(result: Document, asked: Runtime, onnx: OnnxSource | None) -> None:
    """Raises RefusedError where a release that the result is wanted for would refuse it."""
    release = Release.parse(asked.onnxruntime)
    found = None if release is None else answer(result, release)
    if found is None or found.loads != "no":
        return
    source = str(onnx.path) if onnx is not None and onnx.fits else "M.onnx"
    _refuse(
        result.model,
        f"onnxruntime {release} would refuse the result: {found.why}",
        _way_down(found, asked, source),
    )


def _way_down(found: Compatibility, asked: Runtime, source: str) -> str:
    again = f"`ortstudio convert {source} --runtime {asked.name}` writes what {found.release} reads"
    known = releases()
    if 5 in known.reads(found.release):
        return f"Make version 5 with --to 5, or convert the ONNX model: {again}."
    return f"Convert the ONNX model with that release: {again}."


def _refuse(model: Model, message: str, hint: str = "") -> NoReturn:
    raise RefusedError(message, where=Where(model.source.path), hint=hint)
