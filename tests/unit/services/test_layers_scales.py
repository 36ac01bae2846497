from __future__ import annotations

from ortstudio.model.types import DataType
from ortstudio.services.layers_scales import Quantizer, Scale, Scales
from ortstudio.services.reading import read_model
from tests.builders.knowledge import CORPUS

QDQ = read_model(CORPUS / "sources" / "qdq.onnx")
FUSED = read_model(CORPUS / "v4_ort1.12.1_qdq_fixed_all.ort")


def value(name: str) -> int:
    return QDQ.main.values.ids[name]


def test_a_quantized_value_has_the_scale_of_what_makes_or_reads_it() -> None:
    scales = Scales(QDQ)
    found = scales.of(value("c2_q"))
    assert found is not None
    assert found.zero == 128
    assert scales.of(value("c2_q")) == found
    assert scales.of(value("c2")) is None
    fused, ids = Scales(FUSED), FUSED.main.values.ids
    assert fused.of(ids["c2_q"]) == found
    assert fused.of(ids["mp_q"]) == fused.of(ids["sum_q"]), "a MaxPool moves numbers only"


def test_a_dequantized_value_has_its_step() -> None:
    scales = Scales(QDQ)
    found = scales.of(value("c2_q"))
    assert found is not None
    assert scales.step_of(value("c2_f")) == found.step
    assert scales.step_of(value("c2")) == 0.0


def test_a_quantizer_that_alone_reads_a_value_is_known() -> None:
    scales = Scales(QDQ)
    found = scales.read_by(value("c2"))
    assert found == Quantizer(scales.of(value("c2_q")) or Scale(0, 0), DataType.UINT8)
    assert scales.read_by(value("c1")) is None
    assert scales.read_by(value("y")) is None


def test_the_coarsest_step_among_nodes_is_found() -> None:
    nodes = QDQ.main.nodes
    rows = [nodes.rows_by_name[name] for name in ("Q_c2_q", "DQ_c2_f", "conv2")]
    scales = Scales(QDQ)
    assert scales.coarsest(rows) == scales.step_of(value("c2_f"))
    assert scales.coarsest([nodes.rows_by_name["conv2"]]) == 0.0
