"""Every file of the corpus against the model that it was made from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ortstudio.services.reading import read_model
from tests.builders.conversions import to_ort
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS
from tests.unit.analysis.pairing.everywhere import kinds, paired

_NAME = re.compile(r"(?:.*_)?ort[\d.]+_(?P<source>\w+?)_(?:fixed|runtime|nchwc)_(?P<level>\w+)")

FILES = [row["file"] for row in corpus_files()]


def source_of(file: str) -> tuple[Path, str]:
    """The ONNX model that a file was made from, and the level."""
    found = _NAME.fullmatch(Path(file).stem)
    assert found is not None
    return CORPUS / "sources" / f"{found['source']}.onnx", found["level"]


@pytest.mark.parametrize("file", FILES)
def test_every_node_stands_in_one_row(file: str) -> None:
    source, _ = source_of(file)
    assert paired(read_model(source), read_model(CORPUS / file))


def test_without_optimizations_nearly_every_node_of_the_result_has_a_source() -> None:
    of_both, of_b = 0, 0
    for file in FILES:
        source, level = source_of(file)
        if level == "disable":
            rows = paired(read_model(source), read_model(CORPUS / file))
            of_b += sum(len(row.b) for row in rows)
            of_both += sum(len(row.b) for row in rows if row.a)
    assert of_both >= 0.95 * of_b > 0


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_the_same_as_itself(file: str) -> None:
    a, b = read_model(CORPUS / file), read_model(CORPUS / file)
    assert set(kinds(paired(a, b))) == {"kept"}


def test_names_of_values_hold_where_every_node_of_the_source_is_fused(tmp_path: Path) -> None:
    source = CORPUS / "sources" / "deep.onnx"
    made = read_model(to_ort(source, tmp_path / "m.ort"))
    rows = paired(read_model(source), made)
    assert kinds(rows) == {"fused": 24}
    assert all(len(row.a) == 3 and len(row.b) == 1 for row in rows)
