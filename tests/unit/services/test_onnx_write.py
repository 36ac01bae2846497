"""The file that an export makes, and the one beside it that may hold its weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx.external_data_helper import uses_external_data

from ortstudio.errors import RefusedError
from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.graph import GraphRef, Parent
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services import onnx_write
from ortstudio.services.onnx_outside import ALIGNMENT, LEAST_OUTSIDE
from ortstudio.services.onnx_write import write_onnx
from ortstudio.services.reading import read_model
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
    _, weights = write_onnx(model_of(sizes), IMPORTS, tmp_path / "m.onnx", outside=True)
    held = onnx.load(tmp_path / "m.onnx", load_external_data=False).graph.initializer
    assert [uses_external_data(t) for t in held] == [True, False, True]
    assert [[entry.value for entry in t.external_data] for t in held] == [
        [weights.name, "0", str(sizes[0])],
        [],
        [weights.name, str(ALIGNMENT), str(sizes[2])],
    ]
    whole = onnx.load(tmp_path / "m.onnx").graph.initializer
    assert [t.raw_data for t in whole] == [CONTENT[:size] for size in sizes]


def test_weights_are_named_after_what_they_hold(tmp_path: Path) -> None:
    def name(folder: str, *sizes: int) -> str:
        (tmp_path / folder).mkdir()
        files = write_onnx(model_of(sizes), IMPORTS, tmp_path / folder / "m.onnx", outside=True)
        return files[1].name

    first, same, other = name("a", 2000), name("b", 2000), name("c", 2001)
    assert first == same != other
    assert re.fullmatch(r"m\.onnx\.[0-9a-f]{16}\.data", first)


def test_weights_of_subgraphs_go_beside_the_model_too(tmp_path: Path) -> None:
    weights = tensor("w", (2000,), DataType.UINT8)
    inner = graph(
        [Node("Identity", ["w"], ["z"])],
        outputs=["z"],
        initializers=[weights],
        path="/#0/then_branch",
        parent=Parent(0, 0, "then_branch"),
    )
    branch = Node("If", ["c"], ["y"], attributes={"then_branch": GraphRef(1)})
    made = ort(graph([branch], inputs=["c"], outputs=["y"]), inner)
    model = replace(made, source=Source.of_bytes(CONTENT, "m.ort"))
    write_onnx(model, IMPORTS, tmp_path / "m.onnx", outside=True)
    held = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    (constant,) = held.graph.node[0].attribute[0].g.initializer
    assert uses_external_data(constant)
    read = read_model(tmp_path / "m.onnx")
    content = open_elements(read.source, read.graphs[1].initializers[0]).array()
    assert content.tobytes() == CONTENT[:2000]


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
