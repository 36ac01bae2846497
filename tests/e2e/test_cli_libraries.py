"""A custom operator library that is none ends every verb alike that takes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.knowledge import CORPUS
from tests.e2e.command import ortstudio

ONNX, ORT = CORPUS / "sources" / "mlp.onnx", CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort"
VERBS: dict[str, list[str | Path]] = {
    "advise": [ONNX],
    "bench": [ONNX],
    "compare": [ONNX, ORT],
    "convert": [ONNX, CORPUS / "sources" / "cnn.onnx", "-o", "out"],
    "export": [ORT, "-o", "m.onnx"],
    "profile": [ONNX],
    "upgrade": [ORT, "-o", "out"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_library_that_is_not_there_is_an_input_that_cannot_be_read(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = ortstudio(verb, *VERBS[verb], "--custom-ops", "none.so", "--json")
    assert done.code == 3
    assert "There is no such custom operator library (none.so)" in done.err
    assert done.json["schema"] == "ortstudio/error@1"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["compare", "convert", "export", "upgrade"])
def test_so_is_a_file_that_is_no_library(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ops.so").write_text("text")
    done = ortstudio(verb, *VERBS[verb], "--custom-ops", "ops.so")
    assert (done.code, done.out) == (3, "")
    assert "This is not a shared library" in done.err
