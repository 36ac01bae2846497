"""The command line where little else works: no display, no home, odd encodings, closed pipes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ortstudio.__main__ import main
from ortstudio.cli.main import VERBS
from tests.e2e.command import on_terminal, ortstudio

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="tried through a POSIX shell")
FILE = "v5_ort1.14.1_meta_fixed_disable.ort"
PROGRAM = f'"{sys.executable}" -m ortstudio'

NO_HOME = dict.fromkeys(
    ("HOME", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
     "XDG_DATA_HOME", "XDG_STATE_HOME", "QT_QPA_PLATFORM", "USER", "LOGNAME"),
)  # fmt: skip


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=100,
    )


def test_it_needs_no_display_and_no_home(corpus: Path) -> None:
    assert ortstudio("inspect", corpus / FILE, environment=NO_HOME).code == 0


def test_it_writes_nothing_into_the_users_folders(corpus: Path, tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in NO_HOME if name == "HOME" or name.startswith("XDG")}
    assert ortstudio("inspect", corpus / FILE, environment=home).code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_is_enough(corpus: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    home = {name: str(tmp_path) for name in NO_HOME if name == "HOME" or name.startswith("XDG")}
    assert ortstudio("inspect", corpus / FILE, environment=home).code == 0
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("arguments", [("inspect", "--json"), ("inspect",)])
def test_neither_the_window_nor_a_runtime_is_imported(
    arguments: tuple[str, ...], corpus: Path
) -> None:
    verb, *options = arguments
    program = (
        "import sys; from ortstudio.__main__ import main;"
        f"code = main([{verb!r}, {str(corpus / FILE)!r}, *{options!r}]);"
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "numpy" in loaded
    assert loaded.isdisjoint({"PySide6", "shiboken6", "onnx", "onnxruntime", "google"})


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_every_encoding_gets_an_answer(environment: dict[str, str], corpus: Path) -> None:
    done = ortstudio("inspect", corpus / FILE, environment=environment)
    assert done.code == 0
    assert "corpus maker" in done.out
    found = ortstudio("inspect", corpus / FILE, "--json", environment=environment).json
    assert found["metadata"]["clé"] == "värde 値"


@POSIX
@pytest.mark.parametrize("options", ["--json --nodes --initializers", "--nodes"])
def test_a_reader_that_goes_away_is_no_failure(options: str, corpus: Path) -> None:
    path = corpus / "sources" / "deep.onnx"
    done = shell(f'{PROGRAM} inspect "{path}" {options} | head -c 10 > {os.devnull}')
    assert done.stderr == ""
    status = shell(
        f"bash -c '{PROGRAM} inspect \"{path}\" {options} | true; exit ${{PIPESTATUS[0]}}'"
    )
    assert (status.returncode, status.stderr) == (0, "")


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_full_disk_is_told(corpus: Path) -> None:
    done = shell(f'{PROGRAM} inspect "{corpus / FILE}" > /dev/full')
    assert done.returncode == 1
    assert done.stderr == "ortstudio: The answer cannot be written: No space left on device\n"


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_an_error_on_a_full_disk_is_told_too() -> None:
    done = shell(f"{PROGRAM} inspect no-such-file --json > /dev/full")
    assert done.returncode == 1
    assert done.stderr == (
        "ortstudio: There is no such file (no-such-file)\n"
        "ortstudio: The answer cannot be written: No space left on device\n"
    )


@POSIX
def test_an_error_whose_reader_is_gone_is_no_traceback() -> None:
    done = shell(f"{PROGRAM} inspect no-such-file --json | true")
    assert done.stderr == "ortstudio: There is no such file (no-such-file)\n"


@POSIX
def test_closed_streams_are_no_traceback(corpus: Path) -> None:
    done = shell(f'{PROGRAM} inspect "{corpus / FILE}" >&-')
    assert (done.returncode, done.stderr) == (0, "")
    done = shell(f'{PROGRAM} inspect "{corpus / "nothing.ort"}" 2>&-')
    assert (done.returncode, done.stdout) == (3, "")


@POSIX
@pytest.mark.parametrize(("width", "longest"), [("70", 70), ("300", 120), ("", 100)])
def test_running_text_is_wrapped_to_the_terminal(width: str, longest: int, corpus: Path) -> None:
    path = corpus / "v6_ort1.32.0_cnn_nchwc_all.ort"
    done = shell(f'{PROGRAM} inspect "{path}"', COLUMNS=width)
    lines = done.stdout.splitlines()[1:]
    assert longest - 12 < max(map(len, lines)) <= longest


@POSIX
def test_colour_is_for_terminals(corpus: Path) -> None:
    def shown(**environment: str) -> str:
        """What a terminal gets."""
        command = [sys.executable, "-m", "ortstudio", "inspect", str(corpus / FILE)]
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | environment
        return on_terminal(
            lambda terminal: subprocess.Popen(command, stdout=terminal, env=env)
        ).decode()

    assert "\x1b[1m" in shown(TERM="xterm")
    assert "\x1b[" not in shown(TERM="xterm", NO_COLOR="1")
    assert "\x1b[" not in shown(TERM="dumb")
    assert "\x1b[" not in ortstudio("inspect", corpus / FILE).out


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect",),
        ("inspect", "a.ort", "b.ort"),
        ("inspect", "a.ort", "--node"),
        ("inspect", "a.ort", "--jsonl"),
        ("tensor", "a.ort"),
        ("convert",),
        ("convert", "a.onnx", "--level", "most"),
        ("convert", "a.onnx", "--fix-dim", "N"),
        ("convert", "a.onnx", "--dim", "batch"),
        ("convert", "a.onnx", "--range", "x=9:0"),
        ("convert", "a.onnx", "--seed", "-1"),
        ("convert", "a.onnx", "--rtol", "nan"),
        ("--nope",),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = ortstudio(*arguments, "--json")
    assert done.code == 2
    assert done.json["schema"] == "ortstudio/error@1"
    assert done.json["kind"] == "usage"
    assert done.err.count("\n") == 1


def test_every_verb_has_help() -> None:
    for verb in (verb.name for verb in VERBS):
        done = ortstudio(verb, "--help")
        assert done.code == 0
        assert "--json" in done.out
    assert "inspect" in ortstudio("--help").out


def test_an_interrupt_while_modules_are_imported_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("ortstudio.__main__.command_line", interrupted)
    assert main(["inspect"]) == 130


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a display")
@pytest.mark.parametrize("files", [(), ("a.onnx",)])
def test_a_window_without_a_display_is_refused_in_one_line(files: tuple[str, ...]) -> None:
    done = ortstudio(*files, environment=NO_HOME)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "no display" in done.err


def test_a_word_that_is_neither_verb_nor_file_is_a_wrong_command_line(tmp_path: Path) -> None:
    done = ortstudio("inspekt", "a.ort", "--json", cwd=tmp_path)
    assert (done.code, done.json["kind"]) == (2, "usage")
    assert "'inspekt'" in done.err
    assert "'inspect'" in done.err


@POSIX
def test_an_interrupt_while_python_ends_takes_no_exit_code() -> None:
    program = (
        "import os, signal, sys\n"
        "from ortstudio.__main__ import main\n"
        "class Late:\n"
        "    def __del__(self): os.kill(os.getpid(), signal.SIGINT)\n"
        "late = Late()\n"
        "sys.exit(main(['inspect', 'no-such-file']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


@pytest.mark.parametrize(
    "command",
    [
        ("tensor", "w", "--npy"),
        ("snippet", "--lang", "rust", "-o"),
        ("bench", "--csv"),
        ("profile", "--trace"),
        ("screenshot", "-o"),
    ],
    ids=" ".join,
)
def test_what_is_written_never_replaces_the_model(
    command: tuple[str, ...], corpus: Path, tmp_path: Path
) -> None:
    model = Path(shutil.copy(corpus / FILE, tmp_path))
    verb, *options = command
    done = ortstudio(verb, model, *options, model, "--overwrite")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{options[-1]} names a model" in done.err
    assert model.read_bytes() == (corpus / FILE).read_bytes()
