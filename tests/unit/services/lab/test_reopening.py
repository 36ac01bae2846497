"""Results go into files and come back; files that are none are refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ortstudio.errors import FormatError, MissingError
from ortstudio.services.lab.modes import mode
from ortstudio.services.lab.reopening import reopen
from ortstudio.services.lab.results import LoadParts
from ortstudio.services.lab.saved import csv_text, save
from tests.unit.services.lab.made import measured, result

MADE = result(
    measured(batch=2),
    measured("b.ort", 20, mode=mode("mapped"), batch=2),
    measured(
        "b.ort", mode=mode("bytes-in-place"), batch=2, status="crashed", why="unsafe", rounds=0
    ),
    measured("b.ort", mode=mode("c-path"), batch=2, status="not measured", why="no", rounds=0),
)


def test_a_saved_result_says_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    save(MADE, tmp_path / "r.json")
    assert reopen(tmp_path / "r.json").to_json() == MADE.to_json()


def test_what_a_load_was_made_of_is_kept(tmp_path: Path) -> None:
    one = measured()
    one.load_parts = LoadParts(12, 0, None, 8)
    save(result(one), tmp_path / "r.json")
    assert reopen(tmp_path / "r.json").subjects[0].load_parts == one.load_parts


def test_what_the_system_did_not_tell_stays_unknown(tmp_path: Path) -> None:
    save(result(measured()), tmp_path / "r.json")
    first = reopen(tmp_path / "r.json").subjects[0].rounds[0]
    assert first.private_after_load_bytes is None
    assert len(first.run_ns) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "ortstudio/diff@1"},
        {"subjects": []},
        {"subjects": [1]},
        {"environment": []},
        {"notes": None},
    ],
)
def test_another_object_is_no_result(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(result(measured()).to_json() | change), encoding="utf-8")
    with pytest.raises(FormatError, match="no saved result"):
        reopen(path)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "fine"},
        {"load_ns": [1]},
        {"load_parts": 1},
        {"load_parts": {"load_ns": 1, "read_ns": "0"}},
        {"load_ns": [-1] * 12},
        {"load_ns": ["1"] * 12},
        {"runs_by_round": [36] + [0] * 12},
        {"runs_by_round": [37] + [0] * 10 + [-1]},
        {"run_ns": 7},
        {"mode": "by magic"},
        {"kind": "checkpoint"},
        {"level": "most"},
        {"path": None},
        {"threads": "many"},
    ],
)
def test_a_subject_that_makes_no_sense_is_refused(
    tmp_path: Path, change: dict[str, object]
) -> None:
    answer = json.loads(json.dumps(result(measured()).to_json()))
    answer["subjects"][0] |= change
    path = tmp_path / "r.json"
    path.write_text(json.dumps(answer), encoding="utf-8")
    with pytest.raises(FormatError, match="no saved result"):
        reopen(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]"])
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="no saved result"):
        reopen(path)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        reopen(tmp_path / "nowhere.json")


def test_samples_as_csv_have_a_line_each_and_a_line_for_what_failed() -> None:
    rows = list(csv.DictReader(csv_text(MADE).splitlines()))
    runs = [row for row in rows if row["measure"] == "run_ns" and row["mode"] == "mapped"]
    assert len(runs) == 36
    assert (runs[0]["path"], runs[0]["round"], runs[0]["batch"]) == ("b.ort", "1", "2")
    crashed = [row for row in rows if row["status"] == "crashed"]
    assert [row["value"] for row in crashed] == [""]
