"""What a source's structure says of its conversion, before anything runs.

A check raises where nothing can come of the conversion, and else tells what should be known of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ortstudio.analysis.checks.conversion import CODE, check_conversion
from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.element_types import BEYOND_SCHEMA, COMPLEX
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.unregistered import Lack, Unregistered, unregistered
from ortstudio.analysis.words import count, listed
from ortstudio.errors import RefusedError, UsageError, Where
from ortstudio.model.graph import onnx_domain
from ortstudio.model.model import FileKind, Model
from ortstudio.model.types import DataType, TensorType, data_type_text
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.knowledge import knowledge
from ortstudio.services.sessions import Level
from ortstudio.services.weights import check_weights

NARROW = (*COMPLEX, *BEYOND_SCHEMA)
"""Element types of constants that 1.32 writes into an ORT-format model and then does not load."""

_FIRST_TO_LOAD: dict[int, int] = {
    DataType.FLOAT4E2M1: 24,
    DataType.UINT2: 24,
    DataType.INT2: 24,
    DataType.FLOAT8E8M0: 27,
}
"""The first minor release that loads constants of a type; 1.19 does of the others (observed)."""


def check_kind(model: Model) -> None:
    """Raises RefusedError for what is no ONNX model."""
    if model.kind is FileKind.ONNX:
        return
    version = f", version {model.ort.format_version_text}" if model.ort else ""
    what = {
        FileKind.ORT: f"already is an ORT-format model{version}",
        FileKind.CHECKPOINT: "is a training checkpoint, not an ONNX model",
        FileKind.ADAPTER: "is a LoRA adapter, not an ONNX model",
    }
    raise _refused(model, f"This {what[model.kind]}: there is nothing to convert")


def check_model(model: Model, settings: ConvertSettings) -> tuple[Finding, ...]:
    """All checks of a model of ONNX. Raises StudioError."""
    check_weights(model)
    return (
        *_opset_notes(model, settings.opset),
        *_operator_notes(model, settings.custom_ops),
        *_type_notes(model),
        *_narrow_notes(model, settings),
    )


def check_path(path: Path) -> None:
    """Raises RefusedError for a name that ONNX Runtime cannot be told."""
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise RefusedError(
            "ONNX Runtime cannot open a path that is not valid Unicode",
            where=Where(str(path)),
            hint="Rename the file or its folder.",
        ) from None


def fixable_dims(model: Model) -> dict[str, None]:
    """The symbols in the shapes of the model's inputs, in their order."""
    graph, found = model.main, dict[str, None]()
    for i in graph.inputs.tolist():
        of = graph.values.types[i]
        if isinstance(of, TensorType):
            found |= {dim: None for dim in of.dims or () if isinstance(dim, str) and dim}
    return found


def opset_update(model: Model, wanted: int | None) -> int | None:
    """The version of ONNX's operator set to bring the model to; None where it has that one.

    Raises UsageError for a version that does not exist, RefusedError where there is none to update.
    """
    if wanted is None:
        return None
    newest = knowledge().operators.newest("")
    if not 1 <= wanted <= newest:
        raise UsageError(f"ONNX's operator set has no version {wanted}, only 1 to {newest}")
    imported = {onnx_domain(row.domain): row.version for row in model.opset_imports}.get("")
    if imported is None:
        raise _refused(model, "The model imports no version of ONNX's operator set")
    return None if imported == wanted else wanted


def _opset_notes(model: Model, wanted: int | None) -> Iterator[Finding]:
    opset = opset_update(model, wanted)
    if opset is not None:
        text = f"The source is brought to opset {opset} first"
        if model.functions:
            text += ", and its local functions are inlined for that"
        yield Finding("info", "opset-update", text)


def _operator_notes(model: Model, library: str | None) -> Iterator[Finding]:
    found: dict[Lack, list[Unregistered]] = {}
    for one in unregistered(model, knowledge().operators):
        found.setdefault(one.lack, []).append(one)
    for lack, operators in found.items():
        if library is None:
            hint = "Give the library that brings it with --custom-ops."
            if lack is not Lack.CUSTOM:
                hint = "Training operators, for one, are in builds for training only."
            if lack is Lack.VERSION:
                hint = "Export the model with a version of the operator set that has it."
            raise _refused(model, _lacking(operators), hint)
        text = f"Looked for in {library}: {listed([one.text for one in operators])}"
        yield Finding("info", "custom-operator", text)


def _lacking(operators: list[Unregistered]) -> str:
    first, *others = operators
    text = f"The operator {first.text} {first.lack.value}"
    if others:
        text += f"; the same holds of {listed([one.text for one in others])}"
    return text


def _type_notes(model: Model) -> Iterator[Finding]:
    """What stands in a graph is written; a function's body only where it is called."""
    known = knowledge()
    paths = {graph.path for graph in model.graphs}
    for finding in check_conversion(Subject(model, known.operators, known.versions)):
        if finding.code == CODE and finding.where in paths:
            raise _refused(model, finding.message, "Export the model without it, or keep ONNX.")
        yield finding


def _narrow_notes(model: Model, settings: ConvertSettings) -> Iterator[Finding]:
    """At level disable all of them stay; above, optimizers may fold them away or pack them."""
    found = {
        graph.initializers.names[row]: kind
        for graph in model.graphs
        for row, kind in enumerate(graph.initializers.data_types.tolist())
        if kind in NARROW
    }
    if not found:
        return
    kinds = listed([data_type_text(kind) for kind in dict.fromkeys(found.values())])
    what = f"{count(len(found), 'tensor')} of {kinds} ({listed([repr(name) for name in found])})"
    refuse = "ONNX Runtime writes them and does not load them: 1.28 and newer refuse the file"
    if settings.level is Level.DISABLE and settings.verify:
        loading = _loading(found.values())
        hint = f"Convert at a higher level, or with --no-verify for {loading}."
        raise _refused(model, f"The model has {what}. {refuse}", hint)
    yield Finding(
        "warning", "element-type-refused", f"The model has {what}. If they stay, {refuse}"
    )


def _loading(kinds: Iterable[int]) -> str:
    """The releases that load constants of all these element types."""
    first = max(_FIRST_TO_LOAD.get(kind, 19) for kind in kinds)
    return "release 1.27" if first == 27 else f"releases 1.{first} to 1.27"


def _refused(model: Model, message: str, hint: str = "") -> RefusedError:
    return RefusedError(message, where=Where(model.source.path), hint=hint)
