"""Each choice of a conversion does what it says, through real children."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.errors import FormatError, JobError, RefusedError
from ortstudio.model.model import Model
from ortstudio.services.conversion import Converted
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.reading import read_model
from ortstudio.services.runtime_words import RuntimeRefusedError
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.stamp import Stamp
from tests.builders.native_libraries import CRASHES, RETURNS_NOTHING, TWICE, built
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.builders.toolchains import headers

PLAIN = ConvertSettings(write_config=False)
BOTH = (Style.FIXED, Style.RUNTIME)
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="crashes are named by their signals")


def one(source: Path, settings: ConvertSettings) -> Converted:
    """Convert into the folder `out` beside the source."""
    chosen = replace(settings, output_dir=str(source.parent / "out"), overwrite=True)
    (row,) = run(plan([source], chosen)).results
    return row


def result(source: Path, settings: ConvertSettings) -> Model:
    """The one model that comes of it, verified."""
    row = one(source, settings)
    assert row.error is None
    assert row.verified is not None
    return read_model(row.outputs[0].path)


def saved(model: ModelProto, folder: Path) -> Path:
    onnx.save(model, folder / "m.onnx")
    return folder / "m.onnx"


@pytest.fixture
def quantized(tmp_path: Path, corpus: Path) -> Path:
    """Convolutions between quantizers."""
    shutil.copy(corpus / "sources" / "qdq_conv.onnx", tmp_path / "q.onnx")
    return tmp_path / "q.onnx"


def test_two_styles_with_all_that_goes_along_are_six_files(quantized: Path) -> None:
    row = one(quantized, ConvertSettings(styles=BOTH, optimized_onnx=True))
    assert row.error is None
    assert [(output.path.name, output.role) for output in row.outputs] == [
        ("q.ort", "fixed"),
        ("q.optimized.onnx", "optimized-onnx"),
        ("q.required_operators.config", "config"),
        ("q.with_runtime_opt.ort", "runtime"),
        ("q.with_runtime_opt.optimized.onnx", "optimized-onnx"),
        ("q.required_operators.with_runtime_opt.config", "config"),
    ]
    assert sorted(output.path for output in row.outputs) == sorted(
        (quantized.parent / "out").iterdir()
    )
    assert all(output.path.stat().st_size == output.size_bytes for output in row.outputs)
    outputs = row.to_json()["outputs"]
    assert isinstance(outputs, list)
    assert len({output["purpose"] for output in outputs}) == 6


def test_the_runtime_models_optimized_onnx_shows_what_the_model_only_records(
    quantized: Path,
) -> None:
    row = one(quantized, ConvertSettings(styles=(Style.RUNTIME,), optimized_onnx=True))
    saved_model, optimized = (read_model(output.path) for output in row.outputs[:2])
    assert "QLinearConv" in {op.rpartition(".")[2] for op in optimized.main.nodes.ops}
    assert "Conv" in saved_model.main.nodes.ops
    assert saved_model.ort is not None
    assert saved_model.ort.graphs[0].runtime_optimizations
    config = row.outputs[2].path.read_text()
    assert ";11;Conv" in config
    assert "com.microsoft;1;" in config
    assert "QLinearConv" in config


def test_a_record_that_keeps_the_model_from_loading_is_told(tmp_path: Path, corpus: Path) -> None:
    shutil.copy(corpus / "sources" / "qdq.onnx", tmp_path)
    fixed = one(tmp_path / "qdq.onnx", PLAIN)
    assert fixed.to_json()["notes"] == []
    notes = one(tmp_path / "qdq.onnx", replace(PLAIN, styles=(Style.RUNTIME,))).to_json()["notes"]
    assert isinstance(notes, list)
    assert [note["severity"] for note in notes] == ["warning"]
    assert "not at all in releases up to 1.29" in notes[0]["message"]


def squeeze() -> ModelProto:
    """Squeeze takes its axes as an attribute up to opset 12."""
    node = helper.make_node("Squeeze", ["x"], ["y"], axes=[1])
    ends = value("x", FLOAT, ["n", 1, 3]), value("y", FLOAT, ["n", 3])
    return onnx_model([node], ends[:1], ends[1:], opset=11)


def test_the_operator_set_is_updated_first(tmp_path: Path) -> None:
    source = saved(squeeze(), tmp_path)
    before = source.read_bytes()
    model = result(source, replace(PLAIN, opset=17, level=Level.DISABLE))
    assert {row.version for row in model.opset_imports if row.domain == ""} == {17}
    assert 13 in model.main.nodes.since_versions.tolist()
    assert source.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "out"]


def test_local_functions_are_inlined_before_that(tmp_path: Path, corpus: Path) -> None:
    shutil.copy(corpus / "sources" / "functions.onnx", tmp_path)
    row = one(tmp_path / "functions.onnx", replace(PLAIN, opset=21))
    assert row.error is None
    assert row.verified is not None
    notes = row.to_json()["notes"]
    assert isinstance(notes, list)
    assert "local functions are inlined" in notes[0]["message"]


def test_external_weights_come_along(tmp_path: Path, corpus: Path) -> None:
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(corpus / "sources" / name, tmp_path)
    assert result(tmp_path / "extdata.onnx", replace(PLAIN, opset=17)).error is None


def test_what_cannot_be_updated_is_refused_with_the_converters_words(
    tmp_path: Path, corpus: Path
) -> None:
    shutil.copy(corpus / "sources" / "modern.onnx", tmp_path)
    error = one(tmp_path / "modern.onnx", replace(PLAIN, opset=13)).error
    assert isinstance(error, RuntimeRefusedError)
    assert error.message == (
        "The model cannot be brought to opset 13: No Previous Version of Gelu exists"
    )
    assert "Assertion" in error.details
    assert error.where.path == str(tmp_path / "modern.onnx")
    assert list((tmp_path / "out").glob("*")) == []


@pytest.mark.parametrize(
    ("level", "style"), [(Level.DISABLE, Style.RUNTIME), (Level.ALL, Style.FIXED)]
)
def test_a_fixed_size_stands_in_the_result(level: Level, style: Style, quantized: Path) -> None:
    settings = replace(PLAIN, level=level, styles=(style,), fixed_dims={"N": 3})
    row = one(quantized, settings)
    assert row.verified is not None
    assert dict(row.verified.sizes) == {"N": 3}
    graph = read_model(row.outputs[0].path).main
    types = [str(graph.values.types[i]) for i in graph.inputs.tolist()]
    assert types == ["tensor(float)[3,3,12,12]"]


def test_a_size_that_was_not_fixed_is_noticed(quantized: Path) -> None:
    settings = replace(
        PLAIN, fixed_dims={"N": 3}, disabled_optimizers=("FreeDimensionOverrideTransformer",)
    )
    error = one(quantized, settings).error
    assert isinstance(error, FormatError)
    assert error.message == "ONNX Runtime left the size N open"
    assert list((quantized.parent / "out").glob("*")) == []


def conv_relu() -> ModelProto:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Identity", ["r"], ["i"]),
        helper.make_node("Abs", ["i"], ["y"]),
    ]
    ends = value("x", FLOAT, [1, 1, 5, 5]), value("y", FLOAT, [1, 1, 3, 3])
    return onnx_model(nodes, ends[:1], ends[1:], [weight("w", np.ones((1, 1, 3, 3), np.float32))])


@pytest.mark.parametrize(
    ("disabled", "ops"),
    [
        ((), ["com.microsoft.FusedConv", "Abs"]),
        (("ConvActivationFusion",), ["Conv", "Relu", "Abs"]),
        (("EliminateIdentity",), ["com.microsoft.FusedConv", "Identity", "Abs"]),
    ],
)
def test_an_optimizer_is_left_out_by_its_name(
    disabled: tuple[str, ...], ops: list[str], tmp_path: Path
) -> None:
    model = result(saved(conv_relu(), tmp_path), replace(PLAIN, disabled_optimizers=disabled))
    assert sorted(model.main.nodes.ops) == sorted(ops)


def test_a_provider_at_hand_may_be_chosen(tmp_path: Path) -> None:
    settings = replace(PLAIN, providers=("cpu",))
    assert result(saved(conv_relu(), tmp_path), settings).error is None


def test_a_reproducible_result_has_the_same_bytes_every_time(quantized: Path) -> None:
    settings = replace(PLAIN, styles=BOTH, reproducible=True)
    first, second = (
        [output.path.read_bytes() for output in one(quantized, settings).outputs] for _ in range(2)
    )
    assert first == second
    assert len(first) == 2


def test_a_stamp_says_how_the_result_was_made(tmp_path: Path, corpus: Path) -> None:
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(corpus / "sources" / name, tmp_path)
    settings = replace(PLAIN, level=Level.BASIC, target=Target.ARM)
    assert Stamp.read(result(tmp_path / "extdata.onnx", settings).metadata) is None
    model = result(tmp_path / "extdata.onnx", replace(settings, stamp=True))
    assert Stamp.read(model.metadata) == Stamp(
        source_sha256=sha256((tmp_path / "extdata.onnx").read_bytes()).hexdigest(),
        onnxruntime=onnxruntime.__version__,
        level="basic",
        style="fixed",
        target="arm",
        external_data_sha256=sha256((tmp_path / "extdata.bin").read_bytes()).hexdigest(),
    )


@pytest.mark.parametrize(("depth", "loads"), [(18, True), (19, False)])
def test_what_the_runtime_writes_and_does_not_load_is_not_published(
    depth: int, loads: bool, tmp_path: Path
) -> None:
    source = saved(nested(depth), tmp_path)
    error = one(source, replace(PLAIN, level=Level.DISABLE, verify=False)).error
    if loads:
        assert error is None
    else:
        assert isinstance(error, RefusedError)
        assert "Graphs are nested 19 deep" in error.message
    assert (tmp_path / "out" / "m.disable.ort").exists() is loads


def nested(depth: int) -> ModelProto:
    """If in If in If, as deep."""
    result = value("y")
    branch = flat = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "b", [], [result])
    for _ in range(depth):
        node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=flat)
        branch = helper.make_graph([node], "b", [], [result])
    model = onnx_model([], [value("c", TensorProto.BOOL, []), value("x")], [result])
    model.graph.node.extend(branch.node)
    return model


@pytest.mark.parametrize(
    ("target", "level", "signed"),
    [
        (None, Level.ALL, False),
        (Target.AMD64, Level.ALL, False),
        (Target.ARM, Level.ALL, True),
        (None, Level.BASIC, True),
    ],
)
def test_the_target_decides_whether_signed_activations_stay_signed(
    target: Target | None, level: Level, signed: bool, tmp_path: Path
) -> None:
    """And the result agrees with the source, and the config lists the type that is there."""
    row = one(
        saved(signed_convolution(), tmp_path),
        ConvertSettings(level=level, target=target, type_reduction=True),
    )
    assert row.error is None
    assert row.verified is not None
    graph = read_model(row.outputs[0].path).main
    quantizer = graph.nodes.ops.index("QuantizeLinear")
    zero = graph.value_names(graph.nodes.inputs.row(quantizer).tolist())[2]
    kind = graph.initializers[graph.initializers.names.index(zero)].data_type
    assert kind == (TensorProto.INT8 if signed else TensorProto.UINT8)
    config = row.outputs[1].path.read_text()
    assert (
        f'QuantizeLinear{{"outputs": {{"0": ["{"int8_t" if signed else "uint8_t"}"]}}}}' in config
    )


def signed_convolution() -> ModelProto:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "x_scale", "x_zero"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "x_scale", "x_zero"], ["xd"]),
        helper.make_node("DequantizeLinear", ["wq", "w_scale", "w_zero"], ["wd"]),
        helper.make_node("Conv", ["xd", "wd"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "y_scale", "y_zero"], ["yq"]),
        helper.make_node("DequantizeLinear", ["yq", "y_scale", "y_zero"], ["y"]),
    ]
    random = np.random.default_rng(0)
    constants = [
        weight(f"{name}_{what}", np.array(number, dtype))
        for name in "xwy"
        for what, number, dtype in (("scale", 0.05, np.float32), ("zero", 0, np.int8))
    ]
    constants.append(weight("wq", random.integers(-100, 100, (8, 3, 3, 3)).astype(np.int8)))
    ends = value("x", FLOAT, [1, 3, 8, 8]), value("y", FLOAT, [1, 8, 6, 6])
    return onnx_model(nodes, ends[:1], ends[1:], constants, opset=17)


def bpe_like() -> ModelProto:
    node = helper.make_node("BpeLike", ["x"], ["y"], domain="my.ops", name="tokenize")
    return onnx_model([node], [value("x")], [value("y")], domains=["my.ops"])


def test_a_model_with_custom_operators_is_converted_and_verified(tmp_path: Path) -> None:
    """In both styles, with sizes fixed too; the operator stands in the config."""
    library = built(TWICE, tmp_path, f"-I{headers()}")
    nodes = [
        helper.make_node("Twice", ["x"], ["t"], domain="my.ops"),
        helper.make_node("Sqrt", ["t"], ["y"]),
    ]
    ends = value("x", FLOAT, ["n", 3]), value("y", FLOAT, ["n", 3])
    source = saved(onnx_model(nodes, ends[:1], ends[1:], domains=["my.ops"]), tmp_path)
    settings = ConvertSettings(custom_ops=str(library), styles=BOTH, fixed_dims={"n": 2})
    row = one(source, settings)
    assert row.error is None
    assert row.verified is not None
    assert row.verified.outputs[0].equal
    assert row.verified.outputs[0].nan_both > 0
    assert "my.ops;1;Twice\n" in row.outputs[1].path.read_text()


def test_a_library_that_does_not_bring_the_operator_is_found_out(tmp_path: Path) -> None:
    library = built(RETURNS_NOTHING, tmp_path)
    row = one(saved(bpe_like(), tmp_path), replace(PLAIN, custom_ops=str(library)))
    assert isinstance(row.error, RuntimeRefusedError)
    assert "BpeLike of domain my.ops is not known" in row.error.message
    notes = row.to_json()["notes"]
    assert isinstance(notes, list)
    assert f"Looked for in {library}: BpeLike" in notes[0]["message"]


@POSIX
def test_a_library_that_crashes_takes_only_the_child_with_it(tmp_path: Path) -> None:
    library = built(CRASHES, tmp_path)
    error = one(saved(conv_relu(), tmp_path), replace(PLAIN, custom_ops=str(library))).error
    assert isinstance(error, JobError)
    assert error.message == "The conversion failed: the child process crashed (SIGABRT)"
    assert error.hint == f"The likely cause is the custom operator library {library}."


@POSIX
def test_a_library_that_the_system_cannot_load_is_told_with_its_words(tmp_path: Path) -> None:
    code = "void missing(void); void *RegisterCustomOps(void) { missing(); return 0; }"
    library = built(code, tmp_path)
    error = one(saved(conv_relu(), tmp_path), replace(PLAIN, custom_ops=str(library))).error
    assert isinstance(error, RuntimeRefusedError)
    assert "is not a shared library that this system can load" in error.message
    assert "undefined symbol" in error.details or "symbol not found" in error.details


def test_the_other_inputs_of_a_model_with_fixed_sizes_may_be_given(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=np.ones((2, 1, 3), np.float32))
    settings = replace(
        PLAIN, fixed_dims={"n": 2}, inputs=InputSettings(file=str(tmp_path / "in.npz"))
    )
    row = one(saved(squeeze(), tmp_path), settings)
    assert row.verified is not None
    assert "from" in str(row.verified.inputs["x"]["values"])
