"""`ortstudio snippet`: the code it prints and writes, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ortstudio.services.conversion import CancelledError
from ortstudio.services.document import open_document
from ortstudio.services.snippet.sizes import accepted_sizes
from tests.builders.knowledge import CORPUS
from tests.builders.picky import write_picky_model, write_stubborn_model
from tests.e2e.command import ortstudio

MLP = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"


def test_stdout_has_the_code_alone_so_that_it_can_be_piped() -> None:
    done = ortstudio("snippet", MLP, "--lang", "python")
    assert done.code == 0
    ran = subprocess.run(
        [sys.executable, "-"], input=done.out.encode(), capture_output=True, check=True
    )
    assert ran.stdout.startswith(b"scores: [[")


def test_notes_and_needed_packages_stand_on_stderr() -> None:
    done = ortstudio("snippet", MLP, "--lang", "python")
    assert "Open sizes are constants to fill in: N = 1" in done.err
    assert done.err.endswith("Needs onnxruntime >= 1.26, numpy\n")


def test_a_size_that_is_given_stands_in_the_code() -> None:
    assert "\nN = 7\n" in ortstudio("snippet", MLP, "--lang", "python", "--dim", "N=7").out


def test_json_has_code_notes_and_packages() -> None:
    answer = ortstudio("snippet", MLP, "--lang", "python", "--json").json
    assert answer["schema"] == "ortstudio/snippet@1"
    assert answer["lang"] == "python"
    assert answer["code"] == ortstudio("snippet", MLP, "--lang", "python").out
    assert answer["requires"] == ["onnxruntime >= 1.26", "numpy"]
    assert answer["notes"]


def test_a_file_is_written_and_not_replaced_unasked(tmp_path: Path) -> None:
    target = tmp_path / "run.py"
    written = ortstudio("snippet", MLP, "--lang", "python", "-o", target)
    assert written.out == f"Written: {target}\n"
    assert target.read_text("utf-8") == ortstudio("snippet", MLP, "--lang", "python").out
    refused = ortstudio("snippet", MLP, "--lang", "python", "-o", target)
    assert (refused.code, "exists already" in refused.err) == (1, True)
    assert ortstudio("snippet", MLP, "--lang", "python", "-o", target, "--overwrite").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["run.py"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--lang", "cobol"], 2, "cobol"),
        ([], 2, "--lang"),
        (["--lang", "python", "--dim", "M=3"], 2, "no symbolic size named M"),
        (["--lang", "python", "--overwrite"], 2, "--overwrite is for -o"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: list[str], code: int, words: str) -> None:
    done = ortstudio("snippet", MLP, *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_sizes_that_the_model_accepts_are_found(tmp_path: Path) -> None:
    model = write_picky_model(tmp_path)
    plain = ortstudio("snippet", model, "--lang", "python")
    assert "\nN = 1\nH = 1\nW = 1\n" in plain.out
    found = ortstudio("snippet", model, "--lang", "python", "--find-sizes", "--dim", "N=2")
    assert "\nN = 2\nH = 8\nW = 8\n" in found.out


def test_a_model_that_accepts_no_size_is_refused(tmp_path: Path) -> None:
    model = write_stubborn_model(tmp_path)
    done = ortstudio("snippet", model, "--lang", "python", "--find-sizes")
    assert (done.code, done.out) == (1, "")
    assert "The model accepts none of the generated inputs" in done.err


def test_a_search_for_sizes_that_is_cancelled_is_no_refusal(tmp_path: Path) -> None:
    document = open_document(write_picky_model(tmp_path))
    with pytest.raises(CancelledError):
        accepted_sizes(document, cancelled=lambda: True)
