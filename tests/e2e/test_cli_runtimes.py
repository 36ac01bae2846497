"""`ortstudio runtimes`: listing, taking in, installing without an index, surveying and removing."""

from __future__ import annotations

import sys
from pathlib import Path

import onnxruntime
import pytest

from tests.builders.wheels import write_runtime_wheels
from tests.e2e.command import Done, ortstudio

RELEASE = "1.31.0"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str | None]:
    """Folders of the test's own, and nothing in them to be found."""
    folders = {name: str(tmp_path / name) for name in ("config", "data", "path")}
    (tmp_path / "path").mkdir()
    return {
        "XDG_CONFIG_HOME": folders["config"],
        "APPDATA": folders["config"],
        "XDG_DATA_HOME": folders["data"],
        "LOCALAPPDATA": folders["data"],
        "HOME": str(tmp_path),
        "PATH": folders["path"],
        "VIRTUAL_ENV": None,
        "PYENV_ROOT": None,
        "CONDA_PREFIX": None,
    }


def run(home: dict[str, str | None], *arguments: str | Path) -> Done:
    cwd = Path(str(home["HOME"]))
    return ortstudio("runtimes", *arguments, environment=home, cwd=cwd)


def names(done: Done) -> list[str]:
    assert done.code == 0, done.err
    assert done.json["schema"] == "ortstudio/runtimes@1"
    return [row["name"] for row in done.json["runtimes"]]


def test_our_own_is_listed_with_all_that_the_contract_names(
    home: dict[str, str | None],
) -> None:
    done = run(home, "--json")
    (row,) = done.json["runtimes"]
    assert row["name"] == row["kind"] == "own"
    assert row["onnxruntime"] == onnxruntime.__version__
    assert row["providers"] == onnxruntime.get_available_providers()
    assert row["where"] == sys.executable
    assert run(home, "list", "--json").json == done.json
    assert run(home).out.split() == ["own", onnxruntime.__version__, "own", sys.executable]


def test_a_release_is_installed_used_and_removed(
    home: dict[str, str | None], tmp_path: Path
) -> None:
    write_runtime_wheels(tmp_path / "wheels", RELEASE)
    wheels = ("--wheels", tmp_path / "wheels", "--python", sys.executable)
    assert names(run(home, "install", RELEASE, *wheels, "--json")) == [RELEASE]
    assert names(run(home, "--json")) == ["own", RELEASE]
    done = run(home, "remove", RELEASE)
    assert (done.code, done.out) == (0, f"{RELEASE} is no longer listed\n")
    assert names(run(home, "--json")) == ["own"]
    assert not any((tmp_path / "data" / "ortstudio" / "runtimes").iterdir())


def test_what_cannot_be_had_is_one_line_and_no(home: dict[str, str | None], tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    wheels = ("--wheels", tmp_path / "wheels", "--python", sys.executable)
    for arguments, code, words in (
        (("install", RELEASE, *wheels), 1, "There is no wheel of onnxruntime 1.31.0"),
        (("install", "newest"), 2, "'newest' is not a release"),
        (("install", "node:1.23.2"), 1, "There is no npm here"),
        (("add", "/nonexistent"), 3, "There is no Python interpreter here"),
        (("add", "ssh://-x"), 2, "This is not an address"),
        (("remove", "own"), 1, "ORT Studio itself"),
        (("remove", "1.2.3"), 2, "There is no runtime '1.2.3' at hand, but own"),
        (("survey", "1.2.3"), 2, "There is no runtime '1.2.3' at hand"),
        (("nothing",), 2, "invalid choice"),
    ):
        done = run(home, *arguments)
        assert (done.code, done.out) == (code, ""), arguments
        assert done.err.startswith("ortstudio: ")
        assert words in done.err
        assert done.err.count("\n") == 1


def test_a_survey_is_summed_up_and_kept(home: dict[str, str | None], tmp_path: Path) -> None:
    done = run(home, "survey", "own", "--json")
    assert done.code == 0
    found = done.json["survey"]
    assert found["writes"] == [6]
    assert found["reads"] == [1, 2, 3, 4, 5, 6]
    assert found["kernels"] > 1000
    assert Path(found["path"]).is_relative_to(tmp_path / "data")
    assert Path(found["path"]).exists()
    assert "writes        6\n" in run(home, "survey", "own").out


def test_verbs_that_run_models_refuse_a_runtime_that_is_not_at_hand(
    home: dict[str, str | None], tmp_path: Path, corpus: Path
) -> None:
    source, old = corpus / "sources" / "mlp.onnx", corpus / "v6_ort1.16.0_mlp_fixed_disable.ort"
    for arguments in (
        ("convert", source, "-o", tmp_path),
        ("export", old, "-o", tmp_path / "x.onnx"),
        ("edit", old, "-o", tmp_path / "x.ort", "--doc-string", "x"),
    ):
        done = ortstudio(*arguments, "--runtime", "1.2.3", environment=home)
        assert done.code == 2
        assert "There is no runtime '1.2.3' at hand, but own" in done.err
        assert list(tmp_path.glob("x.*")) == []


def test_the_release_that_was_used_stands_in_the_answer(tmp_path: Path, corpus: Path) -> None:
    source = corpus / "sources" / "mlp.onnx"
    done = ortstudio("convert", source, "-o", tmp_path, "--runtime", "own", "--json")
    used = {"name": "own", "onnxruntime": onnxruntime.__version__, "limits": []}
    assert done.json["runtime"] == used
