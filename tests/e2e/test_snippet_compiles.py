"""The code of `snippet` for interfaces that do not run here, taken by their compilers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType, MapType, SequenceType, TensorType, ValueType
from ortstudio.services.document import open_document
from ortstudio.services.snippet import Loading, SnippetModel, language, snippet, snippet_model
from ortstudio.services.snippet.model import Port
from tests.builders import toolchains
from tests.builders.hostile_names import write_hostile_model
from tests.builders.knowledge import CORPUS

_FLOATS = TensorType(DataType.FLOAT, ("N", 3))
_TYPES: list[ValueType] = [
    *(TensorType(number, ("N", 2)) for number in DataType if number),
    *(TensorType(number, ()) for number in DataType if number),
    SequenceType(_FLOATS),
    SequenceType(TensorType(DataType.STRING, ("N",))),
    SequenceType(MapType(DataType.INT64, TensorType(DataType.FLOAT, ()))),
    MapType(DataType.STRING, TensorType(DataType.FLOAT, ())),
]

_ANDROID = {
    "Context": "import android.content.res.AssetManager; public abstract class Context {"
    " public abstract java.io.File getNoBackupFilesDir();"
    " public abstract AssetManager getAssets(); }",
    "res/AssetManager": "public abstract class AssetManager {"
    " public abstract java.io.InputStream open(String name) throws java.io.IOException; }",
}
"""As much of Android as the code calls."""


def every_type() -> SnippetModel:
    ports = [Port(f"value {i}", of) for i, of in enumerate(_TYPES)]
    return SnippetModel(
        path="model.ort",
        kind=FileKind.ORT,
        inputs=tuple(ports),
        outputs=tuple(replace(port, name=f"{port.name} out") for port in ports),
        sizes={"N": 1},
        custom_ops={"my.ops": ("BpeLike",)},
        saved_optimizations=1,
        replays=True,
    )


def compiled(command: list[str | Path]) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, check=False, timeout=250)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-3000:]


def cpp(model: SnippetModel, loading: Loading, folder: Path) -> None:
    source = folder / "run.cpp"
    source.write_text(snippet(model, "cpp", loading).code, "utf-8")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    include = f"-I{toolchains.headers()}"
    gxx = toolchains.program("g++")
    compiled([gxx, "-std=c++17", "-fsyntax-only", *warnings, include, source])


def java(model: SnippetModel, loading: Loading, folder: Path) -> None:
    source = folder / "RunModel.java"
    source.write_text(snippet(model, "java", loading).code, "utf-8")
    javac, classes = toolchains.program("javac"), toolchains.classes()
    compiled([javac, "-encoding", "utf-8", "-Xlint:all", "-Werror", "-cp", classes, source])


def kotlin(model: SnippetModel, loading: Loading, folder: Path) -> None:
    stubs = _android(folder)
    source = folder / "Model.kt"
    source.write_text(snippet(model, "kotlin", loading).code, "utf-8")
    path = f"{toolchains.classes()}:{stubs}"
    kotlinc = toolchains.kotlin_compiler()
    compiled(["bash", kotlinc, "-Werror", "-cp", path, "-d", folder / "made", source])


def _android(folder: Path) -> Path:
    sources = []
    for name, code in _ANDROID.items():
        source = folder / "android" / "content" / f"{name}.java"
        source.parent.mkdir(parents=True, exist_ok=True)
        package = "android.content" + (".res" if "/" in name else "")
        source.write_text(f"package {package}; {code}")
        sources.append(source)
    compiled([toolchains.program("javac"), "-d", folder / "stubs", *sources])
    return folder / "stubs"


Compile = Callable[[SnippetModel, Loading, Path], None]
FAST: list[Compile] = [cpp, java]
COMPILERS = [*FAST, pytest.param(kotlin, marks=pytest.mark.long)]


@pytest.mark.parametrize("compile_", COMPILERS)
def test_every_type_compiles_without_a_warning(compile_: Compile, tmp_path: Path) -> None:
    model = every_type()
    compile_(model, language(compile_.__name__).writer().offered(model)[0], tmp_path)


@pytest.mark.parametrize("compile_", COMPILERS)
def test_hostile_names_compile(compile_: Compile, tmp_path: Path) -> None:
    model = snippet_model(open_document(write_hostile_model(tmp_path)))
    compile_(model, language(compile_.__name__).writer().offered(model)[0], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("compile_", [cpp, java, kotlin])
def test_every_way_of_loading_compiles(compile_: Compile, tmp_path: Path) -> None:
    for name in ("v6_ort1.32.0_seqmap_fixed_disable.ort", "sources/meta.onnx"):
        model = snippet_model(open_document(CORPUS / name))
        for loading in language(compile_.__name__).writer().offered(model):
            compile_(model, loading, tmp_path)
