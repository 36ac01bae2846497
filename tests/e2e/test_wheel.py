"""What is installed is whole: the wheel carries the resources, and the program in it finds them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

FIND_SAMPLE = """
import ortstudio
from ortstudio.services import resources
print(ortstudio.__file__, resources.find("samples/keyword_spotting.onnx"), sep="\\n")
"""


def run(*command: str | Path, cwd: Path, path: Path | None = None) -> str:
    env = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=checkout)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", f"--target={folder}"]
    run("-m", "pip", "install", *options, wheel, cwd=folder)
    return folder


def test_the_wheel_carries_every_resource_and_no_leavings(checkout: Path, wheel: Path) -> None:
    resources = checkout / "resources"
    wanted = {
        path.relative_to(resources).as_posix()
        for path in resources.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    prefix = "ortstudio/_resources/"
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == wanted


def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    version = wheel.name.split("-")[1]
    assert tops == {"ortstudio", f"ortstudio-{version}.dist-info"}


def test_the_wheel_carries_the_programs_of_the_child_processes(checkout: Path, wheel: Path) -> None:
    jobs = checkout / "ortstudio" / "jobs"
    wanted = {
        path.relative_to(checkout).as_posix()
        for folder in ("agent", "node_agent")
        for path in (jobs / folder).rglob("*")
        if path.suffix in (".py", ".js")
    }
    assert {"ortstudio/jobs/agent/__main__.py", "ortstudio/jobs/node_agent/main.js"} <= wanted
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())


def test_the_installed_program_reads_its_own_resources(installed: Path) -> None:
    package, sample = run("-c", FIND_SAMPLE, cwd=installed, path=installed).splitlines()
    assert Path(package) == installed / "ortstudio/__init__.py"
    assert Path(sample) == installed / "ortstudio/_resources/samples/keyword_spotting.onnx"


def test_the_installed_program_inspects_its_sample(installed: Path) -> None:
    sample = installed / "ortstudio/_resources/samples/keyword_spotting.onnx"
    answer = run("-m", "ortstudio", "inspect", sample, "--json", cwd=installed, path=installed)
    assert json.loads(answer)["graphs"][0]["name"] == "keyword_spotting"
