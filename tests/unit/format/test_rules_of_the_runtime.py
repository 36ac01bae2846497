"""The rules of schema/README.md that the runtime insists on, and those that it does not.

Models are changed as flatc decodes them and written by flatc again, by our schema.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from ortstudio.format.ort_tables import SCHEMA, InferenceSession, OpIdKernelTypeStrArgsEntry
from schema.generate import SCHEMAS, flatc
from tests.builders.ort_json import REMOVED, Json, changed, encode
from tests.oracles.runtime import RefusedByRuntimeError, Runtime

MLP = "v6_ort1.16.0_mlp_fixed_disable"
SAVED = "v6_ort1.32.0_cnn_runtime_all"
"""Holds one saved optimization, which replays."""

Check = Callable[..., None]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Json], bytes]:
    """A model as flatc writes it by ort.fbs."""
    return lambda model: encode(model, tmp_path)


@pytest.fixture
def check(runtime: Runtime, corpus: Path) -> Check:
    """The runtime takes what was made of MLP, and it computes what its source does."""
    return partial(runtime.check, expected=corpus / "sources" / "mlp.npz")


@pytest.fixture
def check_saved(runtime: Runtime, corpus: Path) -> Check:
    """The same for what was made of SAVED."""
    return partial(runtime.check, expected=corpus / "sources" / "cnn.npz")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("ort_version", REMOVED, "Serialized version info is null"),
        ("ort_version", "7", r"format model version \[7\] is not supported"),
        ("model", REMOVED, "Missing Model"),
        ("kernel_type_str_resolver", REMOVED, "Could not find an implementation"),
        ("kernel_type_str_resolver.op_kernel_type_str_args.0", REMOVED, "Could not find an impl"),
        ("kernel_type_str_resolver.op_kernel_type_str_args.0.op_id", "a:B", "Invalid OpIdentifier"),
        ("model.opset_import", REMOVED, "Model must have opset imports"),
        ("model.graph", REMOVED, "Graph is null"),
        ("model.graph.max_node_index", 1, "max node index is smaller than the required"),
        ("model.graph.nodes.0.index", 1, "Duplicate node index 1"),
        ("model.graph.nodes.0.op_type", REMOVED, "'op_type' of 'node' is required"),
        ("model.graph.nodes.0.input_arg_counts", REMOVED, "input_arg_counts is missing"),
        ("model.graph.nodes.0.input_arg_counts.0", 2, "does not match number of explicit inputs"),
        ("model.graph.nodes.0.attributes.0.type", 0, "Mismatched attribute type"),
        ("model.graph.node_edges.0.output_edges.0.node_index", 77, "out-of-range node index 77"),
        ("model.graph.node_edges.0.output_edges.0.dst_arg_index", 9, "out-of-range dst_arg_index"),
        ("model.graph.node_args.0", REMOVED, "could not find NodeArg"),
        ("model.graph.node_args.0.name", "x", "Duplicate NodeArg name 'x'"),
        ("model.graph.node_args.0.type", REMOVED, "Null type info for"),
        ("model.graph.initializers.0.dims", REMOVED, "Missing dimensions for initializer"),
        ("model.graph.initializers.0.dims.0", -1, "Invalid negative dimension -1"),
        ("model.graph.initializers.0.raw_data", REMOVED, "Missing raw data for initializer"),
        ("model.graph.initializers.0.raw_data.0", REMOVED, "raw data size mismatch"),
        ("model.graph.initializers.0.data_type", "COMPLEX64", "Unsupported tensor data type"),
        ("model.graph.initializers.0.data_type", 22, "Unsupported tensor data type '<unknown>'"),
        (
            "model.graph.initializers.0",
            {"name": "b3", "dims": [10], "data_type": "FLOAT", "external_data_offset": 0},
            "a data reader was not provided",
        ),
    ],
)
def test_the_runtime_refuses(
    decoded: dict[str, Json],
    written: Callable[[Json], bytes],
    check: Check,
    path: str,
    value: object,
    words: str,
) -> None:
    content = written(changed(decoded[MLP], path, value))
    with pytest.raises(RefusedByRuntimeError, match=words):
        check(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("session_state", {"kernels": {"node_indices": [0], "kernel_def_hashes": [1]}}),
        ("ort_version", "2"),
        ("model.ir_version", 0),
        ("model.graph.max_node_index", 4_000_000),
        ("model.graph.node_edges", REMOVED),
        ("model.graph.nodes.0.doc_string", REMOVED),
        ("model.graph.nodes.0.name", REMOVED),
        ("model.graph.nodes.0.domain", REMOVED),
        ("model.graph.nodes.0.execution_provider_type", "NoSuchProvider"),
        ("model.graph.nodes.0.since_version", 1),
        ("model.graph.nodes.0.type", "Fused"),
    ],
)
def test_the_runtime_accepts(
    decoded: dict[str, Json],
    written: Callable[[Json], bytes],
    check: Check,
    path: str,
    value: object,
) -> None:
    check(written(changed(decoded[MLP], path, value)))


def test_a_file_of_before_version_5_needs_no_resolver(
    decoded: dict[str, Json], written: Callable[[Json], bytes], check: Check
) -> None:
    model = changed(decoded[MLP], "kernel_type_str_resolver", REMOVED)
    check(written(changed(model, "ort_version", "4")))


def test_the_identifier_must_be_there(corpus: Path, check: Check) -> None:
    content = (corpus / f"{MLP}.ort").read_bytes()
    assert content[4:8] == SCHEMA.identifier
    with pytest.raises(RefusedByRuntimeError, match="ORT model verification failed"):
        check(content[:4] + b"ORTX" + content[8:])


def test_a_file_that_is_cut_is_refused_and_one_that_runs_on_is_not(
    corpus: Path, check: Check
) -> None:
    content = (corpus / f"{MLP}.ort").read_bytes()
    with pytest.raises(RefusedByRuntimeError, match="ORT model verification failed"):
        check(content[: len(content) // 2])
    check(content + bytes(1000))


def test_a_key_may_not_be_absent(corpus: Path, check: Check) -> None:
    content = bytearray((corpus / f"{MLP}.ort").read_bytes())

    def vtable_entry(table: int, slot: int) -> int:
        return table - int(struct.unpack_from("<i", content, table)[0]) + 4 + 2 * slot

    def follow(place: int) -> int:
        return place + int(struct.unpack_from("<I", content, place)[0])

    def target(table: int, slot: int) -> int:
        entry = struct.unpack_from("<H", content, vtable_entry(table, slot))[0]
        return follow(table + int(entry))

    resolver = target(follow(0), InferenceSession.kernel_type_str_resolver.slot)
    entry = follow(target(resolver, 0) + 4)
    place = vtable_entry(entry, OpIdKernelTypeStrArgsEntry.op_id.slot)
    struct.pack_into("<H", content, place, 0)
    assert OpIdKernelTypeStrArgsEntry.op_id.key
    with pytest.raises(RefusedByRuntimeError, match="ORT model verification failed"):
        check(bytes(content))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("action_id", "NoSuchAction", "Missing action NoSuchAction"),
        ("produced_op_ids", REMOVED, "Not enough produced nodes"),
        ("nodes_to_optimize_indices.node_indices", [777, 778], "node_index < nodes_.size()"),
    ],
)
def test_a_saved_optimization_matters_only_where_it_is_replayed(
    decoded: dict[str, Json],
    written: Callable[[Json], bytes],
    check_saved: Check,
    field: str,
    value: object,
    words: str,
) -> None:
    record = "model.graph.runtime_optimizations.records.0.runtime_optimization_records.0"
    content = written(changed(decoded[SAVED], f"{record}.{field}", value))
    check_saved(content)
    with pytest.raises(RefusedByRuntimeError, match=words.replace("()", r"\(\)")):
        check_saved(content, replay=True)


def test_what_a_replayed_optimization_produces_must_be_in_the_resolver(
    decoded: dict[str, Json], written: Callable[[Json], bytes], check_saved: Check
) -> None:
    entries = decoded[SAVED]["kernel_type_str_resolver"]["op_kernel_type_str_args"]
    left = [entry for entry in entries if entry["op_id"] != "com.microsoft:FusedConv:1"]
    assert len(left) == len(entries) - 1
    path = "kernel_type_str_resolver.op_kernel_type_str_args"
    content = written(changed(decoded[SAVED], path, left))
    check_saved(content)
    with pytest.raises(
        RefusedByRuntimeError, match=r"Failed to find kernel for com\.microsoft\.FusedConv"
    ):
        check_saved(content, replay=True)


def test_a_file_written_by_the_schema_computes_the_same(
    decoded: dict[str, Json], written: Callable[[Json], bytes], check: Check
) -> None:
    check(written(decoded[MLP]))


def test_an_adapter_of_the_runtime_is_what_the_schema_says(tmp_path: Path) -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    adapter = onnxruntime.AdapterFormat()
    adapter.set_adapter_version(7)
    adapter.set_model_version(9)
    value = onnxruntime.OrtValue.ortvalue_from_numpy(values)
    adapter.set_parameters({"lora_a": value})
    adapter.export_adapter(str(tmp_path / "a.onnx_adapter"))
    source = tmp_path / "a.onnx_adapter"
    flatc("--json", "--strict-json", "-o", tmp_path, SCHEMAS / "lora_adapter.fbs", "--", source)
    parameter = {"name": "lora_a", "dims": [2, 3], "data_type": "FLOAT"}
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "format_version": 1,
        "adapter_version": 7,
        "model_version": 9,
        "parameters": [parameter | {"raw_data": list(values.tobytes())}],
    }
