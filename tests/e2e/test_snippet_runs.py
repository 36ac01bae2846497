"""The code of `snippet`, run as it stands: it prints what ONNX Runtime computes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from ortstudio.services.document import open_document
from ortstudio.services.snippet import Loading, SnippetModel, language, snippet, snippet_model
from ortstudio.services.snippet.javascript_code import unfed, unread
from ortstudio.services.snippet.javascript_web import url
from tests.builders import toolchains
from tests.builders.conversions import to_ort
from tests.builders.hostile_names import FILE_NAME, hostile_model, write_hostile_model
from tests.builders.knowledge import CORPUS
from tests.oracles.printed import Token, check_printed, expected

SOURCES = CORPUS / "sources"
SPREAD = (
    CORPUS / "v6_ort1.32.0_seqmap_fixed_disable.ort",
    CORPUS / "v6_ort1.32.0_types_fixed_disable.ort",
    SOURCES / "extdata.onnx",
)
FURTHER = (
    *(CORPUS / f"v6_ort1.32.0_{name}.ort" for name in (
        "cnn_nchwc_all", "cnn_runtime_all", "consts_fixed_disable", "control_fixed_disable",
        "deep_fixed_basic", "encoder_fixed_extended", "functions_fixed_basic",
        "holes_fixed_disable", "qdq_conv_runtime_all", "sparse_init_fixed_disable",
    )),
    CORPUS / "v6_ort1.28.0_int4_block_fixed_extended.ort",
    CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort",
    CORPUS / "v1_ort1.5.2_control_fixed_disable.ort",
    *(SOURCES / f"{name}.onnx" for name in (
        "bf16", "control", "float8", "functions", "int2", "int4", "modern", "optional_io",
        "seqmap", "types",
    )),
)  # fmt: skip


def described(path: Path) -> SnippetModel:
    return snippet_model(open_document(path))


def ran(
    command: list[str | Path], folder: Path, environment: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(
        list(map(str, command)), capture_output=True, cwd=folder, timeout=120, check=False,
        env=None if environment is None else dict(environment),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return done.stdout.decode("utf-8")


def python(model: SnippetModel, folder: Path, loading: Loading | None = None) -> None:
    check_printed(python_output(model, folder, loading), expected(model), ":")


def python_output(model: SnippetModel, folder: Path, loading: Loading | None = None) -> str:
    script = folder / "run.py"
    script.write_text(snippet(model, "python", loading).code, "utf-8")
    return ran([sys.executable, "-X", "utf8", script], folder)


def cpp(model: SnippetModel, folder: Path, loading: Loading | None = None) -> None:
    check_printed(cpp_output(model, folder, loading), expected(model), " [")


def cpp_output(model: SnippetModel, folder: Path, loading: Loading | None = None) -> str:
    compiler, headers = toolchains.program("g++"), toolchains.headers()
    library = toolchains.shared_library()
    # The program looks for the name that the library has in itself.
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        (folder / name).symlink_to(library)
    source = folder / "run.cpp"
    source.write_text(snippet(model, "cpp", loading).code, "utf-8")
    ran(
        [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{headers}", source,
         f"-L{folder}", "-lonnxruntime", f"-Wl,-rpath,{folder}", "-o", folder / "run"],
        folder,
    )  # fmt: skip
    return ran([folder / "run"], folder)


def javascript(model: SnippetModel, folder: Path, loading: Loading | None = None) -> None:
    _node(model, folder, snippet(model, "javascript", loading).code)


def javascript_web(model: SnippetModel, folder: Path, loading: Loading | None = None) -> None:
    if model.cpu_bound:
        pytest.skip("a browser does not have the operators of one kind of processor")
    # Under Node.js the package takes what would be fetched for a path.
    for name in (model.name, *model.external_data):
        fetched = folder / url(name)
        if not fetched.exists():
            shutil.copy(Path(model.path).parent / name, fetched)
    _node(model, folder, snippet(model, "javascript-web", loading).code)


def _node(model: SnippetModel, folder: Path, code: str) -> None:
    modules = toolchains.node_modules() / "node_modules"
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(modules)
    script = folder / "run.mjs"
    script.write_text(code, "utf-8")
    if unfed(model):
        pytest.skip("JavaScript has no value for an input")
    wanted = expected(model, halves_as_bits=True)
    for port in unread(model):
        del wanted[port.name]
    check_printed(ran([toolchains.program("node"), script], folder), wanted, " [")


Run = Callable[[SnippetModel, Path], None]
LANGUAGES = [python, cpp, javascript, javascript_web]


@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
@pytest.mark.parametrize("run", LANGUAGES)
def test_the_code_prints_what_the_runtime_computes(run: Run, path: Path, tmp_path: Path) -> None:
    run(described(path), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("path", FURTHER, ids=lambda path: f"{path.stem}{path.suffix}")
@pytest.mark.parametrize("run", LANGUAGES)
def test_the_code_runs_models_of_all_kinds(run: Run, path: Path, tmp_path: Path) -> None:
    run(described(path), tmp_path)


@pytest.mark.parametrize("run", LANGUAGES)
def test_hostile_names_and_a_name_without_extension_do_no_harm(run: Run, tmp_path: Path) -> None:
    model = described(write_hostile_model(tmp_path))
    assert model.explicit_format == ""
    run(model, tmp_path)


@pytest.mark.parametrize("run", LANGUAGES)
def test_an_ort_file_under_another_name_is_loaded_as_what_it_is(run: Run, tmp_path: Path) -> None:
    made = to_ort(hostile_model(), tmp_path / "made.ort")
    model = described(made.rename(tmp_path / FILE_NAME))
    assert model.explicit_format == "ORT"
    run(model, tmp_path)


@pytest.mark.parametrize("lang", ["python", "cpp", "javascript"])
def test_every_way_of_loading_that_is_offered_gives_the_same(lang: str, tmp_path: Path) -> None:
    model = described(CORPUS / "v6_ort1.32.0_cnn_nchwc_all.ort")
    run = {"python": python, "cpp": cpp, "javascript": javascript}[lang]
    for at, loading in enumerate(language(lang).writer().offered(model)):
        folder = tmp_path / str(at)
        folder.mkdir()
        run(model, folder, loading)


def bits_model(folder: Path) -> Path:
    """Inputs and outputs of types that numpy lacks, a number added where the runtime can."""
    kinds = {"half": TensorProto.FLOAT16, "brain": TensorProto.BFLOAT16,
             "eight": TensorProto.FLOAT8E4M3FN, "four": TensorProto.INT4}  # fmt: skip
    inputs = [helper.make_tensor_value_info(name, kind, [3]) for name, kind in kinds.items()]
    nodes = [
        helper.make_node("Add", ["half", "one"], ["half out"]),
        helper.make_node("Identity", ["brain"], ["brain out"]),
        helper.make_node("Identity", ["eight"], ["eight out"]),
        helper.make_node("DequantizeLinear", ["four", "scale", "zero"], ["four out"]),
    ]
    outputs = [
        helper.make_tensor_value_info("half out", TensorProto.FLOAT16, [3]),
        helper.make_tensor_value_info("brain out", TensorProto.BFLOAT16, [3]),
        helper.make_tensor_value_info("eight out", TensorProto.FLOAT8E4M3FN, [3]),
        helper.make_tensor_value_info("four out", TensorProto.FLOAT, [3]),
    ]
    held = [
        helper.make_tensor("one", TensorProto.FLOAT16, [3], [1.0, 2.0, 0.5]),
        helper.make_tensor("scale", TensorProto.FLOAT, [], [0.5]),
        helper.make_tensor("zero", TensorProto.INT4, [], [-3]),
    ]
    graph = helper.make_graph(nodes, "bits", inputs, outputs, held)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path = folder / "bits.onnx"
    path.write_bytes(made.SerializeToString())
    return path


@pytest.mark.parametrize("run", [python_output, cpp_output])
def test_types_that_numpy_lacks_go_in_and_out(
    run: Callable[[SnippetModel, Path], str], tmp_path: Path
) -> None:
    wanted: dict[str, list[Token]] = {
        "half out": [1.0, 2.0, 0.5],
        "brain out": [0.0] * 3,
        "eight out": [0.0] * 3,
        "four out": [1.5] * 3,
    }
    check_printed(run(described(bits_model(tmp_path)), tmp_path), wanted)
