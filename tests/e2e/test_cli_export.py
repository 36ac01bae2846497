"""`ortstudio export` from the outside: exit codes, the answer, what is said on the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from tests.builders.knowledge import CORPUS
from tests.e2e.command import on_terminal, ortstudio

MLP = CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort"
FUSED = CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort"


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_model_is_exported_and_what_cannot_come_back_is_said(tmp_path: Path) -> None:
    done = ortstudio("export", FUSED, "-o", tmp_path / "m.onnx")
    assert (done.code, done.err) == (0, "")
    first, second, *notes = done.out.splitlines()
    assert first.startswith(f"{tmp_path / 'm.onnx'}  ")
    assert "verified: outputs agree with the source's, all equal" in second
    assert any("the graph is named main_graph" in note for note in notes)
    assert any("cannot be taken apart without the source" in note for note in notes)
    onnx.checker.check_model(tmp_path / "m.onnx", full_check=True)
    assert listing(tmp_path) == ["m.onnx"]


def test_the_answer_in_json_has_every_key(tmp_path: Path) -> None:
    target = tmp_path / "made" / "m.onnx"
    done = ortstudio("export", MLP, "-o", target, "--json", "--seed", "9", "--rtol", "0.01")
    assert done.code == 0
    answer = done.json
    (row,) = answer["results"]
    assert (answer["schema"], answer["ok"]) == ("ortstudio/export@1", True)
    assert (answer["converted"], answer["failed"]) == (1, 0)
    size = target.stat().st_size
    assert row["outputs"] == [{"path": str(target), "role": "model", "size_bytes": size}]
    assert (row["source"], row["ok"], row["error"]) == (str(MLP), True, None)
    assert row["verified"].keys() >= {"agrees", "max_abs", "max_rel", "inputs", "seed", "rtol"}
    assert (row["verified"]["seed"], row["verified"]["rtol"]) == (9, 0.01)
    assert row["verify_skipped"] is None
    assert all(note.keys() == {"code", "message"} for note in row["notes"])
    assert row["notes"][0]["code"] == "not-kept"


def test_without_verification_the_reason_stands_in_its_place(tmp_path: Path) -> None:
    done = ortstudio("export", MLP, "-o", tmp_path / "m.onnx", "--no-verify")
    assert (done.code, "not verified: " in done.out) == (0, True)


def test_a_result_that_exists_is_replaced_only_when_asked(tmp_path: Path) -> None:
    target = tmp_path / "m.onnx"
    target.write_text("precious")
    done = ortstudio("export", MLP, "-o", target)
    assert (done.code, done.out) == (1, "")
    assert "exists already" in done.err
    assert target.read_text() == "precious"
    assert ortstudio("export", MLP, "-o", target, "--overwrite").code == 0
    assert ortstudio("inspect", target).code == 0


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (None, 3, "There is no such file"),
        (b"", 3, "The file is empty"),
        (MLP.read_bytes()[:2000], 3, "The file is cut short"),
        ((CORPUS / "sources" / "mlp.onnx").read_bytes(), 1, "already is an ONNX model"),
        (
            (CORPUS / "v6_ort1.23.2_types_fixed_disable.ort").read_bytes(),
            1,
            "has 0 strings where its shape needs 4",
        ),
    ],
    ids=["missing", "empty", "cut", "onnx", "lost strings"],
)
def test_what_cannot_be_exported_is_told_in_one_line_and_leaves_nothing(
    content: bytes | None, code: int, words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "m.ort").write_bytes(content)
    done = ortstudio("export", tmp_path / "m.ort", "-o", tmp_path / "m.onnx", "--json")
    (row,) = done.json["results"]
    assert (done.code, row["ok"], row["outputs"]) == (code, False, [])
    assert words in row["error"]["message"]
    assert row["error"]["message"] in done.err
    assert done.err.count("\n") == 1
    assert listing(tmp_path) == ([] if content is None else ["m.ort"])


@pytest.mark.parametrize("arguments", [[], [MLP], [MLP, "-o", "m.onnx", "--dim", "n=2"]])
def test_a_wrong_command_line_is_exit_code_2(arguments: list[str | Path], tmp_path: Path) -> None:
    assert ortstudio("export", *arguments, cwd=tmp_path).code == 2
    assert listing(tmp_path) == []


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    for target in (".", "", ".."):
        done = ortstudio("export", MLP, "-o", target, cwd=tmp_path)
        assert done.code == 1
        assert "There is a folder of the result's name" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="terminals as POSIX has them")
def test_progress_is_one_line_that_is_wiped_on_a_terminal(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ortstudio", "export", str(MLP), "-o", str(tmp_path / "m")]
    text = on_terminal(
        lambda terminal: subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
    )
    assert b"rebuilding ..." in text
    assert b"running, to verify ..." in text
    assert text.endswith(b"\r\x1b[K")
