from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.errors import MissingError, UsageError
from ortstudio.format.source import Identity
from ortstudio.jobs import machine, platform
from ortstudio.services.convert_needs import (
    CHILD_BYTES,
    OWN_BYTES,
    THREAD_BYTES,
    Means,
    means,
    need_bytes,
)
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings

GB = 1 << 30


@pytest.fixture(autouse=True)
def eight_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "processors", lambda: 8)
    monkeypatch.setattr(machine, "free_memory_bytes", lambda: 16 * GB)
    monkeypatch.setattr(platform, "resident_bytes", lambda _process: GB)


def source(*sizes: int, refused: bool = False) -> PlannedSource:
    files = tuple((Path(f"f{i}"), Identity(size, 0, 0)) for i, size in enumerate(sizes))
    refusal = MissingError("gone") if refused else None
    return PlannedSource(Path("f0"), (), ConvertSettings(), files, refusal=refusal)


def test_a_model_needs_its_weights_three_times_wherever_they_are() -> None:
    inside, outside = need_bytes(source(3 * GB), 1), need_bytes(source(GB, 2 * GB), 1)
    assert inside == outside
    assert 9 * GB < inside < 10 * GB


def test_a_small_model_needs_a_child_and_many_times_its_nodes() -> None:
    empty, small = need_bytes(source(0), 2), need_bytes(source(1 << 20), 2)
    assert empty == CHILD_BYTES + 2 * THREAD_BYTES
    assert small - empty == 30 << 20


def test_what_is_refused_needs_nothing() -> None:
    assert need_bytes(source(GB, refused=True), 1) == 0


@pytest.mark.parametrize(
    ("jobs", "count", "found"),
    [
        (None, 100, (9, 1)),
        (None, 3, (3, 2)),
        (None, 1, (1, None)),
        (None, 0, (1, None)),
        (2, 100, (2, 4)),
        (1, 100, (1, None)),
    ],
)
def test_children_share_the_processors(
    jobs: int | None, count: int, found: tuple[int, int | None]
) -> None:
    there = means(ConvertSettings(jobs=jobs), count)
    assert (there.jobs, there.threads) == found


def test_unasked_most_of_what_is_free_may_be_taken() -> None:
    assert means(ConvertSettings(), 4).memory_bytes == 12 * GB - GB - OWN_BYTES


def test_memory_that_was_given_is_for_us_too() -> None:
    there = means(ConvertSettings(memory=4 * GB, jobs=2), 4)
    assert there == Means(2, 3 * GB - OWN_BYTES, 4)


def test_less_than_one_child_takes_is_refused_if_asked_for_and_tried_if_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="not enough"):
        means(ConvertSettings(memory=GB), 4)
    monkeypatch.setattr(machine, "free_memory_bytes", lambda: 1000)
    assert means(ConvertSettings(), 4).memory_bytes == CHILD_BYTES
