"""`ortstudio tensor`: what it prints and writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.e2e.command import ortstudio

SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "keyword_spotting.onnx"


def test_the_page_tells_type_place_statistics_and_values() -> None:
    done = ortstudio("tensor", SAMPLE, "classifier.bias")
    found = ortstudio("tensor", SAMPLE, "classifier.bias", "--json").json
    lines = {line[2:20].strip(): line[22:].strip() for line in done.out.splitlines()}
    assert done.code == 0
    assert (lines["Type"], lines["Shape"], lines["Size"]) == ("float", "[12]", "48 bytes")
    start = found["storage"]["offset_bytes"]
    assert lines["Where"] == f"bytes {start:,} to {start + 48:,}"
    content = SAMPLE.read_bytes()[start : start + 48]
    assert np.frombuffer(content, "<f4").tolist() == found["values"]
    assert lines["max"] == f"{found['statistics']['max']:.6g}"


def test_a_large_tensor_is_printed_in_part_and_a_slice_in_full() -> None:
    whole = ortstudio("tensor", SAMPLE, "classifier.weight")
    assert "..." in whole.out
    assert len(whole.out.splitlines()) < 40
    part = ortstudio("tensor", SAMPLE, "classifier.weight", "--slice", "0,:4")
    assert "Values  [0,:4]" in part.out
    assert "..." not in part.out


def test_what_is_widened_or_sparse_is_said_so(corpus: Path) -> None:
    done = ortstudio("tensor", corpus / "sources" / "float8.onnx", "w_e4m3fn")
    assert "Values  shown as float32" in done.out
    done = ortstudio("tensor", corpus / "sources" / "sparse_init.onnx", "sp_lin")
    assert "3 elements are stored; these are shown" in done.out
    assert "[6, 5]" in done.out


def test_values_go_into_a_numpy_file_whole_or_in_part(tmp_path: Path) -> None:
    for part in ([], ["--slice", "1:3,::2"]):
        out = tmp_path / "w.npy"
        done = ortstudio(
            "tensor", SAMPLE, "classifier.weight", *part, "--npy", out, "--overwrite", "--json"
        )
        assert done.code == 0
        assert np.load(out).tolist() == done.json["values"]
    assert [path.name for path in tmp_path.iterdir()] == ["w.npy"]


def test_a_file_that_exists_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "w.npy"
    out.write_text("precious")
    done = ortstudio("tensor", SAMPLE, "classifier.bias", "--npy", out, "--json")
    assert done.code == 1
    assert done.json["kind"] == "refused"
    assert "--overwrite" in done.json["hint"]
    assert out.read_text() == "precious"


def test_overwrite_alone_means_nothing() -> None:
    assert ortstudio("tensor", SAMPLE, "classifier.bias", "--overwrite").code == 2


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--slice", "99"], 2, "99 is beyond dimension 0, which has size 12"),
        (["--slice", "a"], 2, "'a' is no number"),
        (["--graph", "/nope"], 3, "There is no graph '/nope'"),
    ],
)
def test_what_is_not_there_is_told_in_one_line_and_nothing_is_printed(
    more: list[str], code: int, words: str
) -> None:
    done = ortstudio("tensor", SAMPLE, "classifier.bias", *more)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_name_that_is_almost_right_is_answered_with_the_right_one() -> None:
    done = ortstudio("tensor", SAMPLE, "clasifier.bias", "--json")
    assert done.code == 3
    assert done.json["kind"] == "missing"
    assert "'classifier.bias'" in done.json["hint"]
