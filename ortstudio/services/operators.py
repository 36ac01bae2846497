"""What ONNX's own documentation says of an operator."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.model.graph import onnx_domain


@dataclass(frozen=True, slots=True)
class Documented:
    """One documented thing: an input, an output, an attribute."""

    name: str
    type_text: str
    text: str


@dataclass(frozen=True, slots=True)
class OperatorDoc:
    """The documentation of one version of an operator; `text` is Markdown."""

    name: str
    since_version: int
    deprecated: bool
    text: str
    inputs: tuple[Documented, ...]
    outputs: tuple[Documented, ...]
    attributes: tuple[Documented, ...]


def operator_doc(domain: str, op_type: str, since_version: int) -> OperatorDoc | None:
    """Look an operator up; None where ONNX does not define it.

    Loads the `onnx` package the first time, a good part of a second: not for the UI thread.
    """
    from onnx import defs

    try:
        schema = defs.get_schema(op_type, since_version or 2**31 - 1, onnx_domain(domain))
    except defs.SchemaError:
        return None
    return OperatorDoc(
        name=schema.name,
        since_version=schema.since_version,
        deprecated=schema.deprecated,
        text=_dedented(schema.doc or ""),
        inputs=tuple(Documented(p.name, p.type_str, _line(p.description)) for p in schema.inputs),
        outputs=tuple(Documented(p.name, p.type_str, _line(p.description)) for p in schema.outputs),
        attributes=tuple(
            Documented(name, str(a.type).rpartition(".")[2].lower(), _line(a.description))
            for name, a in sorted(schema.attributes.items())
        ),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _dedented(text: str) -> str:
    """Without the indent that all lines but the first share."""
    lines = text.strip("\n").splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    shared = min(indents, default=0)
    return "\n".join(line[shared:] for line in lines).strip()
