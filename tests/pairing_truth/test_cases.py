"""The truth by itself: every node of both sides stands in exactly one of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from ortstudio.analysis.nodes import NodeRef
from tests.pairing_truth.cases import Case, Choice, cases, result_names, source_names
from tests.pairing_truth.models import MODELS
from tests.pairing_truth.pairs import CASES, Pairs


def test_each_case_is_written_once_and_says_why() -> None:
    repeated = [name for name, count in Counter(case.name for case in cases()).items() if count > 1]
    assert repeated == []
    assert [case.name for case in cases() if not all(row["why"].strip() for row in case.rows)] == []


def test_every_model_has_a_case() -> None:
    assert {case.model for case in cases()} == set(MODELS)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_rows_name_every_node_once(case: Case, pairs: Pairs) -> None:
    a, b = pairs.models[case.name]
    expected = case.expected(a, b)
    for reading in range(max(len(choice.readings) for choice in expected)):
        assert _nodes(expected, "a", reading) == sorted(source_names(a).values())
        assert _nodes(expected, "b", reading) == sorted(result_names(b).values())


def _nodes(choices: Iterable[Choice], side: str, reading: int) -> list[NodeRef]:
    """All nodes of one side; a choice of fewer readings gives its last."""
    return sorted(
        ref
        for choice in choices
        for row in choice.readings[min(reading, len(choice.readings) - 1)]
        for ref in getattr(row, side)
    )
