"""Surveys in the user's folder: those that are what they should be count, the others do nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.services import compatibility
from ortstudio.services.surveys import is_survey, kept_surveys, surveys_folder

GOOD: dict[str, Any] = {
    "release": "1.99.0",
    "reads": [5, 6],
    "writes": [6],
    "highest": {"opset": 30, "ir": 15, "ai.onnx.ml": 5},
    "kernels": [["", "Relu", 14, 2147483647, {"T": ["tensor(float)"]}]],
    "schemas": [["", "Relu", 14, [], 1, 1]],
    "initializers": [1],
    "values": [1],
}


@pytest.fixture(autouse=True)
def read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A data folder of the test's own, and nothing remembered of another one."""
    for variable in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    compatibility.releases.cache_clear()
    yield
    compatibility.releases.cache_clear()


def keep(name: str, content: object) -> None:
    surveys_folder().mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (surveys_folder() / f"{name}.json").write_text(text)


def changed(**parts: object) -> dict[str, object]:
    return {**GOOD, **parts}


def test_a_release_that_was_surveyed_here_is_known() -> None:
    keep("1.99.0", GOOD)
    known = compatibility.releases()
    release = Release(1, 99, 0)
    assert known.newest == release
    assert known.reads(release) == {5, 6}
    assert known.highest(release, "opset") == 30
    assert known.holds("initializers", "1", release) is True
    assert not known.asked("actions", release)
    assert [kernel.until for kernel in known.kernels(("", "Relu"), release)] == [None]
    assert known.newest_shipped < release


def test_less_than_what_is_shipped_of_a_release_does_not_take_its_place() -> None:
    poor = changed(release="1.20.1", reads=[1])
    del poor["kernels"]
    keep("1.20.1", poor)
    assert compatibility.releases().reads(Release(1, 20, 1)) > {1}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[" * 100_000,
        "null",
        "[1]",
        changed(release="newest"),
        changed(release="1.99"),
        changed(release=3),
        changed(reads=["6"]),
        changed(reads=None),
        changed(highest={"opset": 30}),
        changed(kernels=[["", "Relu", 14, None, {}]]),
        changed(kernels=[["", "Relu", 14, 15, {"T": "tensor(float)"}]]),
        changed(kernels=[["", "Relu"]]),
        changed(schemas=[["", "Relu", 14, None, 1, 1]]),
        changed(schemas=[7]),
        changed(actions=[1]),
    ],
)
def test_what_is_no_survey_is_passed_over(content: object) -> None:
    keep("broken", content)
    keep("1.99.0", GOOD)
    assert [one["release"] for one in kept_surveys()] == ["1.99.0"]


def test_without_a_folder_there_are_none() -> None:
    assert list(kept_surveys()) == []
    assert not is_survey({})
