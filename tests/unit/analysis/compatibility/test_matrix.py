"""The rules against what 52 releases really said of every file of the corpus."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.oracle import Compatibility, compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.findings import findings
from ortstudio.model.model import Model
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import CORPUS, format_versions, operators, releases

MATRIX = json.loads((CORPUS / "load_matrix.json").read_text(encoding="utf-8"))
FILES = sorted(row["file"] for row in corpus_files() if row["file"] in MATRIX)
NOT_KNOWN_AT_MOST = 0.03
"""Share of the matrix; it was 0.026 when this was written."""


def needs_of(model: Model) -> Needs:
    subject = Subject(model, operators(), format_versions())
    return Needs(subject, tuple(findings(model, operators(), format_versions())))


@functools.cache
def answers(file: str) -> tuple[Compatibility, ...]:
    needs = needs_of(corpus_model(file))
    return tuple(compatibility(needs, releases(), release) for release in releases().all)


@pytest.mark.parametrize("file", FILES)
def test_no_answer_contradicts_what_the_release_said(file: str) -> None:
    loaded = set(MATRIX[file]["ok"])
    wrong = [
        f"{answer.release}: {answer.loads}, {answer.why}"
        for answer in answers(file)
        if answer.loads not in ("not known", "yes" if str(answer.release) in loaded else "no")
    ]
    assert wrong == []


def test_the_data_know_no_file_of_the_corpus(checkout: Path) -> None:
    """So each file, and each source model, is left out of what its answers are made from."""
    data = (checkout / "resources" / "releases.json").read_text(encoding="utf-8")
    rules = (checkout / "ortstudio" / "analysis" / "compatibility").glob("*.py")
    known = data + "".join(path.read_text(encoding="utf-8") for path in rules)
    assert [name for name in FILES if name.removesuffix(".ort") in known] == []
    hashes = [hashlib.sha256((CORPUS / name).read_bytes()).hexdigest() for name in FILES]
    assert [found for found in hashes if found in known] == []
    assert "load_matrix" not in known


def test_few_answers_are_not_known() -> None:
    found = Counter(answer.loads for file in FILES for answer in answers(file))
    assert found["not known"] / found.total() < NOT_KNOWN_AT_MOST


def refusals() -> list[tuple[str, str, str]]:
    """File, release, and what that said."""
    return [
        (file, version, words)
        for file in FILES
        for words, versions in MATRIX[file]["load_errors"].items()
        for version in versions
    ]


def test_the_expected_words_are_those_that_the_release_used() -> None:
    expected = {(file, str(a.release)): a for file in FILES for a in answers(file)}
    said = [(expected[file, version], words) for file, version, words in refusals()]
    refused = [(answer, words) for answer, words in said if answer.loads == "no"]
    right = [_holds(answer.words, words) for answer, words in refused]
    assert len(right) > 1000
    assert sum(right) / len(right) > 0.93


def _holds(expected: str, words: str) -> bool:
    """Whether the expected words stand in what was said; `…` for what nobody foretells."""
    squeezed = " ".join(words.split())
    return all(part.strip() in squeezed for part in expected.split("…"))


def test_wrong_numbers_are_warned_of_where_they_were_measured() -> None:
    (file,) = (f for f in FILES if max(MATRIX[f]["max_abs_diff"].values(), default=0) > 1)
    warned = {str(a.release) for a in answers(file) if a.loads != "no" and a.warnings}
    assert warned == set(MATRIX[file]["max_abs_diff"])


def test_old_files_are_ignored_optimizations_and_all_said_of() -> None:
    by_release = {str(a.release): a for a in answers("v4_ort1.11.1_cnn_runtime_all.ort")}
    assert by_release["1.12.1"].warnings == ()
    assert by_release["1.16.0"].warnings == ("1.16.0 ignores saved optimizations of format 4",)


def test_a_release_between_two_that_agree_is_answered_for_by_them() -> None:
    needs = needs_of(corpus_model("v6_ort1.32.0_cnn_runtime_all.ort"))
    answer = compatibility(needs, releases(), Release(1, 16, 9))
    assert (answer.loads, answer.evidence) == ("yes", "rule")


def test_of_a_release_newer_than_all_nothing_is_known() -> None:
    needs = needs_of(corpus_model("v6_ort1.32.0_cnn_runtime_all.ort"))
    assert compatibility(needs, releases(), Release(1, 99, 0)).loads == "not known"


@pytest.mark.parametrize("build", ["minimal", "extended-minimal"])
def test_minimal_builds_refuse_what_is_older_than_format_5(build: str) -> None:
    needs = needs_of(corpus_model("v4_ort1.12.1_mlp_fixed_basic.ort"))
    answer = compatibility(needs, releases(), Release(1, 32, 0), build)  # type: ignore[arg-type]
    assert answer.loads == "no"
    assert "format version 5 or newer" in answer.why


def test_a_file_too_new_names_the_release_that_it_needs() -> None:
    needs = needs_of(corpus_model("v6_ort1.32.0_cnn_runtime_all.ort"))
    answer = compatibility(needs, releases(), Release(1, 15, 1))
    assert answer.why == "Format version 6 is too new for 1.15.1: it needs 1.16 or later"
    assert (answer.loads, answer.evidence) == ("no", "measured")


def test_an_action_that_nobody_asked_a_release_for_is_not_known() -> None:
    assert releases().holds("actions", "MatMulNBitsFusion:FuseBias", Release(1, 29, 0)) is None
    name = "QDQSelectorActionTransformer:Where"
    assert releases().holds("actions", name, Release(1, 13, 1)) is False
    assert releases().holds("actions", name, Release(1, 14, 0)) is True
