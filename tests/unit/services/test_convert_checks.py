"""What the plan says of a source's content: refusals, and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.errors import RefusedError, StudioError, UsageError
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.sessions import Level
from ortstudio.services.verify import Verification
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value, weight

PLAIN = ConvertSettings(write_config=False)


def planned(path: Path, settings: ConvertSettings = PLAIN) -> PlannedSource:
    (row,) = plan([path], settings).sources
    return row


def of(model: ModelProto, folder: Path, settings: ConvertSettings = PLAIN) -> PlannedSource:
    onnx.save(model, folder / "m.onnx")
    return planned(folder / "m.onnx", settings)


def refusal(row: PlannedSource) -> StudioError:
    assert row.refusal is not None
    assert row.opened
    return row.refusal


def notes(row: PlannedSource) -> dict[str, str]:
    assert row.refusal is None
    return {note.code: note.message for note in row.notes}


def bpe_like() -> ModelProto:
    node = helper.make_node("BpeLike", ["x"], ["y"], domain="my.ops", name="tokenize")
    return onnx_model([node], [value("x")], [value("y")], domains=["my.ops"])


def test_an_operator_that_nobody_registered_is_named_before_anything_runs(tmp_path: Path) -> None:
    error = refusal(of(bpe_like(), tmp_path))
    assert error.message == (
        "The operator BpeLike of domain my.ops (node 'tokenize') is not known: it needs a custom"
        " operator library"
    )
    assert "--custom-ops" in error.hint
    assert error.where.path == str(tmp_path / "m.onnx")


def test_several_are_named_together(tmp_path: Path) -> None:
    model = bpe_like()
    model.graph.node.append(helper.make_node("Other", ["y"], ["z"], domain="my.ops"))
    assert "; the same holds of Other of domain my.ops" in refusal(of(model, tmp_path)).message


@pytest.mark.parametrize(
    ("op_type", "domain", "words", "hint"),
    [
        ("Adam", "ai.onnx.preview.training", "is not in this build", "Training operators"),
        ("Gelu", "", "does not exist in the version", "Export the model"),
    ],
)
def test_what_a_library_would_not_bring_has_other_words(
    op_type: str, domain: str, words: str, hint: str, tmp_path: Path
) -> None:
    node = helper.make_node(op_type, ["x"], ["y"], domain=domain)
    model = onnx_model(
        [node], [value("x")], [value("y")], opset=17, domains=[domain] if domain else []
    )
    error = refusal(of(model, tmp_path))
    assert words in error.message
    assert hint in error.hint


@pytest.mark.parametrize("name", ["optional", "optional_io"])
def test_optional_types_are_refused(name: str, corpus: Path, tmp_path: Path) -> None:
    settings = replace(PLAIN, output_dir=str(tmp_path))
    error = refusal(planned(corpus / "sources" / f"{name}.onnx", settings))
    assert "'o': it is of an optional type, which the ORT format cannot hold" in error.message


def test_a_sparse_input_is_refused_and_a_sparse_initializer_is_not(
    corpus: Path, tmp_path: Path
) -> None:
    settings = replace(PLAIN, output_dir=str(tmp_path))
    assert planned(corpus / "sources" / "sparse.onnx", settings).refusal is None
    sparse = helper.make_value_info("a", helper.make_sparse_tensor_type_proto(FLOAT, [3, 2]))
    node = helper.make_node("SparseToDenseMatMul", ["a", "b"], ["y"], domain="com.microsoft")
    ends = value("b", FLOAT, [2, 2]), value("y", FLOAT, [3, 2])
    model = onnx_model([node], [sparse, ends[0]], ends[1:], domains=["com.microsoft"])
    assert "it is a sparse tensor" in refusal(of(model, tmp_path)).message


@pytest.mark.parametrize(
    ("name", "loading"),
    [
        ("int4", "releases 1.19 to 1.27"),
        ("int2", "releases 1.24 to 1.27"),
        ("float4", "releases 1.24 to 1.27"),
        ("float8e8m0", "release 1.27"),
    ],
)
def test_tensors_that_are_written_and_not_loaded_are_told(
    name: str, loading: str, corpus: Path, tmp_path: Path
) -> None:
    source = corpus / "sources" / f"{name}.onnx"
    settings = replace(PLAIN, output_dir=str(tmp_path))
    told = notes(planned(source, settings))["element-type-refused"]
    assert "If they stay, ONNX Runtime writes them and does not load them" in told
    error = refusal(planned(source, replace(settings, level=Level.DISABLE)))
    assert "1.28 and newer refuse the file" in error.message
    assert error.hint.endswith(f"for {loading}.")
    unverified = replace(settings, level=Level.DISABLE, verify=False)
    assert "element-type-refused" in notes(planned(source, unverified))


def test_a_size_that_no_input_has_cannot_be_fixed(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        of(identity(value("x", FLOAT, ["n", "m"])), tmp_path, replace(PLAIN, fixed_dims={"k": 1}))
    assert caught.value.message == "The model has no symbolic size named k"
    assert caught.value.hint == "There are: n, m."


def test_a_fixed_size_is_what_it_is_verified_with(tmp_path: Path) -> None:
    model = identity(value("x", FLOAT, ["n", "m"]))
    row = of(model, tmp_path, replace(PLAIN, fixed_dims={"n": 7}))
    assert isinstance(row.verification, Verification)
    attempts = [attempt.sizes["n"] for attempt in row.verification.inputs.attempts()]
    assert set(attempts) == {7}


@pytest.mark.parametrize(("dims", "contradicts"), [({"n": 7}, False), ({"n": 8}, True)])
def test_two_sizes_for_one_symbol_contradict_each_other(
    dims: Mapping[str, int], contradicts: bool, tmp_path: Path
) -> None:
    settings = replace(PLAIN, fixed_dims={"n": 7}, inputs=InputSettings(dims=dims))
    model = identity(value("x", FLOAT, ["n"]))
    if contradicts:
        with pytest.raises(UsageError, match="n cannot be 8: it is fixed to 7"):
            of(model, tmp_path, settings)
    else:
        assert of(model, tmp_path, settings).refusal is None


def test_an_update_of_the_operator_set_is_told(tmp_path: Path) -> None:
    row = of(identity(value("x")), tmp_path, replace(PLAIN, opset=17))
    assert row.opset == 17
    assert notes(row) == {"opset-update": "The source is brought to opset 17 first"}


def test_a_model_that_has_the_opset_stays_as_it_is(tmp_path: Path) -> None:
    row = of(identity(value("x")), tmp_path, replace(PLAIN, opset=21))
    assert (row.opset, notes(row)) == (None, {})


@pytest.mark.parametrize("opset", [0, 99])
def test_an_operator_set_that_does_not_exist_is_refused(opset: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only 1 to 28"):
        of(identity(value("x")), tmp_path, replace(PLAIN, opset=opset))


def test_a_model_without_an_operator_set_cannot_be_updated(tmp_path: Path) -> None:
    model = identity(value("x"))
    del model.opset_import[:]
    model.opset_import.add(domain="com.microsoft", version=1)
    error = refusal(of(model, tmp_path, replace(PLAIN, opset=17)))
    assert isinstance(error, RefusedError)


def test_a_model_of_no_trouble_has_no_notes(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = onnx_model([node], [value("x")], [value("y")], [weight("w", np.ones(2, np.float32))])
    assert notes(of(model, tmp_path)) == {}


def test_training_information_is_told_to_be_dropped(tmp_path: Path) -> None:
    model = identity(value("x"))
    model.training_info.add()
    assert "which conversion drops" in notes(of(model, tmp_path))["training-info"]


def test_complex_tensors_are_told_too(tmp_path: Path) -> None:
    node = helper.make_node("Identity", ["w"], ["y"])
    model = onnx_model(
        [node],
        [],
        [value("y", TensorProto.COMPLEX64)],
        [weight("w", np.ones(2, np.complex64))],
    )
    assert "1 tensor of complex64 ('w')" in notes(of(model, tmp_path))["element-type-refused"]
