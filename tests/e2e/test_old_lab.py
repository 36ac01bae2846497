"""Comparisons by layers and profiles under real old releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.errors import JobError
from ortstudio.services.compare import CompareSettings
from ortstudio.services.compare_sides import opened
from ortstudio.services.layers import compare_layers
from ortstudio.services.profile import ProfileSettings, profile
from tests.builders.knowledge import CORPUS
from tests.builders.releases import release

CNN = CORPUS / "sources" / "cnn.onnx"
QUICK = ("1.12.1", CORPUS / "v4_ort1.12.1_cnn_fixed_all.ort")
OTHERS = [
    ("1.7.0", CORPUS / "v3_ort1.7.0_cnn_fixed_basic.ort"),
    ("1.16.3", CORPUS / "v5_ort1.14.1_cnn_fixed_all.ort"),
]
CASES = [QUICK, *(pytest.param(*case, marks=pytest.mark.long) for case in OTHERS)]


@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_release_is_looked_into_though_it_has_no_onnx(name: str, file: Path) -> None:
    under = release(name, fetch=name != QUICK[0])
    found = compare_layers(opened(CNN), opened(file), CompareSettings(), make_child=under.child)
    assert found.layers is not None
    assert found.layers.agree
    assert {"r1", "p1", "gap", "scores"} <= {value.a for value in found.layers.values}


@pytest.mark.parametrize(("name", "file"), CASES)
def test_the_profile_of_a_release_is_laid_on_the_nodes(name: str, file: Path) -> None:
    under = release(name, fetch=name != QUICK[0])
    found = profile(opened(file), ProfileSettings(runs=5), opened(CNN), make_child=under.child)
    times = found.file.times
    assert all(node.in_file for node in times.nodes)
    assert len(times.nodes) == len(found.file.document.model.main.nodes)
    assert sum(node.ns for node in times.nodes) + times.between_ns == times.run_ns


@pytest.mark.long
def test_what_a_release_cannot_do_it_says() -> None:
    under = release("1.4.0", fetch=True)
    with pytest.raises(JobError, match=r"onnxruntime 1\.4\.0 cannot write a profile"):
        profile(opened(CNN), ProfileSettings(), make_child=under.child)
