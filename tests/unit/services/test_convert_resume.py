from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.jobs import platform
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_resume import ALREADY, Left, attest, attest_ours, left
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.runtimes import own
from ortstudio.services.sessions import Level, Style, Target

MODEL = "v6_ort1.32.0_cnn_runtime_all.ort"


@pytest.fixture(autouse=True)
def notes(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_bytes(b"")
    if not platform.set_note(probe, "x"):
        pytest.skip("the file system of the temporary folder keeps no notes")
    probe.unlink()


@pytest.fixture
def source(tmp_path: Path, corpus: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return Path(shutil.copy(corpus / "sources" / "cnn.onnx", folder))


def planned(source: Path, **chosen: object) -> PlannedSource:
    settings = replace(ConvertSettings(write_config=False, resume=True), **chosen)  # type: ignore[arg-type]
    (row,) = plan([source], settings).sources
    return row


@pytest.fixture
def result(source: Path, corpus: Path) -> Path:
    """A sound model in the result's place, with a note that it was made from the source."""
    path = source.with_suffix(".ort")
    shutil.copy(corpus / MODEL, path)
    attest(path, planned(source, overwrite=True))
    return path


def test_a_result_of_this_very_source_is_skipped(source: Path, result: Path) -> None:
    row = planned(source)
    assert left(result, row) is Left.CURRENT
    assert (row.skipped, row.refusal) == (ALREADY, None)


def test_without_resume_it_is_in_the_way(source: Path, result: Path) -> None:
    row = planned(source, resume=False)
    assert result.exists()
    assert row.skipped == ""
    assert isinstance(row.refusal, RefusedError)


def test_a_note_stays_with_a_renamed_file_and_changes_no_time(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"content")
    os.utime(file, ns=(10**18, 10**18))
    assert platform.note(file) is None
    assert platform.set_note(file, "made from é")
    file.rename(tmp_path / "b")
    assert platform.note(tmp_path / "b") == "made from é"
    assert (tmp_path / "b").stat().st_mtime_ns == 10**18
    assert (tmp_path / "b").read_bytes() == b"content"


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def exchange(path: Path) -> None:
    """Another file of the same size and times."""
    times = path.stat()
    content = path.read_bytes()
    path.rename(path.with_suffix(".old"))
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    path.with_suffix(".old").unlink()


@pytest.mark.parametrize("change", [touch, exchange])
def test_a_source_that_was_changed_is_converted_again(
    change: Callable[[Path], None], source: Path, result: Path
) -> None:
    change(source)
    row = planned(source)
    assert left(result, row) is Left.OURS
    assert (row.skipped, row.refusal) == ("", None)
    assert row.outputs[0].replaces


@pytest.mark.parametrize("change", [touch, exchange])
def test_a_result_that_was_changed_is_nobodys_and_never_replaced_unasked(
    change: Callable[[Path], None], source: Path, result: Path
) -> None:
    change(result)
    row = planned(source)
    assert left(result, row) is Left.UNKNOWN
    assert isinstance(row.refusal, RefusedError)
    assert planned(source, overwrite=True).refusal is None


def test_a_copy_of_a_result_is_nobodys(source: Path, result: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.ort"
    shutil.copy2(result, copy)
    assert left(copy, planned(source)) is Left.UNKNOWN


def test_a_result_of_other_choices_is_made_again(source: Path, result: Path) -> None:
    for other in (
        {"target": Target.AMD64},
        {"disabled_optimizers": ("ConstantFolding",)},
        {"stamp": True},
        {"level": Level.ALL, "reproducible": True},
    ):
        row = planned(source, **other)
        assert left(result, row) is Left.OURS
        assert (row.skipped, row.refusal) == ("", None)


def test_a_result_of_another_release_is_made_again(source: Path, corpus: Path) -> None:
    def row(release: str) -> PlannedSource:
        def child() -> Child:
            made = agent_child()
            made.release = release
            return made

        settings = ConvertSettings(write_config=False, resume=True, overwrite=True)
        return plan([source], settings, make_child=child).sources[0]

    shutil.copy(corpus / MODEL, source.with_suffix(".ort"))
    attest(source.with_suffix(".ort"), row("old 1.16.3"))
    assert row("old 1.16.3").skipped == ALREADY
    assert row("old 1.17.0").skipped == ""
    assert planned(source).skipped == ""


def test_our_own_release_has_one_name(source: Path, result: Path) -> None:
    assert result.exists()
    settings = ConvertSettings(write_config=False, resume=True)
    (row,) = plan([source], settings, make_child=own().child).sources
    assert row.skipped == ALREADY


def test_choices_that_change_no_byte_do_not_matter(source: Path, result: Path) -> None:
    assert result.exists()
    for other in ({"jobs": 2}, {"memory": 1 << 30}, {"keep_going": True}, {"verify": False}):
        assert planned(source, **other).skipped == ALREADY


def test_what_was_not_verified_is_made_again_where_that_is_wanted(
    source: Path, result: Path
) -> None:
    attest(result, planned(source, verify=False, overwrite=True))
    assert planned(source, verify=False).skipped == ALREADY
    assert planned(source).skipped == ""


def test_a_row_is_skipped_only_when_all_its_results_are_there(source: Path, result: Path) -> None:
    both = (Style.FIXED, Style.RUNTIME)
    row = planned(source, styles=both)
    assert (row.skipped, row.refusal) == ("", None)
    assert [output.replaces for output in row.outputs] == [True, False]
    assert result.exists()


def test_a_damaged_result_is_made_again(source: Path, result: Path) -> None:
    result.write_bytes(result.read_bytes()[:100])
    attest(result, planned(source, overwrite=True))
    row = planned(source)
    assert (row.skipped, row.refusal) == ("", None)


def test_without_notes_nothing_is_known(
    source: Path, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "note", lambda _path: None)
    assert left(result, planned(source)) is Left.UNKNOWN
    assert planned(source).refusal is not None


@pytest.mark.parametrize("note", ["", "{", "[]", '{"version": 0}', '{"version": 1, "file": 3}'])
def test_a_strange_note_says_nothing(note: str, source: Path, result: Path) -> None:
    platform.set_note(result, note)
    assert left(result, planned(source)) is Left.UNKNOWN


def test_what_is_only_ours_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.config"
    assert left(path) is Left.NOTHING
    path.write_text("#")
    assert left(path) is Left.UNKNOWN
    attest_ours(path)
    assert left(path) is Left.OURS
