"""What `docs/fan-out.md` shows is what works: its commands are run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_cli_convert import small
from tests.e2e.test_cli_folders import files, unregistered

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a shell")

STUB = """
def remote(**_options):
    def decorated(function):
        function.remote = function
        return function
    return decorated

def get(answers):
    return answers
"""


@pytest.fixture(scope="module")
def shown(checkout: Path) -> dict[str, str]:
    """The commands of the page, by the heading that they stand under."""
    text = (checkout / "docs" / "fan-out.md").read_text("utf-8")
    pattern = r"(?ms)^#+ ([^\n]+)\n(?:(?!^#).)*?^```\w+\n(.*?)^```"
    return dict(re.findall(pattern, text))


@pytest.fixture
def place(tmp_path: Path, checkout: Path) -> Path:
    """A folder of models in a folder, and the program on the path of `bin`."""
    (tmp_path / "models" / "sub").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    small(tmp_path / "models" / "a.onnx", "Relu")
    small(tmp_path / "models" / "sub" / "with space.onnx", "Exp")
    shutil.copy(tmp_path / "models" / "a.onnx", tmp_path / "models" / "a.optimized.onnx")
    program = tmp_path / "bin" / "ortstudio"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{checkout}" exec "{sys.executable}" -m ortstudio "$@"\n'
    )
    program.chmod(0o755)
    return tmp_path


def run(command: list[str], place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=place,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def shell(script: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(["sh", "-c", script], place, **environment)


def check(place: Path, shown: dict[str, str], *, answers: int = 2) -> None:
    """All is there, every answer is one object, and the last command sums up."""
    assert files(place / "out") == ["a.ort", "sub/with space.ort"]
    found = [json.loads(path.read_text()) for path in (place / "answers").iterdir()]
    assert [answer["schema"] for answer in found] == ["ortstudio/convert@1"] * answers
    assert shell(shown["In the end"], place).returncode == 0
    config = (place / "out" / "required_operators.config").read_text()
    assert "Exp" in config
    assert "Relu" in config


@pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not installed")
def test_gnu_parallel(shown: dict[str, str], place: Path) -> None:
    unregistered(place / "models" / "m.onnx")
    assert shell(shown["More than one"], place).returncode == 0
    done = shell(shown["GNU parallel"], place, HOME=str(place))
    assert done.returncode == 1, done.stderr
    check(place, shown, answers=3)


def test_slurm(shown: dict[str, str], place: Path) -> None:
    assert shell(shown["More than one"], place).returncode == 0
    for task in ("1", "2"):
        done = shell(shown["Slurm"], place, SLURM_ARRAY_TASK_ID=task)
        assert done.returncode == 0, done.stderr
    check(place, shown)


def test_ray(shown: dict[str, str], place: Path) -> None:
    """Ray itself is too much for a test: a stand-in calls what it would send to another machine."""
    assert shell(shown["More than one"], place).returncode == 0
    (place / "ray.py").write_text(STUB)
    (place / "convert.py").write_text(shown["Ray"])
    done = run([sys.executable, "convert.py"], place)
    assert (done.returncode, done.stdout) == (0, "2 of 2 converted\n"), done.stderr
    check(place, shown, answers=0)
