from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest

from ortstudio.model.external import leaves_folder
from ortstudio.model.model import Model
from ortstudio.model.tensor import ExternalData, SparseTensor, Storage, Tensor
from ortstudio.model.types import DataType
from tests.builders.models import Node, graph, onnx, ort, tensor
from tests.unit.analysis.checks.codes import codes, found


def of(make: object, *constants: Tensor, sparse: Sequence[SparseTensor] = ()) -> Model:
    """A model that holds constants and nothing else."""
    return make(graph([], initializers=constants, sparse=sparse))  # type: ignore[operator,no-any-return]


@pytest.mark.parametrize("kind", [kind for kind in DataType if kind])
def test_element_types(kind: DataType) -> None:
    constant = tensor("w", (4,), kind, size=4 if kind == DataType.STRING else None)
    is_fine = kind <= 20 and "COMPLEX" not in kind.name
    assert codes(of(ort, constant)) == ([] if is_fine else ["error element-type-refused"])
    assert codes(of(onnx, constant)) == (
        [] if is_fine else ["warning element-type-refused-after-conversion"]
    )


@pytest.mark.parametrize("number", [0, 29, 99, -1])
def test_numbers_that_are_no_element_types(number: int) -> None:
    for make in (ort, onnx):
        assert codes(of(make, tensor("w", (4,), number, size=4))) == ["error unknown-element-type"]


@pytest.mark.parametrize(
    ("dims", "kind", "size"),
    [
        ((), DataType.FLOAT, 4),
        ((0, 5), DataType.FLOAT, 0),
        ((3, 5), DataType.INT64, 120),
        ((7,), DataType.BOOL, 7),
        ((3,), DataType.FLOAT8E4M3FN, 3),
    ],
)
def test_raw_data_has_the_size_that_type_and_shape_ask_for(
    dims: tuple[int, ...], kind: DataType, size: int
) -> None:
    assert codes(of(ort, tensor("w", dims, kind, size=size))) == []
    assert codes(of(ort, tensor("w", dims, kind, size=size + 1))) == ["error raw-size-mismatch"]
    assert codes(of(onnx, tensor("w", dims, kind, size=size + 1))) == ["error raw-size-mismatch"]


def test_a_size_mismatch_is_told_in_full_and_the_others_by_name() -> None:
    constants = [tensor(f"w{i}", (4,), size=3 + i, offset=100 + i) for i in range(9) if i != 13]
    finding = found(of(ort, *constants))[0]
    assert finding.message == (
        "Initializer 'w0': it has 3 bytes and needs 16 (4 elements of 32 bits);"
        " the same with 'w1', 'w2', 'w3', 'w4' and 4 more"
    )
    assert (finding.where, finding.offset_bytes) == ("/", 100)


def test_sub_byte_types_are_packed() -> None:
    assert codes(of(onnx, tensor("w", (3,), DataType.INT4, size=2)))[0].endswith("conversion")
    assert "error raw-size-mismatch" in codes(of(onnx, tensor("w", (3,), DataType.INT4, size=3)))
    assert "error raw-size-mismatch" in codes(of(onnx, tensor("w", (5,), DataType.INT2, size=1)))


def test_a_size_beyond_64_bits_is_no_match_by_accident() -> None:
    dims = (1 << 32, 1 << 32)
    assert codes(of(ort, tensor("w", dims, size=0))) == ["error raw-size-mismatch"]


def test_dimensions_beyond_all_numbers_make_no_noise() -> None:
    model = of(ort, tensor("w", [1 << 62] * 40, size=0), tensor("v", [0, *[1 << 62] * 40], size=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert codes(model) == ["error raw-size-mismatch"]


def test_negative_dimensions() -> None:
    assert codes(of(ort, tensor("w", (-1, 4), size=16))) == ["error negative-dimension"]
    assert codes(of(ort, tensor("w", (-1, -4), size=16))) == ["error negative-dimension"]


def test_missing_data() -> None:
    missing = tensor("w", (4,), storage=Storage.NONE)
    assert codes(of(ort, missing)) == codes(of(onnx, missing)) == ["error missing-data"]
    nothing = tensor("w", (0,), storage=Storage.NONE)
    assert codes(of(ort, nothing)) == ["error missing-data"]
    assert codes(of(onnx, nothing)) == []


def test_strings_are_counted() -> None:
    assert codes(of(ort, tensor("s", (2, 2), DataType.STRING, size=4))) == []
    assert codes(of(ort, tensor("s", (4,), DataType.STRING, size=3))) == [
        "error string-count-mismatch"
    ]
    lost = found(of(ort, tensor("s", (4,), DataType.STRING, size=0)))[0]
    assert "1.23.0 to 1.25.1" in lost.message


def test_tensors_in_attributes_are_constants_too() -> None:
    broken = tensor("", (4,), size=3)
    for value in (broken, (broken,)):
        node = Node("Constant", [], ["y"], since=13, attributes={"value": value})
        assert codes(onnx(graph([node]))) == ["error raw-size-mismatch"]


def sparse(kind: DataType, count: int = 3) -> SparseTensor:
    return SparseTensor(tensor("s", (3,)), tensor("", (count,), kind), (10, 10))


def test_sparse_indices_are_signed_integers_of_any_width() -> None:
    for kind in (DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64):
        assert codes(of(ort, sparse=[sparse(kind)])) == []
    assert codes(of(ort, sparse=[sparse(DataType.UINT8)])) == ["error sparse-index-type"]
    assert codes(of(ort, sparse=[sparse(DataType.INT8, 4)])) == ["error sparse-count-mismatch"]


def external(location: str = "ext.bin", offset: int = 0, length: int | None = None) -> Tensor:
    return tensor("w", (256,), external=ExternalData(location, offset, length))


def test_external_data_is_looked_for_only_where_that_was_done() -> None:
    assert codes(of(onnx, external())) == []
    assert codes(of(onnx, external()), external={}) == []
    assert codes(of(onnx, external()), external={"ext.bin": 1024}) == []


def test_missing_external_data_names_tensor_and_file() -> None:
    finding = found(of(onnx, external()), external={"ext.bin": None})[0]
    assert finding.code == "external-data-missing"
    assert "'w'" in finding.message
    assert "ext.bin" in finding.message


def test_external_data_cut_short_names_the_range_and_the_real_length() -> None:
    finding = found(of(onnx, external(offset=4096, length=1024)), external={"ext.bin": 5000})[0]
    assert finding.code == "external-data-short"
    assert "4,096 to 5,120 of ext.bin, which has only 5,000" in finding.message


def test_external_data_of_the_wrong_length() -> None:
    assert codes(of(onnx, external(length=1000))) == ["error external-size-mismatch"]


def test_an_ort_model_keeps_no_data_elsewhere() -> None:
    assert codes(of(ort, external())) == ["error external-data-in-ort"]


@pytest.mark.parametrize(
    ("location", "leaves"),
    [
        ("ext.bin", False),
        ("data/ext.bin", False),
        ("a..b/ext.bin", False),
        ("../ext.bin", True),
        ("data/../../ext.bin", True),
        ("..\\ext.bin", True),
        ("/etc/passwd", True),
        ("\\\\server\\share\\x", True),
        ("C:\\x", True),
        ("C:x", True),
    ],
)
def test_external_data_may_not_leave_the_folder(location: str, leaves: bool) -> None:
    assert leaves_folder(location) == leaves
    expected = ["error external-path-outside"] if leaves else []
    assert codes(of(onnx, external(location)), external={location: 4096}) == expected
