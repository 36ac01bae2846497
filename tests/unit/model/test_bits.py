"""Bits and numbers against `ml_dtypes`, which comes with `onnx`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ortstudio.model.bits import NUMPY_TYPES, decode, encode
from ortstudio.model.types import DataType, bit_width, packed_size

EIGHT_BITS = {
    DataType.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    DataType.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    DataType.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    DataType.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
    DataType.FLOAT8E8M0: ml_dtypes.float8_e8m0fnu,
}
SMALL = {
    DataType.UINT4: ml_dtypes.uint4,
    DataType.INT4: ml_dtypes.int4,
    DataType.UINT2: ml_dtypes.uint2,
    DataType.INT2: ml_dtypes.int2,
    DataType.FLOAT4E2M1: ml_dtypes.float4_e2m1fn,
    DataType.FLOAT6E2M3: ml_dtypes.float6_e2m3fn,
    DataType.FLOAT6E3M2: ml_dtypes.float6_e3m2fn,
}


@pytest.mark.parametrize("data_type", EIGHT_BITS)
def test_every_code_of_8_bits_means_its_number(data_type: DataType) -> None:
    codes = np.arange(256, dtype=np.uint8)
    expected = codes.view(EIGHT_BITS[data_type]).astype(np.float32)
    np.testing.assert_array_equal(decode(data_type, codes, 256), expected)


@pytest.mark.parametrize("data_type", EIGHT_BITS)
def test_every_number_of_8_bits_comes_back(data_type: DataType) -> None:
    numbers = decode(data_type, np.arange(256, dtype=np.uint8), 256)
    numbers = numbers[np.isfinite(numbers)]
    np.testing.assert_array_equal(
        decode(data_type, encode(data_type, numbers), len(numbers)), numbers
    )


def test_every_code_of_16_bits_means_its_number() -> None:
    codes = np.arange(1 << 16, dtype=np.uint16)
    expected = codes.view(ml_dtypes.bfloat16).astype(np.float32)
    found = decode(DataType.BFLOAT16, codes.view(np.uint8), len(codes))
    np.testing.assert_array_equal(found, expected)


def test_numbers_become_the_nearest_bfloat16() -> None:
    numbers = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    numbers = np.append(numbers, [0, -0.0, np.inf, -np.inf, np.nan, 3e38, 1e-40]).astype(np.float32)
    expected = numbers.astype(ml_dtypes.bfloat16).view(np.uint8)
    np.testing.assert_array_equal(encode(DataType.BFLOAT16, numbers), expected)


@pytest.mark.parametrize("data_type", SMALL)
def test_elements_under_8_bits_are_packed_low_bits_first(data_type: DataType) -> None:
    width = bit_width(data_type)
    assert width is not None
    codes = np.tile(np.arange(1 << width, dtype=np.uint8), 2)[:-1]
    numbers = codes.view(SMALL[data_type]).astype(np.float32)
    has_one_code = (numbers != 0) | (codes == 0)
    codes, numbers = codes[has_one_code], numbers[has_one_code]
    packed = encode(data_type, numbers)
    assert len(packed) == packed_size(data_type, [len(numbers)])
    whole = sum(int(code) << (i * width) for i, code in enumerate(codes))
    assert packed.tobytes() == whole.to_bytes(len(packed), "little")
    np.testing.assert_array_equal(decode(data_type, packed, len(numbers)), numbers)


@pytest.mark.parametrize("data_type", NUMPY_TYPES)
def test_types_that_numpy_has_pass_through(data_type: DataType) -> None:
    numbers = np.arange(5).astype(NUMPY_TYPES[data_type])
    bits = encode(data_type, numbers)
    assert len(bits) == packed_size(data_type, [5])
    np.testing.assert_array_equal(decode(data_type, bits, 5), numbers)


@pytest.mark.parametrize("data_type", [DataType.STRING, DataType.UNDEFINED, 99])
def test_types_without_bits_are_refused(data_type: int) -> None:
    with pytest.raises(ValueError, match="type"):
        decode(data_type, np.zeros(8, np.uint8), 1)


def test_bytes_that_do_not_reach_are_refused() -> None:
    for data_type in (DataType.FLOAT, DataType.BFLOAT16, DataType.INT4):
        with pytest.raises(ValueError, match=r"fit|smaller"):
            decode(data_type, np.zeros(1, np.uint8), 3)
