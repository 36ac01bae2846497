"""What replaying saved optimizations asks of a build."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ortstudio.analysis.replay_products import Product, products
from ortstudio.analysis.required_types import Types
from ortstudio.model.model import NO_NODE, OptimizationRecord
from ortstudio.model.types import DataType, TensorType
from tests.builders.corpus import corpus_model
from tests.builders.models import Node, graph, ort, ort_graph, record

UINT8 = Types({0: frozenset({"uint8_t"})})
BYTES = TensorType(DataType.UINT8, None)


def quantized(target: str, *records: OptimizationRecord) -> list[Product]:
    """What records make of DequantizeLinear (0), a target (1) and QuantizeLinear (2)."""
    nodes = [
        Node("DequantizeLinear", ["x", "s"], ["a"], since=13),
        Node(target, ["a"], ["b"], since=13),
        Node("QuantizeLinear", ["b", "s"], ["y"], since=13),
    ]
    made = graph(nodes, inputs=["x", "s"], outputs=["y"], types={"x": BYTES, "y": BYTES})
    return list(products(ort(made, others=[ort_graph(made, nodes, records)])))


def told(found: Sequence[Product]) -> list[tuple[str, Types | None, int]]:
    return [(one.operator.op_id, one.types, one.target.index) for one in found]


def test_a_made_operator_has_the_types_that_are_dequantized_for_it() -> None:
    made = record("Conv", [0, 1, 2], [":QLinearConv:10"])
    assert told(quantized("Conv", made)) == [(":QLinearConv:10", UINT8, 1)]


def test_a_made_operator_whose_types_no_build_drops_has_none() -> None:
    made = record("1DQ", [0, 1, 2], ["com.microsoft:QLinearSigmoid:1"])
    assert told(quantized("Sigmoid", made)) == [("com.microsoft:QLinearSigmoid:1", None, 1)]


def test_an_operator_that_goes_on_with_quantized_data_takes_its_type() -> None:
    assert told(quantized("Transpose", record("drop", [0, 1, 2]))) == [(":Transpose:13", UINT8, 1)]
    assert told(quantized("Split", record("dropSplitQDQ", [0, 1, 2]))) == [(":Split:13", UINT8, 1)]


@pytest.mark.parametrize(
    ("ends", "op", "types"),
    [(2, ":QLinearMatMul:10", UINT8), (NO_NODE, "com.microsoft:MatMulIntegerToFloat:1", None)],
)
def test_what_the_runtime_forgets_to_record_of_a_product_is_known(
    ends: int, op: str, types: Types | None
) -> None:
    assert told(quantized("MatMul", record("MatMul", [0, 1, ends]))) == [(op, types, 1)]


def test_a_record_about_nodes_that_are_not_there_makes_nothing() -> None:
    assert quantized("Conv", record("Conv", [0, 7, 2], [":QLinearConv:10"])) == []
    assert quantized("Conv", record("Conv", [0, NO_NODE, 2], [":QLinearConv:10"])) == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("v6_ort1.32.0_cnn_runtime_all.ort", {"com.microsoft:FusedConv:1": None}),
        (
            "v5_ort1.15.1_qdq_runtime_all.ort",
            {
                ":MaxPool:12": UINT8,
                ":QLinearConv:10": UINT8,
                ":QLinearMatMul:10": UINT8,
                "com.microsoft:FusedConv:1": None,
                "com.microsoft:QLinearAdd:1": UINT8,
                "com.microsoft:QLinearGlobalAveragePool:1": None,
                ":Reshape:5": None,
            },
        ),
        ("v6_ort1.32.0_meta_fixed_disable.ort", {}),
    ],
)
def test_products_of_files_by_released_runtimes(
    file: str, expected: dict[str, Types | None]
) -> None:
    assert {one.operator.op_id: one.types for one in products(corpus_model(file))} == expected
