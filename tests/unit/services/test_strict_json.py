from __future__ import annotations

import json

import numpy as np

from ortstudio.services.strict_json import json_array, json_float


def test_what_is_no_finite_number_is_a_string() -> None:
    numbers = [1.5, float("nan"), float("inf"), float("-inf")]
    assert [json_float(x) for x in numbers] == [1.5, "NaN", "Infinity", "-Infinity"]


def test_arrays_are_nested_by_their_dimensions() -> None:
    assert json_array(np.arange(6).reshape(2, 3)) == [[0, 1, 2], [3, 4, 5]]
    assert json_array(np.array(7)) == 7
    assert json_array(np.zeros((2, 0))) == [[], []]
    assert json_array(np.array([[True, False]])) == [[True, False]]
    assert json_array(np.array(["a", "ü"], object)) == ["a", "ü"]


def test_nothing_that_json_cannot_say_is_left_in_an_array() -> None:
    made = json_array(np.array([[1, np.nan], [np.inf, -np.inf]], np.float32))
    assert made == [[1.0, "NaN"], ["Infinity", "-Infinity"]]
    assert json_array(np.array(np.nan)) == "NaN"
    json.dumps(made, allow_nan=False)


def test_a_complex_number_is_a_pair() -> None:
    assert json_array(np.array([1 + 2j, complex(0, np.inf)])) == [[1.0, 2.0], [0.0, "Infinity"]]
    assert json_array(np.array(3 - 1j)) == [3.0, -1.0]


def test_every_64_bit_integer_survives() -> None:
    made = json_array(np.array([2**64 - 1], np.uint64))
    assert json.loads(json.dumps(made)) == [2**64 - 1]
