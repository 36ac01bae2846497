"""Real old files become version 6, are the same model, and compute the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.services.document import open_document
from ortstudio.services.lossless_upgrade import unresolved
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import own
from ortstudio.services.upgrade.facts import Strips, strips_of
from ortstudio.services.upgrade.upgraded import Upgraded
from tests.builders.corpus import corpus_model
from tests.builders.knowledge import CORPUS
from tests.builders.releases import release
from tests.builders.upgrades import (
    NPZ,
    UPGRADEABLE,
    WEIGHTS_LEFT_OUT,
    differing,
    outputs,
    planned,
    rows_of,
    upgraded,
)

SPREAD = [
    "v1_ort1.5.1_mlp_fixed_extended.ort",
    "v1_ort1.5.2_cnn_nchwc_all.ort",
    "v1_ort1.5.2_types_fixed_disable.ort",
    "v2_ort1.6.0_control_fixed_basic.ort",
    "v2_ort1.6.0_sparse_fixed_disable.ort",
    "v3_ort1.7.0_seqmap_fixed_disable.ort",
    "v4_ort1.8.0_meta_fixed_disable.ort",
    "v4_ort1.11.1_qdq_conv_runtime_all.ort",
    "v4_ort1.12.1_functions_fixed_disable.ort",
    "v5_ort1.13.1_cnn_runtime_all.ort",
    "v5_ort1.15.1_sparse_fixed_disable.ort",
]
REST = [name for name in UPGRADEABLE if name not in SPREAD]
EVERY = [*SPREAD, *(pytest.param(name, marks=pytest.mark.long) for name in REST)]


@pytest.fixture(scope="module")
def child() -> Iterator[Callable[[], Child]]:
    with children(agent_child) as made:
        yield made


@pytest.fixture(scope="module")
def done(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Upgraded]:
    """All files that are asked about, upgraded together as one would a folder, by name."""
    params = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    wanted = {str(one["name"]) for one in params if "name" in one}
    paths = [CORPUS / name for name in UPGRADEABLE if name in wanted]
    folder = tmp_path_factory.mktemp("upgraded")
    rows = rows_of(upgraded(paths, output_dir=folder))
    return {row.source.name: row for row in rows}


@pytest.mark.parametrize("name", EVERY)
def test_it_is_verified_resolved_and_computes_the_same_on_recorded_inputs(
    name: str, done: dict[str, Upgraded], child: Callable[[], Child], tmp_path: Path
) -> None:
    row = done[name]
    assert row.error is None
    assert row.verified is not None
    assert row.verified.agrees
    (made,) = row.outputs
    assert made.path.name == f"{name.removesuffix('.ort')}.v6.ort"
    model = read_model(made.path)
    assert model.error is None
    assert model.ort is not None
    assert model.ort.format_version == 6
    assert unresolved(model) == []
    assert row.planned is not None
    assert row.planned.facts is not None
    if row.planned.facts.has_identifier:
        old = outputs(child(), CORPUS / name, NPZ[name], tmp_path)
        assert differing(old, outputs(child(), made.path, NPZ[name], tmp_path)) == []
    assert row.proof is not None
    assert row.proof.nodes == sum(len(graph.nodes) for graph in corpus_model(name).graphs)
    assert row.proof.result_sha256 == hashlib.sha256(made.path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", EVERY)
def test_the_releases_were_told_beforehand(name: str, done: dict[str, Upgraded]) -> None:
    """What the plan said of the result is what is said of the result itself."""
    row = done[name]
    (before,) = planned(CORPUS / name, output_dir=row.outputs[0].path.parent / "none")
    assert before.after is not None
    found = strips_of(open_document(row.outputs[0].path))
    assert loads(before.after) == loads(found)


def loads(strips: Strips) -> list[str]:
    return [one.loads for one in (*strips.full, *strips.minimal)]


def test_weights_that_were_never_in_the_file_are_the_reason_why_not(tmp_path: Path) -> None:
    (row,) = planned(CORPUS / WEIGHTS_LEFT_OUT, output_dir=tmp_path)
    assert isinstance(row.refusal, RefusedError)
    assert "'b_ext' and 'w_ext' are not in the file: ONNX Runtime 1.5 and 1.6" in str(row.refusal)
    assert rows_of(upgraded([CORPUS / WEIGHTS_LEFT_OUT], output_dir=tmp_path))[0].outputs == ()


@pytest.mark.parametrize(
    "name",
    [
        "v1_ort1.5.1_mlp_fixed_extended.ort",
        "v3_ort1.7.0_sparse_fixed_disable.ort",
        pytest.param("v2_ort1.6.0_control_fixed_basic.ort", marks=pytest.mark.long),
        pytest.param("v4_ort1.12.1_qdq_runtime_all.ort", marks=pytest.mark.long),
    ],
)
def test_version_5_comes_by_way_of_a_release_that_writes_it(
    name: str, child: Callable[[], Child], tmp_path: Path
) -> None:
    way = release("1.14.1")
    (row,) = rows_of(upgraded([CORPUS / name], to=5, output_dir=tmp_path, at_hand=[own(), way]))
    assert row.error is None
    assert row.proof is not None
    # Under the release that wrote it, and under our own.
    assert [run.runtime.onnxruntime for run in row.proof.runs] == ["1.14.1", own().onnxruntime]
    (made,) = row.outputs
    assert made.path.name.endswith(".v5.ort")
    model = read_model(made.path)
    assert model.ort is not None
    assert model.ort.format_version == 5
    assert unresolved(model) == []
    if "1.5.1" not in name:
        old = outputs(child(), CORPUS / name, NPZ[name], tmp_path)
        assert differing(old, outputs(child(), made.path, NPZ[name], tmp_path)) == []
