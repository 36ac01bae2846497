"""`ortstudio convert` on folders: rows, failures, operator configs, resuming, the terminal."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import onnx
import pytest
from onnx import helper

from tests.builders.onnx_files import FLOAT, onnx_model, value
from tests.e2e.command import Answer, on_terminal, ortstudio
from tests.e2e.test_cli_convert import small

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="signals and terminals as POSIX has them"
)
WORDS = "needs a custom operator library"


def unregistered(path: Path) -> Path:
    """A model of an operator that nobody knows."""
    node = helper.make_node("BpeLike", ["x"], ["y"], domain="my.ops")
    onnx.save(onnx_model([node], [value("x")], [value("y")], domains=["my.ops"]), path)
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Good, bad, good."""
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    small(folder / "a.onnx", "Relu")
    unregistered(folder / "m.onnx")
    small(folder / "sub" / "z.onnx", "Exp")
    return folder


def files(folder: Path) -> list[str]:
    """All below a folder, hidden ones too."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def rows(answer: Answer) -> dict[str, Answer]:
    return {Path(row["source"]).name: row for row in answer["results"]}


def test_without_keep_going_the_first_failure_ends_the_run(mixed: Path, tmp_path: Path) -> None:
    done = ortstudio("convert", mixed, "-o", tmp_path / "out", "--jobs", "1", "--json")
    found = rows(done.json)
    assert done.code == 1
    assert [row["state"] for row in found.values()] == ["done", "refused", "not tried"]
    assert WORDS in found["m.onnx"]["error"]["message"]
    assert found["z.onnx"]["error"]["kind"] == "not-tried"
    assert (done.json["converted"], done.json["failed"], done.json["not_tried"]) == (1, 1, 1)
    assert (done.json["ok"], done.json["configs"]) == (False, [])
    assert files(tmp_path / "out") == ["a.ort"]


def test_it_says_what_it_had_written_before_it_stopped(mixed: Path, tmp_path: Path) -> None:
    done = ortstudio("convert", mixed, "-o", tmp_path / "out", "--jobs", "1")
    assert done.code == 1
    made, counts, written, left = done.out.splitlines()
    assert made.startswith(f"{mixed / 'a.onnx'}: {tmp_path / 'out' / 'a.ort'} ")
    assert made.endswith("; verified")
    assert counts == "1 of 3 models converted, 1 failed, 1 not tried"
    assert written == f"Written before it stopped: {tmp_path / 'out' / 'a.ort'}"
    assert str(mixed / "sub" / "z.onnx") in left
    assert done.err.count("\n") == 1
    assert WORDS in done.err


def test_going_on_converts_the_others_and_says_what_the_config_lacks(
    mixed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = ortstudio("convert", mixed, "-o", out, "--keep-going", "--json")
    found = rows(done.json)
    assert done.code == 1
    assert [row["ok"] for row in found.values()] == [True, False, True]
    assert WORDS in found["m.onnx"]["error"]["message"]
    assert (done.json["converted"], done.json["failed"], done.json["partial"]) == (2, 1, True)
    assert done.json["configs"] == [
        {
            "path": str(out / "required_operators.config"),
            "role": "config",
            "style": "fixed",
            "not_covered": [str(mixed / "m.onnx")],
            "error": None,
        }
    ]
    assert files(out) == ["a.ort", "required_operators.config", "sub/z.ort"]
    text = (out / "required_operators.config").read_text()
    assert "# For 2 of 3 models" in text
    assert "# Not covered: m.onnx" in text
    assert str(tmp_path) not in text
    assert "ai.onnx;13;Exp" in text
    assert "ai.onnx;14;Relu" in text


def test_going_on_says_all_of_it_in_words(mixed: Path, tmp_path: Path) -> None:
    done = ortstudio("convert", mixed, "-o", tmp_path / "out", "--keep-going")
    assert done.code == 1
    first, second, counts, config = done.out.splitlines()
    assert first.startswith(f"{mixed / 'a.onnx'}: ")
    assert second.startswith(f"{mixed / 'sub' / 'z.onnx'}: ")
    assert counts == "2 of 3 models converted, 1 failed"
    assert config.endswith(f"partial: it does not cover {mixed / 'm.onnx'}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("options", [(), ("--keep-going",)])
def test_where_all_fail_no_config_is_written(options: tuple[str, ...], tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    unregistered(folder / "m.onnx")
    done = ortstudio("convert", folder, "-o", out, *options, "--json")
    assert done.code == 1
    assert (done.json["ok"], done.json["partial"], done.json["converted"]) == (False, False, 0)
    assert done.json["configs"] == []
    assert not out.exists()


def test_an_empty_folder_and_a_missing_path_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    empty = ortstudio("convert", tmp_path / "empty", "--json")
    missing = ortstudio("convert", tmp_path / "none", "--json")
    assert (empty.code, missing.code) == (1, 3)
    messages = [done.json["results"][0]["error"]["message"] for done in (empty, missing)]
    assert messages == ["The folder holds no .onnx model", "There is no such file"]


def test_a_folder_that_converts_gets_one_config_for_each_style(tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    small(folder / "a.onnx", "Relu")
    small(folder / "b.onnx", "Exp")
    options = ("--style", "both", "--level", "basic", "--type-reduction")
    done = ortstudio("convert", folder, "-o", out, *options, "--json")
    assert done.code == 0
    assert (done.json["ok"], done.json["partial"]) == (True, False)
    names = [
        "required_operators_and_types.basic.config",
        "required_operators_and_types.basic.with_runtime_opt.config",
    ]
    assert [Path(config["path"]).name for config in done.json["configs"]] == names
    assert [config["not_covered"] for config in done.json["configs"]] == [[], []]
    assert files(out) == [
        "a.basic.ort",
        "a.basic.with_runtime_opt.ort",
        "b.basic.ort",
        "b.basic.with_runtime_opt.ort",
        *names,
    ]


def test_a_config_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    small(folder / "a.onnx", "Relu")
    (out / "required_operators.config").write_text("precious")
    done = ortstudio("convert", folder, "-o", out, "--json")
    assert done.code == 1
    assert done.json["converted"] == 1
    assert "exists already" in done.json["configs"][0]["error"]["message"]
    assert "exists already" in done.err
    assert (out / "required_operators.config").read_text() == "precious"


def test_hidden_files_twins_and_what_is_ours_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    for name in (".cache", ".ortstudio-1.part"):
        (folder / name).mkdir(parents=True)
    source = small(folder / "a.onnx", "Relu")
    for name in ("._a.onnx", ".cache/b.onnx", "a.optimized.onnx", ".ortstudio-1.part/c.onnx"):
        shutil.copy(source, folder / name)
    answer = ortstudio("convert", folder, "--json").json
    assert list(rows(answer)) == ["a.onnx"]
    assert {Path(one["path"]).name for one in answer["skipped"]} == {"._a.onnx", "a.optimized.onnx"}


@POSIX
def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "models", tmp_path / "elsewhere"
    (folder / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    small(folder / "sub" / "a.onnx", "Relu")
    small(elsewhere / "b.onnx", "Exp")
    (folder / "sub" / "up").symlink_to(folder)
    (folder / "other").symlink_to(elsewhere)
    (folder / "again").symlink_to(elsewhere)
    done = ortstudio("convert", folder, "-o", tmp_path / "out", "--json")
    assert done.code == 0
    made = files(tmp_path / "out")
    assert [name for name in made if name.endswith(".ort")] == ["again/b.ort", "sub/a.ort"]


def test_names_that_differ_by_case_only_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    small(folder / "a.onnx", "Relu")
    small(folder / "A.onnx", "Exp")
    if len(files(folder)) == 1:
        pytest.skip("the file system does not tell them apart")
    done = ortstudio("convert", folder, "-o", tmp_path / "out", "--dry-run", "--json")
    codes = [note["code"] for row in done.json["results"] for note in row["notes"]]
    assert "name-differs-by-case" in codes
    said = ortstudio("convert", folder, "-o", tmp_path / "out", "--no-verify")
    assert "differ by letter case only" in said.out


def test_a_size_is_fixed_where_it_is_and_must_be_somewhere(tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    small(folder / "a.onnx", "Relu")
    ends = value("x", FLOAT, ["m"]), value("y", FLOAT, ["m"])
    node = helper.make_node("Abs", ["x"], ["y"])
    onnx.save(onnx_model([node], ends[:1], ends[1:]), folder / "b.onnx")
    sizes = ("--fix-dim", "n=2", "--dim", "m=5")
    done = ortstudio("convert", folder, "-o", out, *sizes, "--json")
    assert done.code == 0
    used = [row["verified"]["inputs"] for row in done.json["results"]]
    assert used[0]["v0"]["type"] == "tensor(float)[2,3]"
    assert used[1]["x"]["type"] == "tensor(float)[5]"
    wrong = ortstudio("convert", folder, "-o", out, "--overwrite", "--fix-dim", "batch=1", "--json")
    assert (wrong.code, wrong.json["kind"]) == (2, "usage")
    assert wrong.json["message"] == "The models have no symbolic size named batch"
    assert wrong.json["hint"] == "There are: n, m."


def test_a_dry_run_foretells_where_the_run_would_end(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = ortstudio("convert", mixed, "-o", out, "--dry-run", "--json")
    assert done.code == 1
    answer = done.json
    states = {name: row["state"] for name, row in rows(answer).items()}
    assert states == {"a.onnx": "queued", "m.onnx": "refused", "z.onnx": "not tried"}
    assert (answer["failed"], answer["not_tried"], answer["configs"]) == (1, 1, [])
    assert rows(answer)["z.onnx"]["outputs"] == []
    assert all(row["verify_skipped"] for row in answer["results"])
    text = ortstudio("convert", mixed, "-o", out, "--dry-run")
    assert f"would not try {mixed / 'sub' / 'z.onnx'}. To go on" in text.out
    assert text.err.count("ortstudio: ") == 1
    kept = ortstudio("convert", mixed, "-o", out, "--dry-run", "--keep-going")
    assert f"would write {out / 'sub' / 'z.ort'}" in kept.out
    assert f"would write {out / 'required_operators.config'}" in kept.out
    assert not out.exists()


def test_a_hundred_models_in_one_go(tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    source = small(folder / "m000.onnx", "Relu")
    for number in range(1, 100):
        shutil.copy(source, folder / f"m{number:03}.onnx")
    done = ortstudio("convert", folder, "-o", out, "--no-verify")
    assert done.code == 0
    lines = done.out.splitlines()
    assert [line.split(": ")[0] for line in lines[:100]] == sorted(map(str, folder.iterdir()))
    assert lines[100] == "100 of 100 models converted"
    assert len(lines) == 102
    assert done.err == ""


def test_resuming_converts_only_what_is_missing_or_stale(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (mixed / "m.onnx").unlink()
    small(mixed / "m.onnx", "Neg")
    assert ortstudio("convert", mixed, "-o", out).code == 0
    before = {name: (out / name).stat().st_mtime_ns for name in files(out)}
    (out / "m.ort").unlink()
    small(mixed / "a.onnx", "Abs")
    done = ortstudio("convert", mixed, "-o", out, "--resume", "--json")
    found = rows(done.json)
    assert done.code == 0
    assert [row["skipped"] for row in found.values()] == [None, None, "already converted"]
    assert (done.json["converted"], done.json["already_converted"]) == (3, 1)
    after = {name: (out / name).stat().st_mtime_ns for name in files(out)}
    assert after.keys() == before.keys()
    assert after["sub/z.ort"] == before["sub/z.ort"]
    assert after["a.ort"] > before["a.ort"]
    config = (out / "required_operators.config").read_text()
    assert all(op in config for op in ("Abs", "Neg", "Exp"))
    assert "Relu" not in config


def test_resuming_leaves_alone_what_is_not_known_to_be_ours(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.ort").write_text("precious")
    done = ortstudio("convert", mixed / "a.onnx", "-o", out, "--resume", "--json")
    assert done.code == 1
    assert "exists already" in done.json["results"][0]["error"]["message"]
    assert (out / "a.ort").read_text() == "precious"


@POSIX
def test_on_a_terminal_one_line_counts_and_rows_stand_for_themselves(
    mixed: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    command = [sys.executable, "-m", "ortstudio", "convert", str(mixed), "-o", out]
    text = on_terminal(
        lambda terminal: subprocess.Popen(
            ["sh", "-c", '"$@" || true', "sh", *command, "--keep-going"],
            stdout=terminal,
            stderr=terminal,
        )
    ).decode()
    assert "of 3" in text
    assert "1 failed  z.onnx: " in text
    shown = [line.split("\r\x1b[K")[-1] for line in text.replace("\r\n", "\n").split("\n")]
    kept = [line for line in shown if line]
    assert len(kept) == 5
    assert "2 of 3 models converted, 1 failed" in kept[3]


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_tells_what_is_done_and_can_be_resumed(
    number: signal.Signals, tmp_path: Path
) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    folder.mkdir()
    small(folder / "a.onnx", "Relu")
    for name in ("b", "c", "d"):
        small(folder / f"{name}.onnx", *["Exp", "Neg"] * 3000)
    arguments = ("convert", str(folder), "-o", str(out), "--no-verify")
    command = [sys.executable, "-m", "ortstudio", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        deadline = time.monotonic() + 60
        while not (out / "a.ort").exists():
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.send_signal(number)
        said, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b" of 4 models converted" in said
    assert b"cancelled" in said
    assert b"Traceback" not in err
    made = files(out)
    assert "a.ort" in made
    assert len(made) < 4
    answer = ortstudio("convert", folder, "-o", out, "--no-verify", "--resume", "--json").json
    assert (answer["converted"], answer["already_converted"]) == (4, len(made))
