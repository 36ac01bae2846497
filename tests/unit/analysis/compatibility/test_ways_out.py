"""What to do where a release refuses a file."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.oracle import Compatibility, compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Build
from ortstudio.analysis.compatibility.ways_out import WayOut, ways_out
from ortstudio.analysis.findings import findings
from ortstudio.format.source import Source
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.ort_reader import read_ort
from tests.builders.knowledge import CORPUS, format_versions, operators, releases

NEW = "v6_ort1.32.0_cnn_runtime_all.ort"
INT4 = "v6_ort1.19.2_int4_fixed_disable.ort"
OLD = "v4_ort1.12.1_mlp_fixed_basic.ort"
RECORDS = "v5_ort1.15.1_qdq_runtime_all.ort"


@functools.cache
def needs_of(file: str) -> Needs:
    source = Source.open(CORPUS / file)
    model = read_onnx(source) if file.endswith(".onnx") else read_ort(source)
    found = findings(model, operators(), format_versions())
    return Needs(Subject(model, operators(), format_versions()), tuple(found))


@functools.cache
def strip(file: str, build: Build) -> tuple[Compatibility, ...]:
    known = releases()
    return tuple(compatibility(needs_of(file), known, one, build) for one in known.all)


def ways(file: str, release: str, build: Build = "full") -> list[str]:
    return [way.sentence for way in found(file, release, build)]


def found(file: str, release: str, build: Build = "full") -> tuple[WayOut, ...]:
    wanted, needs = Release.parse(release), needs_of(file)
    assert wanted is not None
    answer = compatibility(needs, releases(), wanted, build)
    return ways_out(needs, releases(), answer, strip(file, build))


def test_too_new_a_file_wants_a_newer_runtime_or_an_older_converter_and_never_an_upgrade() -> None:
    assert ways(NEW, "1.15.1") == [
        "Ship a newer runtime that loads this file: 1.16 or later",
        (
            "Convert again from the ONNX source with onnxruntime 1.15.1, which"
            " `ortstudio runtimes install 1.15.1` brings:"
            " ortstudio convert MODEL.onnx --runtime 1.15.1"
        ),
    ]


def test_a_model_that_asks_too_much_is_not_to_be_converted_again() -> None:
    assert ways(INT4, "1.16.3") == [
        "Ship a newer runtime that loads this file: 1.19 to 1.27",
        "Make the model again with another element type for w_u4 and w_i4",
        "Export the model again with opset 19 or older",
    ]


def test_the_model_is_asked_of_also_where_the_format_is_refused_first() -> None:
    assert ways("v6_ort1.18.1_modern_fixed_disable.ort", "1.10.0") == [
        "Ship a newer runtime that loads this file: 1.18 or later",
        "Export the model again with opset 15 or older",
    ]


def test_where_no_newer_release_loads_it_an_older_one_does() -> None:
    assert ways(INT4, "1.32.0")[0] == "Ship an older runtime that loads this file: 1.19 to 1.27"


def test_releases_of_one_minor_number_are_told_apart_where_they_differ() -> None:
    known, needs = releases(), needs_of(NEW)
    good, bad = strip(NEW, "full")[-1], strip(NEW, "full")[0]

    def sentence(*loading: str) -> str:
        answers = [replace(good if str(one) in loading else bad, release=one) for one in known.all]
        found = replace(bad, release=Release(1, 15, 1))
        return ways_out(needs, known, found, answers)[0].text.partition(": ")[2]

    assert sentence("1.22.1") == "1.22.1"
    assert sentence("1.23.0", "1.23.1", "1.23.2") == "1.23"
    assert sentence("1.23.1", "1.23.2", "1.24.1") == "1.23.1 to 1.24.1"


def test_an_old_file_is_upgraded_for_a_minimal_build_or_loaded_by_a_full_one() -> None:
    assert ways(OLD, "1.32.0", "minimal")[:2] == [
        "Ship a full build of 1.32.0: it loads this file",
        f"Upgrade the file to format version 6: ortstudio upgrade {OLD}",
    ]


def test_it_is_upgraded_only_to_what_the_release_reads() -> None:
    assert f"ortstudio upgrade --to 5 {OLD}" in ways(OLD, "1.13.1")[1]
    assert "upgrade" not in [way.means for way in found(NEW, "1.12.1")]


def test_saved_optimizations_that_stop_the_load_can_be_dropped() -> None:
    assert (
        "Drop the saved optimizations: ortstudio edit"
        f" {RECORDS} -o OUT.ort --drop-optimizations" in ways(RECORDS, "1.29.0")
    )


def test_an_onnx_model_is_converted_for_a_minimal_build() -> None:
    assert ways("sources/cnn.onnx", "1.16.3", "minimal") == [
        "Ship a full build of 1.16.3: it loads this file",
        (
            "Convert the model with onnxruntime 1.16.3, which"
            " `ortstudio runtimes install 1.16.3` brings:"
            " ortstudio convert cnn.onnx --runtime 1.16.3"
        ),
    ]


def test_wrong_numbers_call_for_a_release_that_computes_right() -> None:
    assert ways("v4_ort1.12.1_cnn_fixed_all.ort", "1.9.0") == [
        "Ship a newer runtime that loads this file: 1.12, 1.14 or later"
    ]


@pytest.mark.parametrize(("file", "release"), [(NEW, "1.32.0"), (OLD, "1.32.0"), (NEW, "1.99.0")])
def test_there_is_none_where_it_loads_nor_where_nobody_knows(file: str, release: str) -> None:
    assert ways(file, release) == []


@pytest.mark.parametrize("file", [NEW, INT4, OLD, RECORDS, "sources/cnn.onnx"])
@pytest.mark.parametrize("build", ["full", "minimal"])
def test_every_refusal_of_every_release_that_converts_has_a_way_out(
    file: str, build: Build
) -> None:
    for answer in strip(file, build):
        if answer.loads == "no" and releases().writes(answer.release):
            assert found(file, str(answer.release), build), answer
