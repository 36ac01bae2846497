"""Version 5 models become version 6 with their saved optimizations, which a runtime replays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnxruntime
import pytest

from ortstudio.errors import RefusedError
from ortstudio.format.content import Batch
from ortstudio.format.ort_tables import SCHEMA, KernelTypeStrResolver, OpIdKernelTypeStrArgsEntry
from ortstudio.model.model import Model, OptimizationRecord
from ortstudio.services.lossless_upgrade import unresolved, upgrade_lossless
from ortstudio.services.ort_write import rewrite
from ortstudio.services.reading import read_model
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import CORPUS
from tests.oracles.runtime import REPLAY

VERSION_5 = [row["file"] for row in corpus_files() if row["format_version"] == "5"]
REPLAYED = {
    "v5_ort1.13.1_cnn_runtime_all.ort": "FusedConv",
    "v5_ort1.13.1_qdq_conv_runtime_all.ort": "QLinearConv",
}


def records(model: Model) -> list[list[OptimizationRecord]]:
    assert model.ort
    return [[replace(r, offset=0) for r in g.runtime_optimizations] for g in model.ort.graphs]


@pytest.mark.parametrize("name", VERSION_5)
def test_a_version_5_model_becomes_version_6_and_nothing_else_changes(
    name: str, tmp_path: Path
) -> None:
    upgrade_lossless(CORPUS / name, tmp_path / "m.ort")
    before, after = corpus_model(name), read_model(tmp_path / "m.ort")
    assert before.ort
    assert after.ort
    assert (before.ort.format_version, after.ort.format_version) == (5, 6)
    assert records(after) == records(before)
    assert after.ort.resolver == before.ort.resolver
    assert [g.nodes.ops for g in after.graphs] == [g.nodes.ops for g in before.graphs]
    assert unresolved(after) == []


@pytest.mark.parametrize(("name", "made"), REPLAYED.items())
def test_what_was_saved_is_replayed_from_the_upgraded_file(
    name: str, made: str, tmp_path: Path
) -> None:
    upgrade_lossless(CORPUS / name, tmp_path / "m.ort")
    before = replayed(CORPUS / name, tmp_path / "before.ort")
    after = replayed(tmp_path / "m.ort", tmp_path / "after.ort")
    assert any(op.endswith(made) for op in after)
    assert after == before


def replayed(path: Path, saved: Path) -> list[str]:
    """The operators of the graph that the runtime runs with replay switched on."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry(REPLAY, "1")
    options.add_session_config_entry("session.save_model_format", "ORT")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(saved)
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return sorted(op for graph in read_model(saved).graphs for op in graph.nodes.ops)


def test_other_versions_are_refused(tmp_path: Path) -> None:
    for name in ("v4_ort1.12.1_mlp_fixed_basic.ort", "v6_ort1.16.0_mlp_fixed_disable.ort"):
        with pytest.raises(RefusedError, match="Only a model of ORT format version 5"):
            upgrade_lossless(CORPUS / name, tmp_path / "m.ort")


def test_a_resolver_that_lacks_what_an_optimization_produces_is_refused(tmp_path: Path) -> None:
    def without_fused(root: Batch) -> None:
        (resolver,) = root.all("KernelTypeStrResolver")
        table = SCHEMA.tables["OpIdKernelTypeStrArgsEntry"]
        entries = resolver.link_rows(KernelTypeStrResolver.op_kernel_type_str_args, table)
        ids = entries.batch.texts(OpIdKernelTypeStrArgsEntry.op_id)
        (rows,) = entries.rows
        entries.rows = [[row for row in rows or () if b"Fused" not in (ids[row] or b"")]]

    rewrite(CORPUS / next(iter(REPLAYED)), tmp_path / "lacking.ort", [without_fused])
    with pytest.raises(RefusedError, match=r"no entry for com\.microsoft:FusedConv:1"):
        upgrade_lossless(tmp_path / "lacking.ort", tmp_path / "m.ort")
