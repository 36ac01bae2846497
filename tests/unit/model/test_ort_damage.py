"""Damaged `.ort` files: nothing but our own error, and what is whole is still read."""

from __future__ import annotations

import struct
from pathlib import Path

import flatbuffers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.errors import FormatError
from ortstudio.format.source import WHOLE_FILE_BYTES, Source
from ortstudio.model.model import Model
from ortstudio.model.ort_reader import read_ort

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = [path.read_bytes() for path in sorted(CORPUS.glob("*.ort"))]
CNN = (CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()


def read(content: bytes) -> Model | None:
    """The model, or None where our own error refused it. Anything else fails the test."""
    try:
        model = read_ort(Source.of_bytes(content))
    except FormatError:
        return None
    assert sum(model.sizes.values()) == len(content)
    for graph in model.graphs:
        for row in range(len(graph.nodes)):
            graph.nodes.attribute_values(row)
        assert len(list(graph.initializers)) == len(graph.initializers.names)
        assert len(graph.producers) == len(graph.values)
        assert len(graph.consumers) == len(graph.values)
    return model


@given(st.sampled_from(FILES), st.data())
def test_a_cut_file_raises_only_our_error(content: bytes, data: st.DataObject) -> None:
    read(content[: data.draw(st.integers(0, len(content) - 1))])


@given(st.sampled_from(FILES), st.data())
def test_changed_bytes_raise_only_our_error(content: bytes, data: st.DataObject) -> None:
    changed = bytearray(content)
    words = st.sampled_from([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\0\0\0", b"\0\0\0\x80"])
    word = words | st.binary(min_size=1, max_size=8)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(word)
        changed[at : at + len(new)] = new
    read(bytes(changed[: len(content)]))


@given(st.binary(max_size=400), st.booleans())
def test_noise_raises_only_our_error(noise: bytes, marked: bool) -> None:
    read(struct.pack("<I", 16) + b"ORTM" + noise if marked else noise)


def test_half_a_file_says_so_and_keeps_what_is_there() -> None:
    model = read(CNN[: len(CNN) // 2])
    assert model is not None
    assert model.error is not None
    assert "past the end" in model.error.message
    assert model.error.where.offset_bytes is not None
    assert model.ir_version == 6
    assert len(model.main.nodes) == 9
    assert any(model.main.nodes.names)
    assert model.ort is not None
    assert model.ort.resolver


def test_a_broken_string_costs_only_itself() -> None:
    at = CNN.index(b"Conv\0")
    broken = bytearray(CNN)
    broken[at - 4 : at] = b"\xff\xff\xff\x7f"
    model = read(bytes(broken))
    assert model is not None
    assert model.error is not None
    assert model.error.where.field == "Node.op_type"
    ops = set(model.main.nodes.op_types)
    assert "" in ops
    assert "Relu" in ops
    assert len(model.main.initializers) > 0


def nodes_sharing_one_vector(count: int) -> bytes:
    """`count` nodes whose inputs are one and the same vector of `count` names."""
    builder = flatbuffers.Builder()

    def table(slots: int, **offsets: int) -> int:
        builder.StartObject(slots)
        for slot, offset in offsets.items():
            builder.PrependUOffsetTRelativeSlot(int(slot[1:]), offset, 0)
        return int(builder.EndObject())

    def vector(offsets: list[int]) -> int:
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return int(builder.EndVector())

    name = builder.CreateString("x")
    inputs = vector([name] * count)
    nodes = vector([table(13, s8=inputs) for _ in range(count)])
    root = table(4, s1=table(10, s7=table(9, s2=nodes)))
    builder.Finish(root, file_identifier=b"ORTM")
    return bytes(builder.Output())


def test_work_is_bounded_by_the_size_of_the_file() -> None:
    with pytest.raises(FormatError, match="over and over"):
        read_ort(Source.of_bytes(nodes_sharing_one_vector(5_000)))


def test_structure_is_found_without_reading_the_weights(tmp_path: Path) -> None:
    """A file whose trailing bytes are far away reads as fast and as little as the file itself."""
    path = tmp_path / "far.ort"
    with path.open("wb") as file:
        file.write(CNN)
        file.truncate(4 * WHOLE_FILE_BYTES)
    source = Source.open(path)
    model = read_ort(source)
    assert model.error is None
    assert len(model.main.nodes) == 9
    assert source.bytes_read < 2**17


@pytest.mark.parametrize("offset", [0, 3, 2**31, 2**32 - 1])
def test_a_root_outside_the_file_is_an_error_with_its_place(offset: int) -> None:
    with pytest.raises(FormatError) as caught:
        read_ort(Source.of_bytes(struct.pack("<I", offset) + CNN[4:]))
    assert caught.value.where.offset_bytes is not None
