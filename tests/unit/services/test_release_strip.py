"""Releases side by side, in as few words as say what is so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Kind, Said
from ortstudio.services.compatibility import releases
from ortstudio.services.release_strip import (
    Standing,
    releases_text,
    standing,
    stretches,
    strip_text,
)


def answer(release: Release, loads: str, *kinds: Kind) -> Compatibility:
    said = tuple(Said(kind, kind) for kind in kinds)
    return Compatibility(release, "full", loads, f"{release} says so", "rule", said)  # type: ignore[arg-type]


def strip(loads: Callable[[Release], str]) -> list[Compatibility]:
    return [answer(release, loads(release)) for release in releases().all]


@pytest.mark.parametrize(
    ("loads", "kinds", "expected"),
    [
        ("yes", (), Standing.LOADS),
        ("yes", ("slower",), Standing.SLOWER),
        ("yes", ("slower", "warning"), Standing.WARNED),
        ("no", ("no", "warning"), Standing.REFUSES),
        ("not known", ("not known", "slower"), Standing.UNKNOWN),
    ],
)
def test_the_gravest_thing_said_decides_how_a_file_stands(
    loads: str, kinds: tuple[Kind, ...], expected: Standing
) -> None:
    found = standing(answer(Release(1, 20, 1), loads, *kinds))
    assert found is expected
    assert found.loads is (loads == "yes")


def test_neighbours_that_answer_alike_are_one_stretch() -> None:
    parts = stretches(strip(lambda one: "yes" if one.minor in (14, 15) else "no"))
    assert [part.standing for part in parts] == [
        Standing.REFUSES,
        Standing.LOADS,
        Standing.REFUSES,
    ]
    assert parts[1].to_json() == {
        "first": "1.14.0",
        "last": "1.15.1",
        "standing": "loads",
        "why": "1.15.1 says so",
    }


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (lambda one: one.minor >= 14, "1.14 and newer"),
        (lambda one: 8 <= one.minor <= 12, "1.8 to 1.12"),
        (lambda one: one.minor == 13, "1.13"),
        (lambda one: one.minor == 16, "1.16"),
        (lambda one: one == (1, 16, 2), "1.16.2"),
        (lambda one: one == (1, 5, 1), "1.5.1"),
        (lambda one: (1, 16, 2) <= one < (1, 17, 0), "1.16.2 to 1.16.3"),
        (lambda one: (1, 16, 2) <= one < (1, 17, 1), "1.16.2 to 1.17.0"),
        (lambda one: one >= (1, 16, 2), "1.16.2 and newer"),
        (lambda one: one.minor in (6, 7) or one.minor >= 14, "1.6 to 1.7, 1.14 and newer"),
        (lambda one: one == releases().newest, "1.32"),
        (lambda _one: False, ""),
    ],
)
def test_releases_are_named_by_minor_where_all_of_it_is_meant(
    wanted: Callable[[Release], bool], expected: str
) -> None:
    shown = strip(lambda _one: "yes")
    assert releases_text(shown, lambda place: wanted(shown[place].release)) == expected


def test_a_strip_is_said_by_standing() -> None:
    shown = strip(lambda one: "yes" if one.minor >= 14 else "no" if one.minor < 13 else "not known")
    assert strip_text(shown) == "loads: 1.14 and newer; refuses: 1.4 to 1.12; not known: 1.13"
