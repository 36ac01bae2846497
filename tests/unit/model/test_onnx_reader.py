"""Our reader of `.onnx` against the `onnx` package, field by field."""

from __future__ import annotations

import math
from pathlib import Path

import onnx
import onnx.backend.test.loader
import pytest
from onnx import ModelProto

from ortstudio.format import protowire
from ortstudio.format import source as source_module
from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import looks_like_onnx, read_onnx
from tests.oracles import onnx_protos as oracle
from tests.unit.model import onnx_plain as ours

SOURCES = sorted((Path(__file__).parents[2] / "corpus" / "sources").glob("*.onnx"))
EXPORTED = sorted((Path(__file__).parents[2] / "corpus" / "ort_to_onnx").glob("*.onnx"))
BACKEND = Path(onnx.backend.test.loader.DATA_DIR)


def read(model: ModelProto | bytes) -> Model:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return read_onnx(Source.of_bytes(content))


def assert_same(content: bytes) -> None:
    proto = ModelProto.FromString(content)
    source = Source.of_bytes(content)
    assert looks_like_onnx(source)
    model = read_onnx(source)
    assert model.error is None
    expected = oracle.model(proto)
    assert same_nan(ours.model(model, expected)) == same_nan(expected)
    assert sum(model.sizes.values()) == len(content)
    assert all(size >= 0 for size in model.sizes.values())
    assert model.sizes.get("other", 0) == 0


def same_nan(value: object) -> object:
    """NaN as a word, since it does not equal itself."""
    if isinstance(value, dict):
        return {key: same_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [same_nan(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("path", [*SOURCES, *EXPORTED], ids=lambda path: path.stem)
def test_every_model_of_the_corpus_equals_what_onnx_reads(path: Path) -> None:
    assert_same(path.read_bytes())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_file_read_by_pages_is_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not asked for reads as zeros: small pages show each place that is forgotten."""
    monkeypatch.setattr(source_module, "WHOLE_FILE_BYTES", 0)
    for module in (source_module, protowire):
        monkeypatch.setattr(module, "PAGE_BYTES", 64)
    source = Source.open(path)
    model = read_onnx(source)
    assert looks_like_onnx(source)
    assert model.error is None
    expected = oracle.model(onnx.load(path, load_external_data=False))
    assert same_nan(ours.model(model, expected)) == same_nan(expected)


def test_every_stored_model_of_the_backend_tests_equals_what_onnx_reads() -> None:
    paths = sorted(BACKEND.glob("**/*.onnx"))
    for path in paths:
        assert_same(path.read_bytes())
    assert len(paths) > 100


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_node_case_of_the_backend_tests_equals_what_onnx_reads() -> None:
    cases = onnx.backend.test.loader.load_model_tests(kind="node")
    for case in cases:
        assert case.model is not None
        assert_same(case.model.SerializeToString())
    assert len(cases) > 1000
