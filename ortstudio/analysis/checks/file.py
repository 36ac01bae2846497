"""Checks of the file as a whole: its name, its container, its versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.words import size_text
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind

MOST_BYTES = (1 << 31) - 1
"""FlatBuffers offsets have 32 bits, half of them spent on the sign."""

MOST_TABLES = 1_000_000
DEEPEST = 18
"""Graphs in graphs: FlatBuffers' verifier stops at 64 levels, of which each graph takes three."""

NEWEST_IR_VERSION = 14
"""Of what release 1.32 accepts in ONNX files; that of an `.ort` is not looked at."""


def check_damage(subject: Subject) -> Iterator[Finding]:
    """What the reader met."""
    error = subject.model.error
    if error is not None:
        where = error.where
        yield Finding("error", "structure-damaged", error.message, where.field, where.offset_bytes)


def check_name(subject: Subject) -> Iterator[Finding]:
    """The runtime goes by the extension when it loads from a path, never by the content."""
    if not subject.path:
        return
    named_ort = PurePath(subject.path).suffix.lower() == ".ort"
    if subject.is_ort and not named_ort:
        yield Finding(
            "warning",
            "extension-mismatch",
            "This is an ORT-format model without the extension .ort: the runtime takes it for ONNX"
            " when it loads it by path, unless session.load_model_format is set to ORT",
        )
    elif subject.model.kind is FileKind.ONNX and named_ort:
        yield Finding(
            "warning",
            "extension-mismatch",
            "This is an ONNX model under the extension .ort: the runtime takes it for ORT format"
            " when it loads it by path, unless session.load_model_format is set to ONNX",
        )


def check_container(subject: Subject) -> Iterator[Finding]:
    """Limits of the FlatBuffers file and of its verifier in the runtime."""
    ort = subject.model.ort
    if ort is None:
        return
    size = subject.model.source.size
    if not ort.has_identifier:
        yield Finding(
            "error",
            "no-identifier",
            "Bytes 4 to 8 do not say ORTM: release 1.5.1 left that out, and only it loads the file."
            " Filled in, it makes most of them readable",
            offset_bytes=4,
        )
    if size > MOST_BYTES:
        text = f"The file has {size_text(size)}; an ORT-format model must stay below 2 GiB"
        yield Finding("error", "file-too-large", text)
    if ort.table_count > MOST_TABLES:
        yield Finding(
            "error",
            "too-many-tables",
            f"The file has {ort.table_count:,} tables; the runtime's verifier stops at"
            f" {MOST_TABLES:,}, although the writer does not mind",
        )
    depth, graph = _deepest(subject.model.graphs)
    if graph is not None and depth > DEEPEST:
        text = f"Graphs are nested {depth} deep; the runtime's verifier stops at {DEEPEST}"
        yield Finding("error", "nested-too-deep", text, graph.path, graph.offset)


def _deepest(graphs: tuple[Graph, ...]) -> tuple[int, Graph | None]:
    """How deep graphs are nested, and the first that is so deep."""
    depths: list[int] = []
    for graph in graphs:
        parent = graph.parent
        known = parent is not None and parent.graph < len(depths)
        depths.append(depths[parent.graph] + 1 if parent is not None and known else 0)
    deepest = max(depths, default=0)
    return deepest, graphs[depths.index(deepest)] if depths else None


def check_version(subject: Subject) -> Iterator[Finding]:
    """The ORT format version."""
    ort, versions = subject.model.ort, subject.versions
    if ort is None:
        return
    number = ort.format_version
    problem = versions.problem(ort.format_version_text, number)
    if number is not None and number > versions.newest:
        text = f"{problem[0].upper()}{problem[1:]}, and than release 1.32 loads"
        yield Finding("error", "format-newer-than-known", text, "ort_version")
    elif problem:
        text = f"{problem[0].upper()}{problem[1:]}"
        if number is None:
            text += "; releases 1.24 to 1.29 refuse what is no number"
        yield Finding("warning", "format-version-odd", text, "ort_version")
    version = versions.get(number)
    if version is not None and number is not None and number < 5 and ort.has_identifier:
        yield Finding(
            "warning",
            "old-format",
            f"Format {number}: full builds of {versions.words(version.full)} read it, but no"
            " minimal build since 1.13. Upgrade it, or convert again from the source",
            "ort_version",
        )


def check_header(subject: Subject) -> Iterator[Finding]:
    """What every model states about itself."""
    model = subject.model
    if model.kind not in (FileKind.ORT, FileKind.ONNX):
        return
    if not model.opset_imports:
        text = "The model imports no operator set; the runtime refuses it"
        yield Finding("error", "no-opset-imports", text, "opset_import")
    if model.kind is FileKind.ONNX and (model.ir_version or 0) > NEWEST_IR_VERSION:
        yield Finding(
            "error",
            "ir-version-newer-than-known",
            f"IR version {model.ir_version} is newer than release 1.32 accepts"
            f" ({NEWEST_IR_VERSION})",
            "ir_version",
        )
    if subject.is_ort and model.model_version is None:
        yield Finding(
            "info",
            "model-version-unset",
            "The model version is not set; the runtime reports the largest 64-bit number, or 0",
            "model_version",
        )
