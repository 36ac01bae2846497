"""The report of a comparison says all that is needed to judge and to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from ortstudio.model.types import DataType
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.exchange import TensorValue
from ortstudio.services.sessions import Level
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import (
    agreement_text,
    circumstances,
    difference_text,
    differs_text,
    disagreement,
)

NAN = float("nan")


def verified(
    a: list[float], b: list[float], *, inputs: Mapping[str, str] | None = None, **sizes: int
) -> Verified:
    """What comparing two one-dimensional outputs found."""
    x, y = (
        TensorValue(DataType.FLOAT, (len(values),), np.array(values, np.float32))
        for values in (a, b)
    )
    used = {name: {"type": "", "values": text} for name, text in (inputs or {}).items()}
    found = tuple(agreement({"y": x}, {"y": y}, Tolerance()))
    return Verified(found, used, sizes, 7, Tolerance(), Level.ALL)


def test_equality_is_said() -> None:
    assert agreement_text(verified([1, 2], [1, 2])) == "outputs agree with the source's, all equal"


def test_closeness_is_told_with_place_size_and_tolerance() -> None:
    assert agreement_text(verified([1, 2], [1, 2.0005])) == (
        "outputs agree with the source's, though not equal: y differs by up to 0.0005 (0.00025 of"
        " the value) at [1], and 0.001 of the value and 0.0001 of the largest may be"
    )


def test_nan_in_both_is_equal_and_counted() -> None:
    found = verified([NAN, NAN, 1], [NAN, NAN, 1])
    assert agreement_text(found) == (
        "outputs agree with the source's, all equal; NaN in both in 2 places"
    )


def test_nan_against_a_number_is_a_difference_and_counted() -> None:
    found = verified([NAN, 1, 2, NAN], [0, NAN, 2, NAN])
    assert not found.agrees
    error = disagreement(found, Path("m.ort"), "")
    assert "y differs: NaN against a number in 2 places at [0]" in error.message
    assert "seed 7" in error.message


def test_a_changed_weight_is_told_with_both_errors_and_the_place() -> None:
    error = disagreement(verified([1, 4], [1, 4.01]), Path("m.ort"), "Do this.")
    assert error.message == (
        "Source and result compute different values: y differs by up to 0.01 (0.0025 of the value)"
        " at [1]; 0.001 of the value and 0.0001 of the largest may be (seed 7)"
    )
    assert (error.where.path, error.hint) == ("m.ort", "Do this.")


@pytest.mark.parametrize(
    ("inputs", "sizes", "text"),
    [
        ({}, {}, "seed 7"),
        ({"x": "random"}, {"n": 3}, "seed 7, n = 3"),
        (
            {"i": "random within 0 and 9"},
            {"n": 3, "m": 1},
            "seed 7, n = 3, m = 1, i within 0 and 9",
        ),
        (
            {"i": "random within 0 and 1", "x": "from in.npz"},
            {},
            "seed 7, i within 0 and 1 and x from in.npz",
        ),
    ],
)
def test_what_was_used_is_told(
    inputs: Mapping[str, str], sizes: Mapping[str, int], text: str
) -> None:
    assert circumstances(verified([1], [1], inputs=inputs, **sizes)) == text


def test_an_infinite_difference_has_no_number() -> None:
    (output,) = verified([1, float("inf")], [1, 5]).outputs
    assert difference_text(output) == "infinity against a number at [1]"
    assert differs_text(output) == "differs: infinity against a number at [1]"
