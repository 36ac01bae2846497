from __future__ import annotations

import itertools

import numpy as np
import pytest

from ortstudio.errors import UsageError
from ortstudio.model.elements import Elements
from ortstudio.model.tensor import Storage, Tensor
from ortstudio.model.types import DataType
from ortstudio.services import tensor_slice
from ortstudio.services.tensor_slice import parse_slice, read_slice

DIMS = (5, 4, 3)
ARRAY = np.arange(60).reshape(DIMS)
PARTS = ("0", "-1", "+2", ":", "1:", "::2", ":-1", "::-1", "3:0:-2", "4:9", "2:2", "...")


def elements(array: np.ndarray) -> Elements:
    tensor = Tensor("t", DataType.INT64, array.shape, Storage.NONE, None, 0)
    return Elements(tensor, array.size, lambda first, end: array.ravel()[first:end])


def numpy_slice(array: np.ndarray, text: str) -> np.ndarray:
    """The oracle."""
    part: np.ndarray = eval(f"array[{text}]" if text else "array", {"array": array})
    return part


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_a_slice_means_what_it_means_to_numpy(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_slice, "CHUNK_ELEMENTS", chunk)
    texts = [
        ",".join(parts) for rank in range(4) for parts in itertools.product(PARTS, repeat=rank)
    ]
    for text in (text for text in texts if text.count("...") < 2):
        expected = numpy_slice(ARRAY, text)
        found = read_slice(elements(ARRAY), parse_slice(text, DIMS))
        assert found.shape == expected.shape, text
        assert found.tolist() == expected.tolist(), text


def test_brackets_and_spaces_are_allowed() -> None:
    assert parse_slice(" [ 1 , : ] ", (2, 3)) == (1, slice(None))


@pytest.mark.parametrize("dims", [(), (0,), (3, 0), (0, 3)])
def test_scalars_and_empty_tensors_can_be_sliced(dims: tuple[int, ...]) -> None:
    array = np.zeros(dims, np.int64)
    assert read_slice(elements(array), parse_slice("...", dims)).shape == dims


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5", "5 is beyond dimension 0, which has size 5"),
        (":,-5", "-5 is beyond dimension 1, which has size 4"),
        ("0,0,0,0", "it has 4 parts, the tensor 3 dimensions"),
        ("...,...", "can stand in it once"),
        ("::0", "a step cannot be 0"),
        ("a", "'a' is no number and no start:stop:step"),
        ("1,", "'' is no number"),
        ("1:2:3:4", "'1:2:3:4' is no number"),
        ("None", "'None' is no number"),
        ("0x1", "'0x1' is no number"),
        ("9" * 40, "is no number"),
        ("[0", "'[0' is no number"),
        ("__import__('os')", "is no number"),
    ],
)
def test_what_is_no_slice_is_refused_in_plain_words(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_slice(text, DIMS)
    assert why in caught.value.message
    assert text in caught.value.message


def test_only_the_rows_that_are_needed_are_read() -> None:
    read: list[tuple[int, int]] = []

    def window(first: int, end: int) -> np.ndarray:
        read.append((first, end))
        return np.zeros(end - first)

    tensor = Tensor("t", DataType.FLOAT, (1_000_000, 1_000), Storage.NONE, None, 0)
    huge = Elements(tensor, 10**9, window)
    assert read_slice(huge, parse_slice("7,:3", tensor.dims)).shape == (3,)
    assert read_slice(huge, parse_slice("::500000", tensor.dims)).shape == (2, 1000)
    assert read == [(7_000, 8_000), (0, 1_000), (500_000_000, 500_001_000)]
