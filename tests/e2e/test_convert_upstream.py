"""What we write is what the converter in onnxruntime's wheel writes, but for its traps."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import onnxruntime

from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target
from tests.e2e.command import ortstudio
from tests.oracles.upstream_config import operators, types
from tests.oracles.upstream_converter import Job, Options, convert
from tests.oracles.upstream_equality import file_differences, unequal

SPREAD = (
    Options(Level.DISABLE, twin=True),
    Options(Level.BASIC, target=Target.ARM),
    Options(Level.EXTENDED, target=Target.AMD64, types=True),
    Options(Level.LAYOUT, target=Target.ARM, types=True, twin=True),
    Options(Level.ALL, types=True, twin=True),
)
BOTH = (Style.FIXED, Style.RUNTIME)


def test_a_spread_of_options_comes_to_the_same(tmp_path: Path, corpus: Path) -> None:
    models = [corpus / "sources" / f"{name}.onnx" for name in ("cnn", "control", "qdq_conv")]
    assert list(unequal(models, SPREAD, tmp_path)) == []


def test_a_folder_comes_to_the_same_from_either_command_line(tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "in" / "deeper"
    folder.mkdir(parents=True)
    for name in ("mlp", "meta"):
        shutil.copy(corpus / "sources" / f"{name}.onnx", folder)
    shutil.copy(corpus / "sources" / "consts.onnx", tmp_path / "in" / "old.optimized.onnx")
    theirs = [sys.executable, "-m", "onnxruntime.tools.convert_onnx_models_to_ort"]
    common = ("--enable_type_reduction", "--save_optimized_onnx_model")
    subprocess.run(
        [*theirs, str(tmp_path / "in"), "--output_dir", str(tmp_path / "upstream"), *common],
        check=True,
        capture_output=True,
    )
    options = ("--style", "both", "--type-reduction", "--optimized-onnx", "--no-verify")
    assert ortstudio("convert", tmp_path / "in", "-o", tmp_path / "ours", *options).code == 0
    a, b = (tmp_path / name for name in ("ours", "upstream"))
    names = sorted(path.relative_to(b) for path in b.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(a) for path in a.rglob("*") if path.is_file())
    assert len(names) == 2 * 2 * 2 + 2
    assert {str(name): file_differences(a / name, b / name) for name in names} == {
        str(name): [] for name in names
    }


def test_types_of_under_eight_bits_do_not_stop_the_config(tmp_path: Path, corpus: Path) -> None:
    source = corpus / "sources" / "int4.onnx"
    options = Options(styles=(Style.FIXED,), types=True)
    (said,) = convert([Job(source, options, tmp_path / "upstream")])
    assert said == "KeyError: 22"
    (row,) = run(plan([source], options.settings(tmp_path / "ours", verify=False))).results
    assert row.error is None
    config = tmp_path / "ours" / "int4.required_operators_and_types.config"
    assert operators(config) == {"ai.onnx": {14: {"Mul"}, 21: {"DequantizeLinear"}}}
    assert types(config, "ai.onnx:Mul") == {"inputs": {"0": ["float"]}}


def test_an_optimized_onnx_model_has_its_external_weights(tmp_path: Path, corpus: Path) -> None:
    source = corpus / "sources" / "extdata.onnx"
    options = Options(Level.DISABLE, styles=(Style.FIXED,), twin=True)
    assert convert([Job(source, options, tmp_path / "upstream")]) == [""]
    (row,) = run(plan([source], options.settings(tmp_path / "ours", verify=False))).results
    assert row.error is None
    name = "extdata.disable.optimized.onnx"
    theirs = onnx.load(tmp_path / "upstream" / name, load_external_data=False)
    assert any(tensor.external_data for tensor in theirs.graph.initializer)
    assert onnxruntime.InferenceSession(tmp_path / "ours" / name).get_inputs()


def test_nothing_is_made_beside_the_source(tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(corpus / "sources" / "qdq_conv.onnx", folder)
    before = folder.stat().st_mtime_ns
    settings = ConvertSettings(styles=BOTH, output_dir=str(tmp_path / "out"))
    assert run(plan([folder / "qdq_conv.onnx"], settings)).exit_code == 0
    assert folder.stat().st_mtime_ns == before


def test_what_replay_makes_is_told_where_upstreams_config_lacks_it(
    tmp_path: Path, corpus: Path
) -> None:
    settings = ConvertSettings(styles=(Style.RUNTIME,), output_dir=str(tmp_path), verify=False)
    assert run(plan([corpus / "sources" / "qdq_conv.onnx"], settings)).exit_code == 0
    text = (tmp_path / "qdq_conv.required_operators.with_runtime_opt.config").read_text()
    told = [line for line in text.splitlines() if line.startswith("#")]
    assert "# ai.onnx;10;QLinearConv" in told
    assert "\nai.onnx;10;QLinearConv" not in text
