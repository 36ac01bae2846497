"""The file that an export makes, and the one beside it that may hold its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx.external_data_helper import uses_external_data

from ortstudio.errors import RefusedError
from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services import onnx_write
from ortstudio.services.onnx_write import ALIGNMENT, LEAST_OUTSIDE, write_onnx
from tests.builders.models import Node, graph, imports, ort, tensor

IMPORTS = imports(("", 17))
CONTENT = bytes(i % 251 for i in range(3 * LEAST_OUTSIDE))


def model_of(sizes: Sequence[int]) -> Model:
    """A model with constants of so many bytes."""
    names = [f"w{size}" for size in sizes]
    held = [tensor(name, (n,), DataType.UINT8) for name, n in zip(names, sizes, strict=True)]
    made = ort(graph([Node("Concat", names, ["y"])], outputs=["y"], initializers=held))
    return replace(made, source=Source.of_bytes(CONTENT, "m.ort"))


def test_constants_of_any_size_keep_their_order_and_bytes(tmp_path: Path) -> None:
    """Their lengths take one, two and three bytes in the file."""
    sizes = (0, 1, 100, 127, 128, 200, 2999)
    write_onnx(model_of(sizes), IMPORTS, tmp_path / "m.onnx")
    made = onnx.load(tmp_path / "m.onnx").graph.initializer
    assert [t.raw_data for t in made] == [CONTENT[:size] for size in sizes]


def test_large_constants_go_beside_the_model_and_begin_at_a_page(tmp_path: Path) -> None:
    sizes = (LEAST_OUTSIDE + 1, LEAST_OUTSIDE - 1, LEAST_OUTSIDE)
    write_onnx(model_of(sizes), IMPORTS, tmp_path / "m.onnx", tmp_path / "w.data")
    held = onnx.load(tmp_path / "m.onnx", load_external_data=False).graph.initializer
    assert [uses_external_data(t) for t in held] == [True, False, True]
    assert [[entry.value for entry in t.external_data] for t in held] == [
        ["w.data", "0", str(sizes[0])],
        [],
        ["w.data", str(ALIGNMENT), str(sizes[2])],
    ]
    whole = onnx.load(tmp_path / "m.onnx").graph.initializer
    assert [t.raw_data for t in whole] == [CONTENT[:size] for size in sizes]


def test_a_file_that_nobody_could_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of((2000,))
    write_onnx(model, IMPORTS, tmp_path / "m.onnx")
    size = (tmp_path / "m.onnx").stat().st_size
    monkeypatch.setattr(onnx_write, "MOST_BYTES", size)
    write_onnx(model, IMPORTS, tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()
    monkeypatch.setattr(onnx_write, "MOST_BYTES", size - 1)
    with pytest.raises(RefusedError, match="would pass the 2 GiB"):
        write_onnx(model, IMPORTS, tmp_path / "more.onnx")
    assert (tmp_path / "more.onnx").stat().st_size == 0
