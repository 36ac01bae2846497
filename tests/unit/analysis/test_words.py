from __future__ import annotations

import pytest

from ortstudio.analysis.words import count, listed, share, size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.00 kB"),
        (9_996, "10.0 kB"),
        (99_960, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (2_345_678, "2.35 MB"),
        (2_300_000_000, "2.30 GB"),
        (5_000_000_000_000_000, "5000 TB"),
    ],
)
def test_sizes_have_three_digits(size: int, text: str) -> None:
    assert size_text(size) == text


def test_counts_know_the_plural() -> None:
    assert [count(n, "node") for n in (0, 1, 1200)] == ["0 nodes", "1 node", "1,200 nodes"]


def test_lists_are_cut_with_a_count_of_the_rest() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"


def test_a_share_that_is_not_nothing_never_reads_as_nothing() -> None:
    assert share(94, 100) == "94 %"
    assert share(1, 1000) == "under 1 %"
    assert share(0, 1000) == "0 %"
    assert share(0, 0) == "0 %"
