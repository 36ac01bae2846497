"""What a program that feeds zeros to a model must print, and whether it did."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import onnxruntime
import pytest

from ortstudio.format.arrays import Numbers
from ortstudio.model.model import FileKind
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
)
from ortstudio.services.snippet import SnippetModel

COMPARED = 10
"""Elements of an output that are compared: no program prints fewer."""

_NUMPY = {
    DataType.FLOAT: "float32", DataType.DOUBLE: "float64", DataType.FLOAT16: "float16",
    DataType.INT8: "int8", DataType.INT16: "int16", DataType.INT32: "int32",
    DataType.INT64: "int64", DataType.UINT8: "uint8", DataType.UINT16: "uint16",
    DataType.UINT32: "uint32", DataType.UINT64: "uint64", DataType.BOOL: "bool",
}  # fmt: skip

_TOKEN = re.compile(
    r'"(?P<double>[^"]*)"|\'(?P<single>[^\']*)\''
    r"|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)n?"
    r"|(?P<word>true|false|nan|-?inf(?:inity)?)",
    re.IGNORECASE,
)
_NOT_VALUES = re.compile(r"\[[\d, ]*\]:|\w+Array\(\d+\)|dtype=\w+")
"""Shapes before a colon, and what some languages say of arrays."""

_TRUTH = {"true": 1.0, "false": 0.0}

Token = float | str


def expected(model: SnippetModel, *, halves_as_bits: bool = False) -> dict[str, list[Token]]:
    """Output name → its first elements; maps with their keys, in no order."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    kind = "ORT" if model.kind is FileKind.ORT else "ONNX"
    options.add_session_config_entry("session.load_model_format", kind)
    session = onnxruntime.InferenceSession(model.path, options, providers=["CPUExecutionProvider"])
    feed = {port.name: _zeros(port.type, model.sizes) for port in model.inputs}
    names = [port.name for port in model.outputs]
    found = zip(names, session.run(names, feed), strict=True)
    return {name: list(_tokens(value, halves_as_bits)) for name, value in found}


def _zeros(of: ValueType | None, sizes: Mapping[str, int]) -> object:
    if isinstance(of, TensorType):
        dims = [sizes[dim] if isinstance(dim, str) else int(dim or 0) for dim in of.dims or ()]
        if of.elem_type == DataType.STRING:
            return np.full(dims, "", object)
        return np.zeros(dims, _NUMPY[DataType(of.elem_type)])
    if isinstance(of, OptionalType):
        return _zeros(of.element, sizes)
    if isinstance(of, SequenceType):
        return [_zeros(of.element, sizes)]
    assert isinstance(of, MapType)
    return {"key" if of.key_type == DataType.STRING else 0: 0.0}


def _tokens(value: object, halves_as_bits: bool) -> list[Token]:
    if isinstance(value, dict):
        return [token for pair in value.items() for token in _tokens(list(pair), halves_as_bits)]
    if isinstance(value, list):
        return [token for one in value for token in _tokens(one, halves_as_bits)]
    array: Numbers = np.asarray(value)
    if halves_as_bits and array.dtype == np.float16:
        array = array.view(np.uint16)
    return [one if isinstance(one, str) else float(one) for one in array.ravel().tolist()]


def check_printed(text: str, wanted: Mapping[str, list[Token]], mark: str = "") -> None:
    """Every output stands in the text in order, its name first with `mark` after it."""
    place = 0
    starts = []
    for name in wanted:
        start = text.find(name + mark, place)
        assert start >= 0, f"{name!r} is not printed in {text!r}"
        place = start + len(name)
        starts.append((start, place))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    for (name, tokens), (_, start), end in zip(wanted.items(), starts, ends, strict=True):
        printed = _read(text[start:end].replace(f"\n{name} [", "\n["))
        _check_equal(name, printed, tokens)


def _read(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(_NOT_VALUES.sub(" ", text)):
        if match["number"] or match["word"]:
            word = match[0].rstrip("n") if match["number"] else match[0].lower()
            found.append(_TRUTH[word] if word in _TRUTH else float(word))
        else:
            found.append(match["double"] or match["single"] or "")
    return found


def _check_equal(name: str, printed: list[Token], wanted: list[Token]) -> None:
    if any(isinstance(token, str) for token in wanted) and not all(
        isinstance(token, str) for token in wanted
    ):
        # A map: some programs print the keys first, others each with its value.
        printed, wanted = _sorted(printed), _sorted(wanted)
    first = wanted[:COMPARED]
    assert len(printed) >= len(first), f"{name}: {printed}"
    for one, other in zip(printed, first, strict=False):
        if isinstance(other, str):
            assert one == other, name
        else:
            assert one == pytest.approx(other, rel=1e-3, abs=1e-6, nan_ok=True), name


def _sorted(tokens: list[Token]) -> list[Token]:
    return sorted(
        tokens,
        key=lambda token: (
            isinstance(token, str),
            str(token),
        ),
    )
