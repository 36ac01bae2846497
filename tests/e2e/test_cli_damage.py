"""Files that are no sound model: each has its own statement, its place, and exit code 3."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ortstudio.errors import FormatError
from ortstudio.services.reading import read_model
from tests.e2e.command import ortstudio

ROOT = Path(__file__).parents[2]
GOOD = (ROOT / "tests/corpus/v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()
ONNX = (ROOT / "tests/corpus/sources/cnn.onnx").read_bytes()

UNREADABLE = {
    "empty": (b"", "The file is empty"),
    "zeros": (bytes(len(GOOD)), "all zeros"),
    "web page": (b"<!DOCTYPE html><html><body>404 Not Found</body></html>", "web page"),
    "LFS pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345678\n",
        "Git LFS pointer",
    ),
    "TensorFlow Lite": (b"\x1c\0\0\0TFL3" + bytes(200), "TFL3"),
    "every byte XORed": (bytes(byte ^ 0x5A for byte in GOOD), "XOR"),
    "root outside": (b"\xff\xff\xff\x7f" + GOOD[4:], "point to byte 2,147,483,647"),
    "header only": (b"\x18\0\0\0ORTM", "header of an ORT-format model and nothing else"),
    "noise": (bytes((i * i * 31 + i) % 251 for i in range(5000)), "unrecognised"),
}
"""What cannot be read at all: the content, and words of its statement."""


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_gets_a_statement_of_its_own(name: str, tmp_path: Path) -> None:
    content, words = UNREADABLE[name]
    path = tmp_path / f"{name}.ort"
    path.write_bytes(content)
    done = ortstudio("inspect", path, "--json")
    assert done.code == 3
    assert done.json["schema"] == "ortstudio/error@1"
    assert words in done.json["message"]
    assert done.json["where"].startswith(str(path))
    assert done.json["hint"]
    assert done.err.count("\n") == 1
    assert words in done.err


def test_no_two_of_them_get_the_same_statement(tmp_path: Path) -> None:
    statements = set()
    for content, _ in UNREADABLE.values():
        (tmp_path / "a.ort").write_bytes(content)
        with pytest.raises(FormatError) as caught:
            read_model(tmp_path / "a.ort")
        statements.add(caught.value.message)
    assert len(statements) == len(UNREADABLE)


@pytest.mark.parametrize(("name", "content"), [("a.ort", GOOD), ("a.onnx", ONNX)])
def test_a_file_cut_at_half_says_so_and_shows_the_rest(
    name: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content[: len(content) // 2])
    done = ortstudio("inspect", path, "--json")
    error = done.json["error"]
    assert done.code == 3
    assert done.json["schema"] == "ortstudio/inspect@1"
    assert error["message"].startswith("The file is cut short")
    assert f"{len(content) // 2:,}" in error["message"]
    assert "byte " in error["where"]
    assert done.err.count("\n") == 1
    text = ortstudio("inspect", path)
    assert text.code == 3
    assert "Damaged" in text.out
    assert "What can still be read is shown below" in text.out


def test_damage_in_the_middle_leaves_everything_else_readable(tmp_path: Path) -> None:
    place = GOOD.index(b"FusedConv") + 200
    path = tmp_path / "a.ort"
    path.write_bytes(GOOD[:place] + b"\xff\xff\xff\x7f" * 4 + GOOD[place + 16 :])
    done = ortstudio("inspect", path, "--json")
    assert done.code == 3
    assert "structure behind it is broken" in done.json["error"]["message"]
    assert "byte " in done.json["error"]["where"]
    assert done.json["totals"]["nodes"]


def test_a_tensor_of_a_damaged_file_is_shown_and_the_damage_told(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(ONNX[:-1])
    name = ortstudio("inspect", path, "--initializers", "--json").json["initializers"][0]["name"]
    done = ortstudio("tensor", path, name, "--json")
    assert done.code == 3
    assert done.json["values"]
    assert "cut short" in done.json["error"]["message"]
    assert "cut short" in done.err


def test_an_onnx_model_under_the_wrong_name_is_read_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.ort"
    path.write_bytes(ONNX)
    done = ortstudio("inspect", path)
    assert done.code == 0
    assert "ONNX model" in done.out
    assert "under the extension .ort" in done.out


def test_an_archive_is_to_be_unpacked_first(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.onnx", ONNX)
        archive.writestr("ext.bin", bytes(100))
    for verb in ("inspect", "convert"):
        done = ortstudio(verb, path)
        assert done.code == 3
        assert "ZIP archive" in done.err
        assert "Unpack it first" in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.onnx"]


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def unreadable(path: Path) -> Path:
    path.write_bytes(GOOD)
    path.chmod(0)
    return path


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


NOT_FILES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "missing": (lambda path: path, "There is no such file"),
    "folder": (folder, "This is a folder"),
    "name too long": (lambda path: path.with_name("n" * 300), "File name too long"),
    "below a file": (lambda _: Path(__file__) / "a.ort", "Not a directory"),
}
if sys.platform != "win32":
    NOT_FILES |= {
        "device": (lambda _: Path(os.devnull), "not a regular file"),
        "pipe": (pipe, "not a regular file"),
        "loop": (loop, "Too many levels of symbolic links"),
    }
    if os.geteuid():
        NOT_FILES["no permission"] = (unreadable, "Permission denied")


@pytest.mark.parametrize("name", NOT_FILES)
@pytest.mark.parametrize("verb", ["inspect", "tensor"])
def test_what_is_no_file_is_an_error_and_never_waits(verb: str, name: str, tmp_path: Path) -> None:
    make, words = NOT_FILES[name]
    path = make(tmp_path / "a.ort")
    more = ["w"] if verb == "tensor" else []
    done = ortstudio(verb, path, *more, "--json", timeout=60)
    assert done.code == 3
    assert words in done.json["message"]
    assert done.err.startswith("ortstudio: ")


NAMING: dict[str, tuple[str, ...]] = {
    "convert": ("-o", "new"),
    "upgrade": ("-o", "new"),
    "explain": ("--text", "x"),
    "ops merge": ("-o", "new.config"),
    "ops flags": (),
    "runtimes add": (),
}


@pytest.mark.parametrize("name", sorted({"name too long", "loop"} & NOT_FILES.keys()))
@pytest.mark.parametrize("verb", NAMING)
def test_a_name_that_no_file_can_have_is_one_line(verb: str, name: str, tmp_path: Path) -> None:
    make, _ = NOT_FILES[name]
    done = ortstudio(*verb.split(), make(tmp_path / "a.ort"), *NAMING[verb], cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    source = ROOT / "tests/corpus/sources/cnn.onnx"
    done = ortstudio("convert", source, "-o", tmp_path / ("n" * 300))
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "File name too long" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot exist there")
def test_names_with_line_breaks_and_control_characters_stay_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb\x1b[31m.ort"
    path.write_bytes(b"")
    done = ortstudio("inspect", path)
    assert done.err.count("\n") == 1
    assert "a\\nb\\x1b[31m.ort" in done.err
    path.write_bytes(GOOD)
    done = ortstudio("inspect", path)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert done.out.splitlines()[0].startswith(str(tmp_path / "a\\nb"))
    assert ortstudio("inspect", path, "--json").json["file"]["path"] == str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
def test_a_name_that_is_no_text_is_a_name(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.ort"))
    path.write_bytes(GOOD)
    assert ortstudio("inspect", path).code == 0
    assert ortstudio("inspect", path, "--json").json["file"]["path"] == str(path)
