from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import onnxruntime
import pytest

from ortstudio.errors import RefusedError
from ortstudio.services import runtimes
from ortstudio.services.conversion import CancelledError
from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.survey import Survey, survey, surveys_folder
from tests.builders.recorded_releases import in_order, recorded_survey


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
    assert set(own.facts) == {"release", "highest", "kernels", "schemas", "writes", "reads"}
    schemas = cast("list[list[object]]", own.facts["schemas"])
    attributes = ["alpha", "beta", "transA", "transB"]
    assert ["", "Gemm", 13, attributes, 2, 3] in schemas


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
