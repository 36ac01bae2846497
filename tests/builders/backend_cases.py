"""The models of the `onnx` package's backend tests, with the inputs that come with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
"""All but `real`, whose models would have to be fetched."""


@dataclass(frozen=True)
class Case:
    """A model on disk, and a `.npz` file with its inputs where they are plain tensors."""

    name: str
    path: Path
    inputs: Path | None


def backend_cases(kinds: Sequence[str], folder: Path) -> Iterator[Case]:
    """Write every case of the kinds into a folder."""
    for kind in kinds:
        with warnings.catch_warnings():
            # What the package's own computations of expected outputs overflow on.
            warnings.simplefilter("ignore", RuntimeWarning)
            found = load_model_tests(kind=kind)
        for case in found:
            path = folder / f"{case.name}.onnx"
            model = _model(case)
            onnx.save(model, path)
            arrays = _arrays(model, _inputs(case, model))
            inputs = None if arrays is None else folder / f"{case.name}.npz"
            if inputs and arrays is not None:
                np.savez(inputs, **arrays)  # type: ignore[arg-type]
            yield Case(case.name, path, inputs)


def _model(case: TestCase) -> ModelProto:
    if case.model is not None:
        return case.model
    assert case.model_dir is not None
    return onnx.load(Path(case.model_dir) / "model.onnx")


def _inputs(case: TestCase, model: ModelProto) -> Sequence[object]:
    if case.data_sets:
        return list(case.data_sets[0][0])
    assert case.model_dir is not None
    files = Path(case.model_dir, "test_data_set_0").glob("input_*.pb")
    values: list[object] = []
    for file in sorted(files, key=lambda path: int(path.stem.partition("_")[2])):
        if not model.graph.input[len(values)].type.HasField("tensor_type"):
            return []
        values.append(TensorProto.FromString(file.read_bytes()))
    return values


def _arrays(model: ModelProto, values: Sequence[object]) -> dict[str, NDArray[np.generic]] | None:
    """The inputs by name as arrays that numpy can save; None where one is no tensor."""
    arrays = {}
    for wanted, value in zip(model.graph.input, values, strict=False):
        array = onnx.numpy_helper.to_array(value) if isinstance(value, TensorProto) else value
        if not isinstance(array, np.ndarray | np.generic):
            return None
        arrays[wanted.name] = _savable(np.asarray(array))
    return arrays


def _savable(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Element types of `ml_dtypes` as wider ones that hold the same numbers; strings as text."""
    if array.dtype.kind == "O":
        texts = [x.decode() if isinstance(x, bytes) else str(x) for x in array.ravel().tolist()]
        return np.array(texts, str).reshape(array.shape)
    if array.dtype.name in ("int2", "uint2", "int4", "uint4"):
        return array.astype(np.int8)
    if array.dtype.name.startswith(("bfloat", "float8", "float4")):
        return array.astype(np.float32)
    return array
