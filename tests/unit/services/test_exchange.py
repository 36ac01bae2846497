from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ortstudio.model.bits import encode
from ortstudio.model.types import DataType
from ortstudio.services.exchange import (
    MapValue,
    SequenceValue,
    TensorValue,
    Value,
    ValuesFile,
    read_values,
    write_values,
)

FLOATS = np.array([[1.5, -2.0]], np.float32)
TEXTS = np.array([["a\0", ""], ["é", "日本"]], object)


def plain(value: Value) -> object:
    """A value as nested lists, for comparing."""
    if isinstance(value, TensorValue):
        return ["tensor", value.data_type, value.dims, value.numbers.tolist()]
    if isinstance(value, SequenceValue):
        return ["sequence", *(plain(element) for element in value.elements)]
    if isinstance(value, MapValue):
        return ["map", plain(value.keys), plain(value.values)]
    return value


@pytest.mark.parametrize(
    "value",
    [
        TensorValue(DataType.FLOAT, (1, 2), FLOATS),
        TensorValue(DataType.INT64, (), np.array(7, np.int64)),
        TensorValue(DataType.BOOL, (0, 3), np.zeros((0, 3), np.bool_)),
        TensorValue(DataType.STRING, (2, 2), TEXTS),
        TensorValue(DataType.STRING, (0,), np.zeros(0, object)),
        TensorValue(DataType.BFLOAT16, (1, 2), encode(DataType.BFLOAT16, FLOATS)),
        TensorValue(DataType.INT4, (3,), encode(DataType.INT4, np.array([-8, 7, 1]))),
        SequenceValue(()),
        SequenceValue((TensorValue(DataType.FLOAT, (1, 2), FLOATS), None)),
        MapValue(
            TensorValue(DataType.STRING, (2,), np.array(["k", "l"], object)),
            TensorValue(DataType.FLOAT, (2,), FLOATS[0]),
        ),
        None,
    ],
)
def test_a_value_survives_the_way_through_a_file(tmp_path: Path, value: Value) -> None:
    path = tmp_path / "values.npz"
    described = write_values(path, {"a/b": value, "second": value})
    found = read_values(path, described)
    assert list(found) == ["a/b", "second"]
    assert plain(found["a/b"]) == plain(found["second"]) == plain(value)


def test_text_that_is_not_utf_8_is_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "values.npz"
    np.savez(path, a0=np.array([0xFF], np.uint8), **{"a0.lengths": np.array([1])})  # type: ignore[arg-type]
    entry = {"name": "x", "kind": "tensor", "data_type": 8, "dims": [1], "array": "a0"}
    assert plain(read_values(path, [entry])["x"]) == ["tensor", 8, (1,), ["�"]]


def test_values_are_read_one_by_one_until_their_file_is_removed(tmp_path: Path) -> None:
    path, held = tmp_path / "v.npz", TensorValue(DataType.FLOAT, (1, 2), FLOATS)
    file = ValuesFile(path, write_values(path, {"x": held, "y": None}))
    assert [plain(file.read(name)) for name in ("x", "y", "x")] == [plain(held), None, plain(held)]
    file.close()
    assert plain(file.read("x")) == plain(held)
    file.remove()
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        file.read("x")
