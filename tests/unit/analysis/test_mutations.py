"""Files with a few bytes changed: whatever can still be read can also be judged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ortstudio.analysis import resolver, runtime_optimizations
from ortstudio.analysis.damage import diagnose
from ortstudio.analysis.findings import findings
from ortstudio.analysis.portability import portability
from ortstudio.analysis.sample import Sample
from ortstudio.analysis.totals import totals, what_dominates
from ortstudio.errors import FormatError
from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.ort_reader import read_ort
from tests.builders.damage import changes, damaged
from tests.builders.knowledge import CORPUS, format_versions, operators

ORT = [
    "v4_ort1.12.1_control_fixed_basic.ort",
    "v6_ort1.32.0_cnn_nchwc_all.ort",
    "v6_ort1.32.0_qdq_conv_runtime_all.ort",
    "v6_ort1.32.0_sparse_init_fixed_disable.ort",
    "v6_ort1.32.0_types_fixed_disable.ort",
]
ONNX = ["control", "extdata", "functions", "sparse", "types"]


def judge(model: Model) -> None:
    """Ask everything."""
    findings(model, operators(), format_versions(), path="model.bin", external={})
    portability(model, operators())
    resolver.explain(model, operators())
    runtime_optimizations.explain(model)
    format_versions().written_by(model)
    format_versions().guess(model)
    totals(model)
    what_dominates(model)


@given(st.sampled_from(ORT), changes)
def test_a_changed_ort(file: str, places: list[tuple[float, bytes]]) -> None:
    source = Source.of_bytes(damaged((CORPUS / file).read_bytes(), places))
    try:
        model = read_ort(source)
    except FormatError:
        assert diagnose(Sample.of(source)).message
    else:
        judge(model)


@given(st.sampled_from(ONNX), changes)
def test_a_changed_onnx(name: str, places: list[tuple[float, bytes]]) -> None:
    content = (CORPUS / "sources" / f"{name}.onnx").read_bytes()
    source = Source.of_bytes(damaged(content, places))
    try:
        model = read_onnx(source, operators().since)
    except FormatError:
        assert diagnose(Sample.of(source)).message
    else:
        judge(model)
