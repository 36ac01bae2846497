"""What is the same model, however it is written, has no change."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level
from tests.builders.conversions import to_ort
from tests.builders.edits import renamed, reordered
from tests.builders.knowledge import CORPUS, RESOURCES
from tests.unit.analysis.pairing.everywhere import kinds, paired

SOURCES = [
    *sorted((RESOURCES / "samples").glob("*.onnx")),
    *(path for path in sorted((CORPUS / "sources").glob("*.onnx")) if path.stem != "extdata"),
]


def against(source: Path, other: onnx.ModelProto, folder: Path) -> tuple[NodeRow, ...]:
    """The rows of a model on disk and another one."""
    path = folder / "other.onnx"
    onnx.save(other, path)
    return paired(read_model(source), read_model(path))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_reordered_nodes_are_no_change(source: Path, tmp_path: Path) -> None:
    rows = against(source, reordered(onnx.load(source), 1), tmp_path)
    assert set(kinds(rows)) == {"kept"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_renamed_values_are_no_change(source: Path, tmp_path: Path) -> None:
    model = onnx.load(source)
    if model.functions:
        pytest.skip("names inside functions are not renamed")
    assert set(kinds(against(source, renamed(model), tmp_path))) == {"kept"}
    assert set(kinds(against(source, reordered(renamed(model), 2), tmp_path))) == {"kept"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_round_trip_without_optimizations_only_loses_how_constants_are_held(
    source: Path, tmp_path: Path
) -> None:
    try:
        result = to_ort(source, tmp_path / "result.ort", Level.DISABLE)
    except Exception as error:  # noqa: BLE001  # The runtime's own, of many classes.
        pytest.skip(f"the runtime does not convert it: {error}")
    rows = paired(read_model(source), read_model(result))
    left = [row for row in rows if row.kind not in ("kept", "inlined")]
    assert {row.rewrite for row in left} <= {"constant-node", "duplicated", "insert-cast"}
