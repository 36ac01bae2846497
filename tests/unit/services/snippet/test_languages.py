"""What is written in every language: sound syntax, every name, every size, every way of loading."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.model.model import FileKind
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)
from ortstudio.services.document import open_document
from ortstudio.services.snippet import (
    LANGUAGES,
    Loading,
    SnippetModel,
    Way,
    language,
    loading_of,
    snippet,
    snippet_model,
)
from ortstudio.services.snippet.model import Port
from tests.builders.grammars import syntax_errors
from tests.builders.hostile_names import write_hostile_model
from tests.builders.knowledge import CORPUS

NAMES = [found.name for found in LANGUAGES]
FLOATS = TensorType(DataType.FLOAT, ("batch size", 3))
TENSORS = [TensorType(number, ("batch size",)) for number in DataType if number]
COMPOUND: list[ValueType] = [
    TensorType(DataType.DOUBLE, ()),
    TensorType(DataType.STRING, ()),
    SequenceType(FLOATS),
    SequenceType(TensorType(DataType.STRING, (2,))),
    SequenceType(SequenceType(FLOATS)),
    SequenceType(MapType(DataType.STRING, TensorType(DataType.FLOAT, ()))),
    SequenceType(MapType(DataType.INT64, TensorType(DataType.DOUBLE, ()))),
    SequenceType(None),
    MapType(DataType.STRING, TensorType(DataType.INT64, ())),
    MapType(DataType.INT64, TensorType(DataType.STRING, ())),
    MapType(DataType.INT64, SequenceType(FLOATS)),
    OptionalType(FLOATS),
    OptionalType(SequenceType(FLOATS)),
    OptionalType(None),
    SparseTensorType(DataType.FLOAT, (2, 2)),
]


def model_of(*types: ValueType, **held: object) -> SnippetModel:
    ports = [Port(f"value {i}", of) for i, of in enumerate(types)]
    made = SnippetModel(
        path="folder/model.ort",
        kind=FileKind.ORT,
        inputs=tuple(ports),
        outputs=tuple(replace(port, name=f"{port.name} out") for port in ports),
        sizes={"batch size": 4},
    )
    return replace(made, **held)  # type: ignore[arg-type]


@pytest.mark.parametrize("lang", NAMES)
@pytest.mark.parametrize("of", [*TENSORS, *COMPOUND], ids=str)
def test_every_type_is_written_or_said_to_be_impossible(lang: str, of: ValueType) -> None:
    made = snippet(model_of(of), lang)
    assert syntax_errors(lang, made.code) == []
    left_out = [note for note in made.notes if "has no way to" in note]
    # The sentence in the code stands where the value would have stood.
    assert made.code.count("there is no way to") == len(left_out)


@pytest.mark.parametrize("lang", NAMES)
def test_a_model_without_inputs_is_written(lang: str) -> None:
    made = snippet(model_of(FLOATS, inputs=(), sizes={}), lang)
    assert syntax_errors(lang, made.code) == []


@pytest.mark.parametrize("lang", NAMES)
def test_hostile_names_stay_inside_their_strings(lang: str, tmp_path: Path) -> None:
    model = snippet_model(open_document(write_hostile_model(tmp_path)))
    made = snippet(model, lang)
    assert syntax_errors(lang, made.code) == []
    assert made.code.isprintable() or set(made.code) - {"\n"} == {
        c for c in made.code if c.isprintable()
    }


@pytest.mark.skipif(os.name == "nt", reason="a backslash parts folders there")
def test_a_file_is_called_by_its_whole_name() -> None:
    model = model_of(FLOATS, path="folder/a\\b.ort")
    assert "// Runs a\\b.ort with" in snippet(model, "java").code
    assert 'const val MODEL = "a\\\\b.ort"' in snippet(model, "kotlin").code


@pytest.mark.parametrize("lang", NAMES)
def test_hostile_names_in_comments_end_no_comment(lang: str) -> None:
    names = ["ends in \\", "\\u000a;}", "*/ }", "line\nbreak", "\u2028", "??/"]
    inputs = tuple(Port(name, SparseTensorType(DataType.FLOAT, (name,))) for name in names)
    model = model_of(FLOATS, inputs=inputs, custom_ops={name: (name,) for name in names})
    assert syntax_errors(lang, snippet(model, lang).code) == []


@pytest.mark.parametrize("lang", NAMES)
def test_every_way_of_loading_that_is_offered_is_written(lang: str) -> None:
    for kind, path in ((FileKind.ORT, "a.ort"), (FileKind.ONNX, "a.onnx"), (FileKind.ORT, "a")):
        model = model_of(FLOATS, kind=kind, path=path, saved_optimizations=2, replays=True)
        ways = [loading.way for loading in language(lang).writer().offered(model)]
        assert len(set(ways)) == len(ways)
        for way in ways:
            loading = replace(loading_of(model, lang, way), prepacking=False, replay=True)
            code = snippet(model, lang, loading).code
            assert syntax_errors(lang, code) == []
            assert "disable_prepacking" in code
            assert "enable_saved_runtime_optimizations" in code


@pytest.mark.parametrize("lang", [name for name in NAMES if name not in ("cpp", "rust")])
def test_bytes_are_not_used_in_place_where_nothing_keeps_them(lang: str) -> None:
    unsafe = Loading(Way.BYTES, directly=True, in_place=True)
    with pytest.raises(RefusedError):
        snippet(model_of(FLOATS), lang, unsafe)


@pytest.mark.parametrize("lang", NAMES)
def test_a_way_that_a_language_lacks_is_refused(lang: str) -> None:
    offered = {loading.way for loading in language(lang).writer().offered(model_of(FLOATS))}
    for way in set(Way) - offered:
        with pytest.raises(RefusedError, match=way.value):
            loading_of(model_of(FLOATS), lang, way)


@pytest.mark.parametrize("lang", NAMES)
def test_what_is_offered_for_a_model_with_weights_in_another_file_can_be_written(lang: str) -> None:
    held = {"kind": FileKind.ONNX, "path": "a.onnx", "external_data": ("w.bin",)}
    model = model_of(FLOATS, **held)
    for loading in language(lang).writer().offered(model):
        assert loading.way is Way.PATH
        assert syntax_errors(lang, snippet(model, lang, loading).code) == []


@pytest.mark.parametrize("lang", NAMES)
@pytest.mark.parametrize("domain", ["my.ops", "ai.onnx.contrib"])
def test_a_library_of_operators_is_named(lang: str, domain: str) -> None:
    made = snippet(model_of(FLOATS, custom_ops={domain: ("BpeLike",)}), lang)
    assert syntax_errors(lang, made.code) == []
    if domain == "my.ops":
        assert any(f"{domain}.BpeLike" in note for note in made.notes)


def test_swift_registers_the_operators_of_the_extensions_by_their_function() -> None:
    made = snippet(model_of(FLOATS, custom_ops={"ai.onnx.contrib": ("BertTokenizer",)}), "swift")
    assert "import OnnxRuntimeExtensions\n" in made.code
    registered = "functionPointer: OrtExt.getRegisterCustomOpsFunctionPointer()"
    assert f"try options.registerCustomOps({registered})" in made.code
    assert made.requires[-1] == "onnxruntime_extensions of the same package"


@pytest.mark.parametrize("lang", NAMES)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("sources/*.onnx")), ids=lambda path: path.stem)
def test_the_sources_of_the_corpus_are_written(lang: str, path: Path) -> None:
    model = snippet_model(open_document(path))
    made = snippet(model, lang)
    assert syntax_errors(lang, made.code) == []
    assert made.lang == lang
    assert made.requires


@pytest.mark.parametrize(
    ("lang", "statement"),
    [
        ("python", "graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL"),
        ("cpp", "SetGraphOptimizationLevel(ORT_DISABLE_ALL)"),
        ("csharp", "GraphOptimizationLevel = GraphOptimizationLevel.ORT_DISABLE_ALL"),
        ("java", "setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT)"),
        ("kotlin", "setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT)"),
        ("swift", "setGraphOptimizationLevel(.none)"),
        ("javascript", 'graphOptimizationLevel: "disabled"'),
        ("javascript-web", 'graphOptimizationLevel: "disabled"'),
        ("rust", "with_optimization_level(ort::session::builder::GraphOptimizationLevel::Disable)"),
    ],
)
def test_what_is_to_run_as_stored_is_told_so(lang: str, statement: str) -> None:
    model = model_of(FLOATS)
    loading = language(lang).writer().offered(model)[0]
    assert statement not in snippet(model, lang, loading).code
    told = snippet(model, lang, replace(loading, optimized=False)).code
    assert statement in told
    assert "nothing is optimized at load" in told
    assert syntax_errors(lang, told) == []


def test_in_a_browser_a_name_is_a_url() -> None:
    held = {"path": "m/50% #1?.onnx", "kind": FileKind.ONNX, "external_data": ("w/a#é.bin",)}
    code = snippet(model_of(FLOATS, **held), "javascript-web").code
    assert 'const MODEL = "50%25%20%231%3F.onnx";' in code
    assert '{ path: "w/a#é.bin", data: "w/a%23é.bin" },' in code
