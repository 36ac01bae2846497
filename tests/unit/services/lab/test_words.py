"""Results in words: who is best, how sure that is, what it costs, and what was before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.errors import UsageError
from ortstudio.services.lab.earlier import Earlier
from ortstudio.services.lab.modes import mode
from ortstudio.services.lab.numbers import numbers
from ortstudio.services.lab.page import page
from ortstudio.services.lab.results import LoadParts
from ortstudio.services.lab.scale import scale
from ortstudio.services.lab.words import (
    bests,
    headline,
    loads_in_parts,
    settings_text,
    status_text,
    subject_text,
)
from tests.unit.services.lab.made import measured, result

MAPPED = mode("mapped-in-place-no-prepacking")


def test_the_best_is_named_with_what_it_costs() -> None:
    found = result(measured(), measured("b.ort", 0.5, 12, mode=MAPPED))
    load = next(one for one in bests(found) if one.measure == "load_ns")
    name = "b.ort, mapped, weights in place and not repacked"
    assert load.clear
    assert load.text == f"{name}, 200 times faster than a.onnx, from a path"
    assert load.cost == "20 % more time for the first run and 20 % more time to run"
    assert headline(found).startswith(f"{name}: loads fastest (200 times faster).")


def test_who_cannot_take_the_c_api_is_told_the_best_way_in_python() -> None:
    native = measured("b.ort", 0.5, mode=mode("c-mapped-in-place"))
    found = bests(result(measured(), native, measured("b.ort", 1, mode=MAPPED)))
    assert [one.title for one in found[:2]] == ["loads fastest", "loads fastest in Python"]
    assert "100 times faster" in found[1].text


def test_where_nothing_is_clear_that_is_said() -> None:
    found = result(measured(), measured("b.ort"))
    assert headline(found) == "No clear difference in any respect."
    assert not any(one.clear for one in bests(found))


def test_few_rounds_are_too_early_for_a_verdict() -> None:
    found = result(measured(rounds=3), measured("b.ort", 1, rounds=3))
    assert headline(found) == "Too early for a verdict: 3 rounds of the 9 that one takes."


def test_the_first_may_be_the_best() -> None:
    found = result(measured(), measured("b.ort", 300))
    load = next(one for one in bests(found) if one.measure == "load_ns")
    assert load.clear
    assert load.text == "a.onnx, from a path, before b.ort, from a path"


def test_a_crash_is_told_as_unsafe() -> None:
    why = "unsafe here: the child process crashed (SIGSEGV)"
    assert status_text(measured(status="crashed", why=why)) == "unsafe here: crashed (SIGSEGV)"


def test_what_a_load_was_made_of_is_told_as_far_as_it_is_known() -> None:
    onnx, told = measured(), measured("b.ort", mode=mode("bytes"))
    onnx.load_parts = LoadParts(12_000_000, 0, 3_000_000, 8_000_000)
    told.load_parts = LoadParts(6_000_000, 1_000_000, None, 3_000_000)
    untold = measured("b.ort", mode=mode("c-path"))
    crashed = measured("b.ort", mode=mode("bytes-in-place"), status="crashed")
    built = "model read and built in 3.00 ms, session initialized in 8.00 ms, the rest 1.00 ms"
    loaded = "file read first in 1.00 ms, session initialized in 3.00 ms, the rest 2.00 ms"
    assert loads_in_parts(result(onnx, told, untold, crashed)) == [
        ("a.onnx, from a path", f"{built}; 10 bytes read"),
        ("b.ort, from bytes", f"{loaded}; 10 bytes read"),
        ("b.ort, C API: from a path", "10 bytes read"),
    ]
    assert "session initialized in 8.00 ms" in page(result(onnx))


def test_the_processors_that_children_were_kept_to_are_told() -> None:
    kept = result(measured())
    assert "processors" not in settings_text(kept)
    kept.environment = {**kept.environment, "cpus_kept_to": [0, 3]}
    assert settings_text(kept).endswith("; processors: 0, 3")


def test_a_name_says_just_what_differs() -> None:
    found = result(measured(threads=1), measured(threads=2))
    assert subject_text(found, 1) == "a.onnx, from a path, threads: 2"
    assert subject_text(result(measured(threads=1)), 0) == "a.onnx, from a path"


def test_an_earlier_result_stands_beside_without_a_verdict() -> None:
    then = result(measured(load_ms=200))
    then.environment = {**then.environment, "cpu": "another", "runtimes": {"own": "1.31.0"}}
    now = result(measured(), measured("b.ort"))
    earlier = Earlier(then)
    found = earlier.then(now, 0, "load_ns")
    assert found is not None
    assert found.ratio.ratio == pytest.approx(0.5)
    assert found.ratio.verdict == "no clear difference"
    assert earlier.then(now, 1, "load_ns") is None
    notes = " ".join(earlier.notes(now))
    assert "processor: another then, a processor now" in notes
    assert "1.31.0 then, 1.32.0 now" in notes
    assert "1 of 2 subjects were not measured then" in notes


def test_a_page_needs_nothing_else_and_takes_no_markup_from_names() -> None:
    other = measured("b.ort", 1, mode=MAPPED)
    evil = measured("<script>.ort")
    made = page(result(measured(), other, evil), Earlier(result(measured())))
    assert "<script>" not in made
    assert "&lt;script&gt;.ort" in made
    assert made.count("<svg") == 5
    assert "http:" not in made
    assert "100 times faster" in made


def test_a_page_of_what_could_not_be_measured_says_why() -> None:
    failed = replace(measured(rounds=0), status="timed out", why="it took too long")
    assert "timed out: it took too long" in page(result(measured(), failed))


@pytest.mark.parametrize("values", [[], [0.0], [5.0], [1.0, 1.0001], [3.0, 4.0], [1e3, 1e9]])
def test_every_value_has_a_place_on_the_axis(values: list[float]) -> None:
    of = scale(values)
    assert all(0 <= of.share(value) <= 1 for value in values)
    assert len(of.ticks(6)) <= 7
    assert all(of.low <= tick <= of.high * (1 + 1e-9) for tick in of.ticks(6))


def test_values_far_apart_stand_on_powers_of_ten() -> None:
    of = scale([1e6, 1e9])
    assert of.logarithmic
    assert {1e7, 1e8} <= set(of.ticks(6))
    assert not scale([1.0, 2.0]).logarithmic


@pytest.mark.parametrize("text", ["", "0", "1,,2", "x", "-1", "1.5", "99999", "٣"])
def test_a_list_of_numbers_is_one_of_whole_numbers(text: str) -> None:
    with pytest.raises(UsageError):
        numbers(text, 1024)


def test_numbers_are_taken_once() -> None:
    assert numbers("8, 1,8", 1024) == (8, 1)
