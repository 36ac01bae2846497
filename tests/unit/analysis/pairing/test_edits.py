"""One change in a model is found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import onnx
import pytest

from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from tests.builders.edits import Edit, renamed, reordered
from tests.builders.knowledge import CORPUS, RESOURCES
from tests.unit.analysis.pairing.everywhere import paired

SOURCES = [
    *sorted((RESOURCES / "samples").glob("*.onnx")),
    *(CORPUS / "sources" / f"{name}.onnx" for name in ("cnn", "encoder", "mlp", "qdq", "control")),
]
SEEDS = range(5)
WRITINGS: dict[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
    "as it was": lambda model: model,
    "renamed and reordered": lambda model: reordered(renamed(model), 3),
}


def changes(source: Path, edit: Edit, writing: str, folder: Path) -> tuple[Model, list[NodeRow]]:
    """The model before, and the rows that are not kept."""
    path = folder / "edited.onnx"
    onnx.save(WRITINGS[writing](edit.model), path)
    before = read_model(source)
    rows = paired(before, read_model(path))
    return before, [row for row in rows if row.kind != "kept"]


def edits(source: Path, kind: str) -> Iterator[Edit]:
    """Edits of one kind at places that chance picks."""
    model = onnx.load(source)
    for seed in SEEDS:
        edit = Edit(model, seed)
        if getattr(edit, kind)():
            yield edit


def said(row: NodeRow, what: str) -> bool:
    """Whether a changed node names a difference of a kind."""
    return row.kind == "changed" and any(one.what.startswith(what) for one in row.changes)


every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
every_writing = pytest.mark.parametrize("writing", WRITINGS)


@every_source
@every_writing
def test_a_weight_of_which_one_bit_differs(source: Path, writing: str, tmp_path: Path) -> None:
    for edit in edits(source, "weight"):
        before, rows = changes(source, edit, writing, tmp_path)
        assert rows
        assert all(said(row, "input") for row in rows)
        texts = {change.before for row in rows for change in row.changes}
        assert all(text.startswith(edit.tensor) for text in texts)
        assert before.main.values.ids[edit.tensor] >= 0


@every_source
@every_writing
def test_an_inserted_node(source: Path, writing: str, tmp_path: Path) -> None:
    for edit in edits(source, "inserted"):
        _, rows = changes(source, edit, writing, tmp_path)
        assert [(row.kind, len(row.b)) for row in rows] == [("added", 1)]


@every_source
@every_writing
def test_an_attribute(source: Path, writing: str, tmp_path: Path) -> None:
    for edit in edits(source, "attribute"):
        _, rows = changes(source, edit, writing, tmp_path)
        assert [ref.index for row in rows for ref in row.a] == [edit.node]
        assert said(rows[0], "attribute")


@every_source
@every_writing
def test_a_rewired_edge(source: Path, writing: str, tmp_path: Path) -> None:
    for edit in edits(source, "rewired"):
        _, rows = changes(source, edit, writing, tmp_path)
        assert any(said(row, "input") for row in rows)
        assert len(rows) <= 3
