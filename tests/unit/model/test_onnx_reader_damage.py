"""Damaged `.onnx` files: nothing but our own error, in bounded time, and what is whole is read."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.errors import FormatError, StudioError
from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import looks_like_onnx, read_onnx
from tests.builders import wire

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = [path.read_bytes() for path in sorted((CORPUS / "sources").glob("*.onnx"))]
CONTROL = (CORPUS / "sources" / "control.onnx").read_bytes()


def read(content: bytes) -> Model | None:
    """The model, or None where our own error said why not. Anything else fails the test."""
    source = Source.of_bytes(content)
    looks_like_onnx(source)
    try:
        model = read_onnx(source)
    except FormatError:
        return None
    assert sum(model.sizes.values()) == len(content)
    assert all(size >= 0 for size in model.sizes.values())
    assert model.onnx is not None
    for graph in [*model.graphs, *(graph for f in model.onnx.functions for graph in f.graphs)]:
        for row in range(len(graph.nodes)):
            graph.nodes.attribute_values(row)
        assert len(graph.values.types) == len(graph.values.names)
        assert len(set(graph.values.names)) == len(graph.values.names)
        assert len(graph.producers) == len(graph.values)
        assert len(graph.consumers) == len(graph.values)
        for tensor in graph.initializers:
            with contextlib.suppress(StudioError):
                open_elements(source, tensor).window(0, 100)
    return model


def read_damaged(content: bytes) -> Model:
    model = read(content)
    assert model is not None
    assert model.error is not None
    return model


@given(st.sampled_from(FILES), st.data())
def test_a_cut_file_raises_only_our_error(content: bytes, data: st.DataObject) -> None:
    read(content[: data.draw(st.integers(0, len(content) - 1))])


@given(st.sampled_from(FILES), st.data())
def test_changed_bytes_raise_only_our_error(content: bytes, data: st.DataObject) -> None:
    changed = bytearray(content)
    words = st.sampled_from([b"\xff" * 10, b"\0", b"\x7f", b"\x80"])
    word = words | st.binary(min_size=1, max_size=8)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(word)
        changed[at : at + len(new)] = new
    read(bytes(changed))


@given(st.sampled_from(FILES), st.data())
def test_bytes_put_in_or_taken_out_raise_only_our_error(
    content: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(content)))
    taken = data.draw(st.integers(0, 20))
    read(content[:at] + data.draw(st.binary(max_size=20)) + content[at + taken :])


@given(st.binary(max_size=300))
def test_noise_inside_a_graph_raises_only_our_error(noise: bytes) -> None:
    read(wire.model(noise))
    read(wire.model(wire.node(noise)))
    read(wire.model(wire.chunk(5, noise) + wire.chunk(11, wire.chunk(2, noise))))


@given(st.binary(max_size=300))
def test_noise_raises_only_our_error(noise: bytes) -> None:
    read(noise)


def test_a_cut_file_shows_what_is_left_of_it() -> None:
    whole = read(CONTROL)
    assert whole is not None
    model = read_damaged(CONTROL[: len(CONTROL) // 2])
    assert 1 <= len(model.main.nodes) <= len(whole.main.nodes)
    assert model.main.nodes.op_types[0] == whole.main.nodes.op_types[0]
    assert model.error is not None
    assert "needs" in model.error.message
    assert model.error.where.field == "ModelProto"


def test_a_damaged_node_costs_only_itself() -> None:
    bad = wire.chunk(1, wire.chunk(4, "Bad") + wire.chunk(3, "named") + b"\x0b")
    model = read_damaged(wire.model(wire.node() + bad + wire.node()))
    assert model.main.nodes.op_types == ["Op", "Bad", "Op"]
    assert model.main.nodes.names[1] == "named"
    assert model.error is not None
    assert model.error.where.field == "ModelProto.graph.node[1]"
    assert "wire type 3" in model.error.message


def test_a_damaged_attribute_costs_only_itself() -> None:
    bad = wire.chunk(5, wire.chunk(1, "bad") + wire.number(20, 2) + b"\x18")
    good = wire.chunk(5, wire.chunk(1, "good") + wire.number(20, 2) + wire.number(3, 7))
    model = read_damaged(wire.model(wire.node(bad, good)))
    assert model.main.nodes.attribute_values(0) == {"bad": 0, "good": 7}
    assert model.error is not None
    assert model.error.where.field == "ModelProto.graph.node[0].attribute[0]"


@pytest.mark.parametrize(
    "said",
    [
        {"location": "w.bin", "offset": "-1"},
        {"location": "w.bin", "length": "12x"},
        {"location": "w.bin", "offset": "9" * 30},
        {"location": "w.bin", "length": "²"},
        {"offset": "0"},
        {},
    ],
)
def test_external_data_that_makes_no_sense_is_told(said: dict[str, str]) -> None:
    entries = [wire.chunk(13, wire.chunk(1, key) + wire.chunk(2, said[key])) for key in said]
    tensor = wire.chunk(5, wire.chunk(8, "w") + wire.number(14, 1) + b"".join(entries))
    model = read_damaged(wire.model(tensor))
    assert model.error is not None
    assert model.error.where.field == "ModelProto.graph.initializer[0].external_data"
    assert model.main.initializers.names == ["w"]


def test_types_nested_too_deep_are_left_out_with_a_word() -> None:
    kind = wire.chunk(1, wire.number(1, 1))
    for _ in range(5000):
        kind = wire.chunk(4, wire.chunk(1, kind))
    model = read_damaged(wire.model(wire.chunk(11, wire.chunk(1, "x") + wire.chunk(2, kind))))
    assert model.error is not None
    assert "64" in model.error.message
    assert str(model.main.values.types[0]).count("seq") == 64


def test_paths_that_grow_without_end_are_left_out_with_a_word() -> None:
    """Each path repeats the names above it: a megabyte of names could ask for gigabytes."""
    graph = wire.node()
    for _ in range(400):
        attribute = wire.chunk(1, "b") + wire.number(20, 5) + wire.chunk(6, graph)
        graph = wire.node(wire.chunk(5, attribute), wire.chunk(3, "n" * 5000))
    model = read_damaged(wire.model(graph))
    assert 100 < len(model.graphs) < 400
    assert sum(len(graph.path) for graph in model.graphs) <= 1 << 26


def test_outer_values_without_end_are_left_out_with_a_word() -> None:
    """Each graph on the way lists what those inside it read: the lists could fill the memory."""
    names = b"".join(wire.chunk(1, f"{i}") for i in range(20_000))
    graph = wire.node(names)
    for _ in range(300):
        attribute = wire.chunk(1, "b") + wire.number(20, 5) + wire.chunk(6, graph)
        graph = wire.node(wire.chunk(5, attribute))
    content = wire.model(graph)
    model = read_damaged(content)
    assert model.error is not None
    assert "outer values" in model.error.message
    assert len(model.graphs) == 301
    listed = sum(len(graph.nodes.implicit_inputs.flat) for graph in model.graphs)
    assert listed <= (1 << 20) + len(content)


@pytest.mark.parametrize(
    "content",
    [
        wire.model(b"\x0a\x00" * 100_000),
        wire.model(wire.node(b"\x0a\x00" * 100_000)),
        wire.model(wire.node(b"\x2a\x00" * 100_000)),
        wire.model(wire.chunk(5, b"\x08\x01" * 100_000)),
        wire.model(wire.chunk(5, b"\x0a\x01\x01" * 100_000)),
        wire.model(wire.chunk(5, wire.number(2, 8) + b"\x32\x00" * 100_000)),
        wire.model(wire.node(wire.chunk(5, b"\x42\x01\x80" * 100_000))),
        wire.model(wire.node(wire.chunk(5, (b"\x40\x01" * 33 + b"\x18\x01") * 3000))),
        wire.model(wire.chunk(11, wire.chunk(2, b"\x0a\x00" * 100_000))),
        wire.model(wire.node(wire.chunk(5, wire.number(20, 10) + b"\x5a\x00" * 5_000))),
        wire.model(b"") + b"\x42\x00" * 100_000,
        wire.model(b"", *[wire.chunk(7, b"\x0a\x00")] * 50_000),
    ],
    ids=lambda content: content[:24].hex(),
)
def test_many_small_parts_take_work_in_proportion(content: bytes) -> None:
    """Were any of these quadratic, the test would run into its time limit."""
    read(content)


def test_a_file_without_a_graph_is_refused() -> None:
    for content in (b"", wire.number(1, 8), wire.number(1, 8) + wire.chunk(2, "maker")):
        with pytest.raises(FormatError, match="no graph"):
            read_onnx(Source.of_bytes(content))


@pytest.mark.parametrize("content", FILES)
def test_onnx_is_known_by_its_beginning(content: bytes) -> None:
    assert looks_like_onnx(Source.of_bytes(content))
    assert looks_like_onnx(Source.of_bytes(content[: len(content) // 2]))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        bytes(1000),
        b"PK\x03\x04 archive",
        b"<!DOCTYPE html><html></html>",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
        b'{"json": true}',
        b":graph of something",
        b":0" + b"R" * 80,
        b":0" + b"ZZ" * 80,
        b"\x1c\x00\x00\x00TFL3" + bytes(100),
        wire.number(1, 1) + wire.chunk(2, b"saved model"),
        wire.number(1, 4) + wire.number(2, 1) + wire.chunk(8, "tensor"),
        wire.number(1, 8) + wire.chunk(7, b""),
        wire.number(1, 8) + wire.chunk(7, b"\xff\xff"),
        wire.number(1, 8) + wire.chunk(7, wire.number(3, 1)),
        wire.number(1, 8) * 10_000,
    ],
)
def test_other_files_do_not_look_like_onnx(content: bytes) -> None:
    assert not looks_like_onnx(Source.of_bytes(content))
