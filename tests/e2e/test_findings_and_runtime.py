"""Findings against the runtime: what it refuses is an error here, and nothing else is.

A model of the corpus is changed as flatc decodes it and written by flatc again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.findings import findings
from ortstudio.format.source import Source
from ortstudio.model.ort_reader import read_ort
from tests.builders.corpus import CorpusFile, corpus_files, corpus_model
from tests.builders.knowledge import format_versions, operators
from tests.builders.ort_json import REMOVED, Json, changed, decode, encode
from tests.oracles.runtime import RefusedByRuntimeError, Runtime

MLP = "v6_ort1.16.0_mlp_fixed_disable"

Check = Callable[[bytes], None]

newest_only = pytest.mark.skipif(
    version("onnxruntime") != "1.32.0", reason="what is refused is measured on 1.32.0"
)


@pytest.fixture(scope="module")
def mlp(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Json:
    """A chain of seven nodes: Gemm, Relu, MatMul, Add, Relu, Gemm, Softmax."""
    return decode([corpus / f"{MLP}.ort"], tmp_path_factory.mktemp("decoded"))[MLP]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Json], bytes]:
    """A model as flatc writes it."""
    return lambda model: encode(model, tmp_path)


@pytest.fixture
def check(runtime: Runtime, corpus: Path) -> Check:
    """The runtime takes what was made of the model, and it computes what its source does."""
    return partial(runtime.check, expected=corpus / "sources" / "mlp.npz")


def found(content: bytes) -> list[Finding]:
    return findings(read_ort(Source.of_bytes(content)), operators(), format_versions())


def errors(content: bytes) -> list[str]:
    return [finding.code for finding in found(content) if finding.severity == "error"]


GRAPH = "model.graph"
RESOLVER = "kernel_type_str_resolver.op_kernel_type_str_args"


@newest_only
@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("ort_version", "7", "format-newer-than-known"),
        ("kernel_type_str_resolver", REMOVED, "resolver-missing"),
        (f"{RESOLVER}.0", REMOVED, "resolver-entry-missing"),
        (f"{RESOLVER}.0.op_id", "a:B", "resolver-entry-malformed"),
        (f"{RESOLVER}.0.op_id", ":Gemm:11", "resolver-entry-twice"),
        ("model.opset_import", REMOVED, "no-opset-imports"),
        ("model.opset_import", [{"domain": "my.ops", "version": 1}], "domain-not-imported"),
        ("model.opset_import", [{"domain": "", "version": 99}], "opset-newer-than-known"),
        ("model.opset_import", [{"domain": "", "version": 1}], "resolver-entry-missing"),
        (f"{GRAPH}.max_node_index", 1, "node-index-beyond-maximum"),
        (f"{GRAPH}.nodes.0.index", 1, "duplicate-node-index"),
        (f"{GRAPH}.nodes.0.op_type", "NoSuchOperator", "unknown-operator"),
        (f"{GRAPH}.nodes.0.input_arg_counts", REMOVED, "argument-count-mismatch"),
        (f"{GRAPH}.nodes.0.input_arg_counts.0", 2, "argument-count-mismatch"),
        (f"{GRAPH}.nodes.0.input_arg_counts", [3, -1, 1], "argument-count-negative"),
        (f"{GRAPH}.nodes.1.inputs.0", "probs", "edge-mismatch"),
        (f"{GRAPH}.nodes.1.outputs.0", "h1", "value-made-twice"),
        (f"{GRAPH}.node_edges.0.output_edges.0.node_index", 77, "edge-leads-nowhere"),
        (f"{GRAPH}.node_edges.0.output_edges.0.dst_arg_index", 9, "edge-mismatch"),
        (f"{GRAPH}.node_edges.0.output_edges.0.src_arg_index", -1, "edge-mismatch"),
        (f"{GRAPH}.node_args.0", REMOVED, "value-not-declared"),
        (f"{GRAPH}.node_args.0.type", REMOVED, "value-without-type"),
        (f"{GRAPH}.node_args.0.type.value.elem_type", 99, "unknown-value-type"),
        (f"{GRAPH}.inputs", [], "value-from-nowhere"),
        (f"{GRAPH}.initializers.0", REMOVED, "value-from-nowhere"),
        (f"{GRAPH}.initializers.0.dims.0", -1, "negative-dimension"),
        (f"{GRAPH}.initializers.0.raw_data", REMOVED, "missing-data"),
        (f"{GRAPH}.initializers.0.raw_data.0", REMOVED, "raw-size-mismatch"),
        (f"{GRAPH}.initializers.0.data_type", "COMPLEX64", "element-type-refused"),
        (f"{GRAPH}.initializers.0.data_type", 22, "element-type-refused"),
        (f"{GRAPH}.initializers.0.data_type", 0, "unknown-element-type"),
        (f"{GRAPH}.initializers.0.data_type", 99, "unknown-element-type"),
        (
            f"{GRAPH}.initializers.0",
            {"name": "b3", "dims": [0], "data_type": "FLOAT"},
            "missing-data",
        ),
        (
            f"{GRAPH}.initializers.0",
            {"name": "b3", "dims": [10], "data_type": "FLOAT", "external_data_offset": 0},
            "external-data-in-ort",
        ),
    ],
)
def test_what_the_runtime_refuses_is_an_error(
    mlp: Json, write: Callable[[Json], bytes], check: Check, path: str, value: object, code: str
) -> None:
    content = write(changed(mlp, path, value))
    with pytest.raises(RefusedByRuntimeError, match=r"\S"):
        check(content)
    assert code in errors(content)


@newest_only
def test_a_circle_and_an_output_from_nowhere_are_errors(
    mlp: Json, write: Callable[[Json], bytes], check: Check
) -> None:
    without_edges = changed(mlp, f"{GRAPH}.node_edges", REMOVED)
    circle = write(changed(without_edges, f"{GRAPH}.nodes.0.inputs.0", "r1"))
    with pytest.raises(RefusedByRuntimeError, match="not acyclic"):
        check(circle)
    assert errors(circle) == ["graph-cyclic"]
    ghost = copy.deepcopy(mlp)
    ghost["model"]["graph"]["node_args"].append(
        ghost["model"]["graph"]["node_args"][0] | {"name": "ghost"}
    )
    ghost["model"]["graph"]["outputs"].append("ghost")
    with pytest.raises(RefusedByRuntimeError, match="Failed to find node output"):
        check(write(ghost))
    assert errors(write(ghost)) == ["output-from-nowhere"]


@newest_only
@pytest.mark.parametrize(
    ("path", "value", "codes"),
    [
        ("ort_version", "2", ["old-format"]),
        ("ort_version", "x", ["format-version-odd"]),
        ("ort_version", "0", ["format-version-odd"]),
        ("model.ir_version", 99, []),
        (f"{GRAPH}.max_node_index", 4_000_000, []),
        (f"{GRAPH}.node_edges", REMOVED, []),
        (f"{GRAPH}.nodes.0.execution_provider_type", "NoSuchProvider", []),
        (f"{GRAPH}.nodes.0.since_version", 1, ["resolver-entry-stale", "version-not-of-import"]),
        (f"{GRAPH}.nodes.0.name", REMOVED, []),
    ],
)
def test_what_the_runtime_accepts_is_no_error(
    mlp: Json,
    write: Callable[[Json], bytes],
    check: Check,
    path: str,
    value: object,
    codes: list[str],
) -> None:
    content = write(changed(mlp, path, value))
    check(content)
    assert errors(content) == []
    warnings = [finding.code for finding in found(content) if finding.severity == "warning"]
    assert sorted(warnings) == codes


@pytest.mark.parametrize("file", corpus_files(), ids=lambda file: file["file"])
def test_exactly_the_files_that_1_32_refuses_have_errors(file: CorpusFile) -> None:
    found_ = findings(corpus_model(file["file"]), operators(), format_versions(), path=file["file"])
    has_error = any(finding.severity == "error" for finding in found_)
    assert has_error == (file["in_1.32.0"]["load"] == "error")
