"""What accelerators would take, asked of the checker that ONNX Runtime brings."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from ortstudio.analysis.accelerators import Accelerator, Cause
from ortstudio.analysis.nodes import NodeRef
from ortstudio.errors import StudioError
from ortstudio.services.accelerators import Accelerators, look
from ortstudio.services.document import open_document
from ortstudio.services.trials import trials
from tests.builders.knowledge import CORPUS
from tests.builders.small_graphs import FLOAT, IMAGE, floats, model

SOURCES = CORPUS / "sources"


def looked(path: Path) -> Accelerators:
    with trials(open_document(path)) as tried:
        return look(tried)


def test_free_sizes_keep_nodes_from_nnapi_and_fixing_them_brings_them() -> None:
    found = looked(SOURCES / "cnn.onnx")
    outlook = found.outlook(Accelerator.NNAPI)
    assert found.free.symbols == ("N",)
    assert outlook.as_is.taken == 0
    assert {row.cause for row in outlook.as_is.not_taken} == {Cause.DYNAMIC}
    assert outlook.if_fixed is not None
    assert outlook.if_fixed.not_taken == ()
    assert "the checker of onnxruntime" in outlook.as_is.basis


def test_nodes_lead_back_to_those_of_the_source() -> None:
    """The Conv and the BatchNormalization are one node at level basic."""
    found = looked(SOURCES / "cnn.onnx")
    first = found.outlook(Accelerator.NNAPI).as_is.not_taken[0]
    assert found.in_file(first.node) == (NodeRef("/", 0), NodeRef("/", 1))


def test_the_checker_knows_what_each_of_the_accelerators_lacks() -> None:
    found = looked(SOURCES / "qdq.onnx")
    assert found.outlook(Accelerator.NNAPI).as_is.not_taken == ()
    left = {row.why for row in found.outlook(Accelerator.COREML_ML_PROGRAM).as_is.not_taken}
    assert left == {
        "CoreML MLProgram has no QuantizeLinear",
        "CoreML MLProgram has no DequantizeLinear",
    }


def test_an_ort_file_is_looked_at_as_it_is() -> None:
    found = looked(CORPUS / "v6_ort1.32.0_cnn_nchwc_all.ort")
    left = found.outlook(Accelerator.NNAPI).best.not_taken
    assert "com.microsoft.nchwc.Conv" in {row.op for row in left}
    assert all(found.in_file(row.node) == (row.node,) for row in left)


def test_a_constant_that_is_left_out_is_no_free_size(tmp_path: Path) -> None:
    source = model(
        [("Clip", "x _ most", "y")],
        outputs={"y": (FLOAT, [1, 16, 8, 8])},
        arrays={"most": floats()},
    )
    onnx.save(source, tmp_path / "m.onnx")
    assert looked(tmp_path / "m.onnx").outlook(Accelerator.NNAPI).as_is.not_taken == ()


def test_a_node_that_makes_nothing_for_others_is_judged_by_its_shapes(tmp_path: Path) -> None:
    """No value between nodes is left: the checker would take that for missing shapes."""
    out = {"y": (FLOAT, [1, 16, 8, 8]), "z": (FLOAT, [1, 16, 8, 8])}
    onnx.save(model([("Relu", "x", "y"), ("Exp", "x", "z")], IMAGE, out), tmp_path / "m.onnx")
    assert looked(tmp_path / "m.onnx").outlook(Accelerator.NNAPI).as_is.taken == 2


def test_coreml_takes_no_more_than_five_dimensions(tmp_path: Path) -> None:
    shape = [1, 1, 1, 2, 2, 2]
    source = model([("Relu", "x", "y")], {"x": (FLOAT, shape)}, {"y": (FLOAT, shape)})
    onnx.save(source, tmp_path / "m.onnx")
    found = looked(tmp_path / "m.onnx")
    (left,) = found.outlook(Accelerator.COREML_NEURAL_NETWORK).as_is.not_taken
    assert left.cause is Cause.RANK
    assert "6 dimensions" in left.why
    assert found.outlook(Accelerator.NNAPI).as_is.not_taken == ()


def test_types_that_the_checker_overlooks_are_reasons_too() -> None:
    found = looked(SOURCES / "bf16.onnx").outlook(Accelerator.NNAPI).as_is
    assert {row.why for row in found.not_taken} == {
        "It computes on bfloat16, which NNAPI does not have"
    }
    assert found.taken == 1


def test_subgraphs_and_sparse_constants_are_no_trouble() -> None:
    control = looked(SOURCES / "control.onnx").outlook(Accelerator.NNAPI).as_is
    assert control.taken == 0
    assert sum(row.cause is Cause.NESTED for row in control.not_taken) == 10
    assert looked(SOURCES / "sparse.onnx").outlook(Accelerator.NNAPI).best.not_taken == ()


def test_a_model_that_does_not_convert_says_why() -> None:
    with pytest.raises(StudioError, match="optional type"):
        looked(SOURCES / "optional.onnx")
