"""Source and result on the same inputs, before a conversion publishes anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ortstudio.errors import RefusedError
from ortstudio.services.conversion import ConvertedModel
from ortstudio.services.inputs import InputSettings
from ortstudio.services.sessions import Level, Style
from ortstudio.services.verify_words import DisagreementError, circumstances
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value, weight
from tests.e2e.converting import POSIX, equal_defaults, listing, one, plain, save, small_model


@POSIX
def test_a_source_that_crashes_the_runtime_when_run_is_converted_unverified(
    tmp_path: Path,
) -> None:
    row = one(save(tmp_path / "crash_run.onnx"))
    assert row.ok
    assert row.verified is None
    assert row.verify_skipped == "While it ran the source, the child process crashed (SIGSEGV)"


def test_a_result_that_computes_something_else_is_not_published(tmp_path: Path) -> None:
    source = save(tmp_path / "other.onnx")
    other = small_model()
    other.graph.initializer[0].CopyFrom(weight("w", np.full((3, 2), 1.01, np.float32)))
    save(tmp_path / "other.source", other)
    row = one(source)
    assert isinstance(row.error, DisagreementError)
    assert "y differs" in row.error.message
    assert row.verified is not None
    assert not row.verified.agrees
    assert row.verified.max_rel == pytest.approx(0.01, rel=0.01)
    assert row.to_json()["verified"] is not None
    assert listing(tmp_path) == ["other.onnx", "other.source"]


@pytest.mark.parametrize("verify", [True, False])
def test_a_file_that_the_runtime_writes_and_cannot_load_is_published_only_unverified(
    tmp_path: Path, corpus: Path, verify: bool
) -> None:
    shutil.copy(corpus / "sources" / "int4.onnx", tmp_path)
    settings = plain(level=Level.DISABLE, verify=verify)
    row = one(tmp_path / "int4.onnx", settings)
    if verify:
        assert isinstance(row.error, RefusedError)
        assert "1.28 and newer refuse the file" in row.error.message
    else:
        assert row.verify_skipped == "Verification was switched off"
    assert (tmp_path / "int4.disable.ort").exists() is not verify


def test_a_model_that_draws_random_numbers_is_not_called_wrong(tmp_path: Path) -> None:
    """What is drawn depends on the position of the node, which the other model changes."""
    draw, add = (
        helper.make_node("RandomNormalLike", ["x"], ["r"]),
        helper.make_node("Add", ["x", "r"], ["y"]),
    )
    source = save(tmp_path / "other.onnx", onnx_model([draw, add], [value("x")], [value("y")]))
    before = [helper.make_node("Neg", ["x"], ["n"]), helper.make_node("Neg", ["n"], ["m"])]
    moved = onnx_model([*before, draw, add], [value("x")], [value("y")])
    save(tmp_path / "other.source", moved)
    row = one(source, plain(level=Level.DISABLE))
    assert row.ok
    assert row.verified is None
    assert row.verify_skipped == "The source draws random numbers: its outputs differ at every run"


def test_a_source_that_accepts_nothing_is_converted_unverified(tmp_path: Path) -> None:
    shape = onnx.helper.make_tensor("s", TensorProto.INT64, [2], [5, 7])
    node = helper.make_node("Reshape", ["x", "s"], ["y"])
    model = onnx_model([node], [value("x", FLOAT, ["n"])], [value("y", FLOAT, None)], [shape])
    row = one(save(tmp_path / "m.onnx", model))
    assert row.ok
    assert "accepts none of the generated inputs" in str(row.verify_skipped)
    settings = plain(overwrite=True, inputs=InputSettings(dims={"n": 35}))
    row = one(tmp_path / "m.onnx", settings)
    assert row.verified is not None
    assert (row.verified.agrees, dict(row.verified.sizes)) == (True, {"n": 35})


def test_sizes_grow_until_the_source_accepts_them(tmp_path: Path) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"])
    model = onnx_model(
        [node],
        [value("x", FLOAT, [1, 1, "h", "w_"])],
        [value("y", FLOAT, None)],
        [weight("w", np.ones((1, 1, 9, 9), np.float32))],
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert dict(row.verified.sizes) == {"h": 64, "w_": 64}


def test_integers_shrink_after_an_index_error(tmp_path: Path) -> None:
    node = helper.make_node("Gather", ["w", "i"], ["y"])
    model = onnx_model(
        [node],
        [value("i", TensorProto.INT64, [100])],
        [value("y", FLOAT, [100])],
        [weight("w", np.ones(2, np.float32))],
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert row.verified.inputs["i"]["values"] == "random within 0 and 1"


def test_passing_values_through_keeps_every_type(tmp_path: Path) -> None:
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["n"]))
    model = identity(
        helper.make_value_info("s", sequence),
        value("t", TensorProto.STRING, ["n"]),
        value("h", TensorProto.FLOAT16, [2]),
        value("b", TensorProto.BOOL, [2]),
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert [output.equal for output in row.verified.outputs] == [True] * 4


def test_a_result_that_lost_a_default_value_is_given_it(tmp_path: Path) -> None:
    row = one(
        save(tmp_path / "m.onnx", equal_defaults()), plain(styles=(Style.FIXED, Style.RUNTIME))
    )
    assert row.error is None
    assert row.verified is not None
    assert row.verified.inputs["first"] == {
        "type": "tensor(int64)[2]",
        "values": "the source's default value",
    }
    assert circumstances(row.verified) == "seed 0, n = 1"
    assert isinstance(row, ConvertedModel)
    (note,) = row.notes
    assert (note.severity, note.code) == ("warning", "default-value-lost")
    assert "1 input that the source has a default value for (first)" in note.message
