"""How a file was made, put into its metadata and read from there."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from ortstudio.errors import MissingError, RefusedError
from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.ort_reader import read_ort
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe.models import describe_model
from ortstudio.services.document import open_document
from ortstudio.services.inspect import answer
from ortstudio.services.ort_edits import set_stamp
from ortstudio.services.ort_write import rewrite
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.stamp import KEYS, Stamp
from tests.builders.knowledge import CORPUS

MADE = CORPUS / "v6_ort1.32.0_meta_fixed_disable.ort"
SOURCE = CORPUS / "sources" / "extdata.onnx"
DATA = CORPUS / "sources" / "extdata.bin"


@pytest.fixture(scope="module")
def stamp() -> Stamp:
    return Stamp.of(SOURCE, "1.32.0", Level.ALL, Style.RUNTIME, Target.ARM, [DATA])


def stamped(source: Path, folder: Path, stamp: Stamp) -> Path:
    rewrite(source, folder / "stamped.ort", [set_stamp(stamp)])
    return folder / "stamped.ort"


def model(path: Path) -> Model:
    return read_ort(Source.open(path))


def test_a_stamp_names_the_content_of_the_source_and_of_its_data(stamp: Stamp) -> None:
    assert stamp.source_sha256 == hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    assert stamp.external_data_sha256 == hashlib.sha256(DATA.read_bytes()).hexdigest()


def test_a_stamp_comes_back_and_nothing_else_changes(stamp: Stamp, tmp_path: Path) -> None:
    before, after = model(MADE), model(stamped(MADE, tmp_path, stamp))
    assert Stamp.read(after.metadata) == stamp
    assert Stamp.read(before.metadata) is None
    kept = {key: text for key, text in after.metadata.items() if key not in KEYS}
    assert kept == dict(before.metadata) != {}
    assert after.main.nodes.names == before.main.nodes.names


def test_a_second_stamp_takes_the_place_of_the_first(stamp: Stamp, tmp_path: Path) -> None:
    first = stamped(MADE, tmp_path, stamp)
    second = replace(stamp, target="", external_data_sha256="", level="basic")
    (tmp_path / "again").mkdir()
    assert Stamp.read(model(stamped(first, tmp_path / "again", second)).metadata) == second


def test_inspect_says_how_a_file_was_made(stamp: Stamp, tmp_path: Path) -> None:
    document = open_document(stamped(MADE, tmp_path, stamp))
    assert answer(document)["stamp"] == stamp.to_json()
    assert answer(open_document(MADE))["stamp"] is None
    facts = next(
        s for s in describe_model(document, Ref(RefKind.MODEL)) if s.title == "Made by"
    ).facts
    assert [(fact.name, fact.text) for fact in facts[:3]] == [
        ("How it was made", "by ONNX Runtime 1.32.0, level all, style runtime, target arm"),
        ("", f"from a source with SHA-256 {stamp.source_sha256}"),
        ("", f"and external data with SHA-256 {stamp.external_data_sha256}"),
    ]


def test_a_part_of_a_stamp_says_what_it_says() -> None:
    found = Stamp.read({"ortstudio.level": "basic", "author": "x"})
    assert found is not None
    assert found.words() == ("level basic",)
    assert found.to_json()["source_sha256"] is None


def test_a_version_without_metadata_cannot_be_stamped(stamp: Stamp, tmp_path: Path) -> None:
    old = CORPUS / "v3_ort1.7.0_meta_fixed_disable.ort"
    with pytest.raises(RefusedError, match="version 3 has no place for metadata"):
        stamped(old, tmp_path, stamp)


def test_a_source_that_is_gone_cannot_be_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        Stamp.of(tmp_path / "gone.onnx", "1.32.0", Level.ALL, Style.FIXED)
