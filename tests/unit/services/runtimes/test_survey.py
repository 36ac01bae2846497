from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import cast

import onnxruntime
import pytest

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.oracle import Compatibility, compatibility
from ortstudio.analysis.compatibility.releases import Release, ReleaseData, Releases
from ortstudio.analysis.compatibility.said import Build
from ortstudio.analysis.compatibility.surveys import Survey as SurveyFacts
from ortstudio.analysis.compatibility.surveys import release_data
from ortstudio.analysis.findings import findings
from ortstudio.errors import RefusedError
from ortstudio.services import runtimes
from ortstudio.services.compatibility import BUILDS
from ortstudio.services.conversion import CancelledError
from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.survey import Survey, survey
from ortstudio.services.surveys import is_survey, surveys_folder
from tests.builders.corpus import corpus_model
from tests.builders.knowledge import RESOURCES, format_versions, operators, releases
from tests.builders.recorded_releases import in_order, recorded_survey

FILES = (
    "v4_ort1.11.1_qdq_conv_runtime_all.ort",
    "v5_ort1.15.1_qdq_runtime_all.ort",
    "v6_ort1.18.1_modern_fixed_disable.ort",
    "v6_ort1.19.2_int4_fixed_disable.ort",
    "v6_ort1.23.2_types_fixed_disable.ort",
    "v6_ort1.27.0_float8e8m0_fixed_disable.ort",
    "v6_ort1.32.0_cnn_nchwc_all.ort",
)
"""A spread that uses every part of the data."""


def shipped() -> ReleaseData:
    data: ReleaseData = json.loads((RESOURCES / "releases.json").read_bytes())
    return data


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return survey(runtimes.own(), tmp_path_factory.mktemp("surveys"))


def test_our_own_release_is_as_it_was_recorded(own: Survey, corpus: Path) -> None:
    expected = recorded_survey(corpus, onnxruntime.__version__)
    if not expected:
        pytest.skip(f"onnxruntime {onnxruntime.__version__} is not in the recorded data")
    assert in_order(dict(own.facts)) == expected


def test_what_was_measured_is_kept_whole(own: Survey) -> None:
    assert own.path.name == f"{onnxruntime.__version__}.json"
    assert json.loads(own.path.read_text()) == own.facts
    parts = {"kernels", "schemas", "initializers", "values"}
    if runtimes.own().minor < 30:
        parts.add("actions")  # Newer ones replay nothing unasked.
    assert set(own.facts) == {"release", "highest", "writes", "reads"} | parts
    assert is_survey(own.facts)
    schemas = cast("list[list[object]]", own.facts["schemas"])
    attributes = ["alpha", "beta", "transA", "transB"]
    assert ["", "Gemm", 13, attributes, 2, 3] in schemas


@functools.cache
def needs_of(file: str) -> Needs:
    model = corpus_model(file)
    found = findings(model, operators(), format_versions())
    return Needs(Subject(model, operators(), format_versions()), tuple(found))


def answers(known: Releases, release: Release, build: Build) -> list[Compatibility]:
    return [compatibility(needs_of(file), known, release, build) for file in FILES]


@pytest.mark.parametrize("build", BUILDS)
def test_over_the_shipped_data_it_changes_no_answer(own: Survey, build: Build) -> None:
    release = Release.parse(onnxruntime.__version__)
    assert release is not None
    if release not in releases().all:
        pytest.skip(f"onnxruntime {release} is not in the shipped data")
    merged = Releases(shipped(), [release_data([cast("SurveyFacts", own.facts)])])
    assert merged.all == releases().all
    assert answers(merged, release, build) == answers(releases(), release, build)


def test_a_release_newer_than_all_shipped_ones_becomes_answerable(own: Survey) -> None:
    facts = cast("SurveyFacts", {**own.facts, "release": "1.99.0"})
    release = Release(1, 99, 0)
    assert {one.loads for one in answers(releases(), release, "full")} == {"not known"}
    merged = Releases(shipped(), [release_data([facts])])
    assert merged.newest == release
    by_loads = {one.loads for one in answers(merged, release, "full")}
    assert {"yes", "no"} <= by_loads
    minimal = answers(merged, release, "minimal")
    assert "yes" not in {one.loads for one in minimal}
    before = answers(releases(), releases().newest, "full")
    assert answers(merged, releases().newest, "full") == before


def test_its_summary_counts_what_is_long(own: Survey) -> None:
    summary = own.summary()
    assert isinstance(summary["kernels"], int)
    assert summary["kernels"] > 1000
    assert summary["release"] == onnxruntime.__version__
    assert summary["path"] == str(own.path)


def test_it_is_kept_with_what_the_user_had_us_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("LOCALAPPDATA", "/data")
    assert surveys_folder() == Path("/data/ortstudio/surveys")


def test_cancelling_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        survey(runtimes.own(), tmp_path, cancelled=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_asked_or_kept_is_refused(tmp_path: Path) -> None:
    node = Runtime("node-1.23.2", Kind.NODE, str(tmp_path), "1.23.2")
    with pytest.raises(RefusedError, match="for Node cannot be asked"):
        survey(node, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RefusedError, match="Nothing can be written"):
        survey(runtimes.own(), tmp_path / "file" / "folder")
