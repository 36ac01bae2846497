from __future__ import annotations

from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_operators import RequiredOperators
from ortstudio.analysis.required_types import Types
from ortstudio.services.replay_comments import TEXT, replay_comments

CONV, POOL, QUANTIZED = (
    Operator("", "Conv", 11), Operator("", "MaxPool", 12), Operator("", "QLinearConv", 10)
)  # fmt: skip


def taking(*kinds: str) -> Types:
    return Types(inputs={0: frozenset(kinds)})


def test_a_config_that_has_everything_needs_no_comment() -> None:
    listed = RequiredOperators.of([CONV, QUANTIZED], {})
    assert replay_comments(listed, RequiredOperators.of([QUANTIZED], {})) == []


def test_an_operator_that_only_replay_makes_is_told_as_a_line_of_a_config() -> None:
    listed = RequiredOperators.of([CONV], {})
    replayed = RequiredOperators.of([CONV, QUANTIZED], {})
    assert replay_comments(listed, replayed) == [TEXT, "ai.onnx;10;QLinearConv"]


def test_types_that_only_replay_needs_are_told_with_the_others() -> None:
    listed = RequiredOperators.of([POOL], {("", "MaxPool"): taking("float")})
    replayed = RequiredOperators.of([POOL], {("", "MaxPool"): taking("uint8_t")})
    assert replay_comments(listed, replayed) == [
        TEXT,
        'ai.onnx;12;MaxPool{"inputs": {"0": ["float", "uint8_t"]}}',
    ]
