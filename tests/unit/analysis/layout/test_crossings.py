from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.analysis.layout import crossings as module
from ortstudio.analysis.layout.crossings import crossings, saved_by_swap

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=4, unique=True), max_size=8)
PLACES = st.permutations(range(10))


def counted(rows: list[list[int]], position: list[int]) -> int:
    """Every pair of segments looked at."""
    segments = [(above, position[end]) for above, row in enumerate(rows) for end in row]
    return sum(
        (a < b and c > d) or (a > b and c < d) for (a, c), (b, d) in combinations(segments, 2)
    )


@pytest.mark.parametrize("many", [0, 1000], ids=["by arrays", "by a list"])
@given(rows=ROWS, position=PLACES)
def test_crossings_are_pairs_of_segments_that_change_sides(
    many: int, rows: list[list[int]], position: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MANY", many)
        assert crossings(list(range(len(rows))), rows, position) == counted(rows, position)


@given(rows=ROWS.filter(lambda rows: len(rows) > 1), position=PLACES)
def test_a_swap_saves_what_the_count_says(rows: list[list[int]], position: list[int]) -> None:
    swapped = [rows[1], rows[0], *rows[2:]]
    saved = counted(rows, position) - counted(swapped, position)
    assert saved_by_swap(rows[0], rows[1], position) == saved
