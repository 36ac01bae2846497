from __future__ import annotations

import json

import pytest

from tests.builders.corpus import CorpusFile, corpus_files, corpus_model
from tests.builders.knowledge import CORPUS, format_versions
from tests.builders.models import RUNTIME_IMPORTS, graph, imports, onnx, ort

VERSIONS = format_versions()
NHWC = "com.ms.internal.nhwc"


def minor(release: str) -> int:
    return int(release.split(".")[1])


@pytest.mark.parametrize(
    ("number", "writes", "full", "minimal"),
    [
        (1, "1.5", "1.5 to 1.7, 1.14 and newer", "1.5"),
        (4, "1.8 to 1.12", "1.8 to 1.12, 1.14 and newer", "1.8 to 1.12"),
        (5, "1.13 to 1.15", "1.13 and newer", "1.13 and newer"),
        (6, "1.16 and newer", "1.16 and newer", "1.16 and newer"),
    ],
)
def test_a_version_is_told_in_releases(number: int, writes: str, full: str, minimal: str) -> None:
    version = VERSIONS.get(number)
    assert version is not None
    assert VERSIONS.words(version.writes) == writes
    assert VERSIONS.words(version.full) == full
    assert VERSIONS.words(version.minimal) == minimal


def test_the_data_agrees_with_every_release_measured() -> None:
    measured = json.loads((CORPUS / "compat.json").read_text(encoding="utf-8"))
    for number in range(1, VERSIONS.newest + 1):
        version = VERSIONS.get(number)
        assert version is not None
        for column, told in (("writes", version.writes), ("reads", version.full)):
            releases = [r for r, found in measured[column].items() if str(number) in found]
            assert {minor(r) for r in releases} == told


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("5", "1.13 to 1.15"),
        ("7", "not known: format 7 is newer than this tool knows"),
        ("x", "not known: 'x' is no format version"),
        ("", "not known: the file states no format version"),
        ("0", "not known: no release writes format 0"),
    ],
)
def test_written_by_never_names_a_release_for_a_version_not_known(text: str, answer: str) -> None:
    assert VERSIONS.written_by(ort(graph([]), version=text)) == answer


def test_only_one_release_left_the_identifier_out() -> None:
    assert VERSIONS.written_by(ort(graph([]), version="1", has_identifier=False)) == "1.5.1"


def test_an_onnx_model_is_written_by_no_release() -> None:
    model = onnx(graph([]))
    assert VERSIONS.written_by(model) == ""
    assert VERSIONS.guess(model) is None


def test_imported_domains_narrow_the_version_to_a_guess() -> None:
    guess = VERSIONS.guess(ort(graph([])))
    assert guess is not None
    assert guess.text == "1.17 to 1.27"
    assert "guess" in guess.why


def test_without_the_domains_that_a_runtime_imports_there_is_no_guess() -> None:
    assert VERSIONS.guess(ort(graph([]), opset_imports=imports(("", 17)))) is None


def test_imports_older_than_the_version_tell_of_a_file_saved_again() -> None:
    guess = VERSIONS.guess(ort(graph([]), opset_imports=(*RUNTIME_IMPORTS, *imports((NHWC, 17)))))
    assert guess is not None
    assert guess.text == "1.16 and newer, from a file that 1.12 to 1.13 wrote"


def test_imports_newer_than_the_version_are_no_evidence() -> None:
    newer = (*RUNTIME_IMPORTS, *imports(("ai.onnx.preview", 1)))
    assert VERSIONS.guess(ort(graph([]), version="5", opset_imports=newer)) is None


@pytest.mark.parametrize("file", corpus_files(), ids=lambda file: file["file"])
def test_the_true_writer_is_among_those_told_and_guessed(file: CorpusFile) -> None:
    model = corpus_model(file["file"])
    writer = f"1.{minor(file['written_by'])}"
    version = VERSIONS.get(int(file["format_version"]))
    assert version is not None
    assert minor(file["written_by"]) in version.writes
    guess = VERSIONS.guess(model)
    if guess is not None and "from a file" not in guess.text:
        first, _, last = guess.text.removesuffix(" and newer").partition(" to ")
        last = "1.99" if guess.text.endswith("newer") else last or first
        assert minor(first) <= minor(writer) <= minor(last)
    if "_from_v" in file["file"]:
        assert guess is not None
        assert "from a file" in guess.text
