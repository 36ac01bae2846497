"""The wire walk: what it finds, what it refuses, what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.errors import FormatError
from ortstudio.format.arrays import Ints, ints, offsets_of
from ortstudio.format.protobuf import Field, Fields, Messages, Origin
from ortstudio.format.protowire import (
    FIXED32,
    FIXED64,
    LENGTH,
    VARINT,
    decode_varints,
    read_varint,
    scan,
)
from ortstudio.format.source import PAGE_BYTES, WHOLE_FILE_BYTES, Source
from ortstudio.format.walk import Walk
from tests.builders import wire

Report = tuple[str, int, int]
Found = list[tuple[int, int, int, bytes]]
"""(part, field number, wire type, content) for each field."""

MANY = 200
"""Messages enough to be read together."""


def borders(parts: Sequence[bytes]) -> tuple[Ints, Ints]:
    """Where each of some consecutive messages begins and ends."""
    ptr = offsets_of(ints([len(part) for part in parts]))
    return ptr[:-1], ptr[1:]


def no_report(message: str, offset: int, part: int) -> None:
    pytest.fail(f"{message} at {offset} in {part}")


def fields_in(parts: list[bytes]) -> tuple[Found, list[tuple[str, int, int]]]:
    """What is found in messages that follow each other, and what is reported."""
    content = b"".join(parts)
    source = Source.of_bytes(content)
    starts, ends = borders(parts)
    damage: list[tuple[str, int, int]] = []
    table = scan(source, starts, ends, lambda *row: damage.append(row))
    assert (table.ends <= ends[table.parts]).all()
    assert (table.starts <= table.ends).all()
    found = [
        (part, key >> 3, key & 7, content[start:end])
        for part, key, start, end in zip(
            *(column.tolist() for column in (table.parts, table.keys, table.starts, table.ends)),
            strict=True,
        )
    ]
    return found, damage


field = st.one_of(
    st.tuples(st.just(VARINT), st.integers(0, (1 << 64) - 1).map(wire.varint)),
    st.tuples(st.just(LENGTH), st.binary(max_size=300)),
    st.tuples(st.just(FIXED32), st.binary(min_size=4, max_size=4)),
    st.tuples(st.just(FIXED64), st.binary(min_size=8, max_size=8)),
)
message = st.lists(st.tuples(st.integers(1, (1 << 29) - 1) | st.integers(1, 20), field), max_size=8)
Message = list[tuple[int, tuple[int, bytes]]]


def written(fields: Message) -> bytes:
    return b"".join(
        wire.chunk(number, content) if kind == LENGTH else wire.tag(number, kind) + content
        for number, (kind, content) in fields
    )


@given(st.lists(message, min_size=1, max_size=5), st.sampled_from([1, MANY]))
def test_every_field_is_found_in_order(messages: list[Message], times: int) -> None:
    """A few messages go through the loop, many advance together: both find the same."""
    messages = messages * times
    found, damage = fields_in([written(fields) for fields in messages])
    assert damage == []
    assert found == [
        (part, number, kind, content)
        for part, fields in enumerate(messages)
        for number, (kind, content) in fields
    ]


@given(st.binary(max_size=60), st.sampled_from([1, MANY]))
def test_noise_is_reported_and_never_raised(noise: bytes, times: int) -> None:
    fields_in([noise] * times)


def test_a_varint_may_take_ten_bytes() -> None:
    source = Source.of_bytes(wire.varint(-1) + wire.varint(3, size=10))
    assert read_varint(source, 0, 20) == ((1 << 64) - 1, 10)
    assert read_varint(source, 10, 20) == (3, 20)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"\xff" * 10 + b"\x01", "does not fit 64 bits"),
        (b"\xff" * 9 + b"\x02", "does not fit 64 bits"),
        (b"\xff\xff", "cut short"),
        (b"", "cut short"),
    ],
)
def test_a_varint_that_cannot_be_is_refused(raw: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read_varint(Source.of_bytes(raw), 0, len(raw))


GOOD = wire.chunk(1, "good")
BAD = {
    "a number of over 64 bits": (wire.tag(2, 0) + b"\xff" * 11, "64 bits"),
    "a tag of over 64 bits": (b"\xff" * 11, "64 bits"),
    "a tag of over 32 bits": (wire.varint(1 << 40 | 2) + b"\0", "no field with the number"),
    "field number 0": (b"\x02\x00", "no field with the number 0"),
    "a group": (wire.tag(3, 3) + wire.tag(3, 4), "wire type 3"),
    "the end of a group": (wire.tag(3, 4), "wire type 4"),
    "wire type 6": (wire.tag(3, 6), "wire type 6"),
    "wire type 7": (wire.tag(3, 7), "wire type 7"),
    "half a float": (wire.tag(3, FIXED32) + b"ab", "cut short"),
    "half a double": (wire.tag(3, FIXED64) + b"abcdefg", "cut short"),
    "a tag alone": (wire.tag(3, LENGTH), "cut short"),
    "half a length": (wire.tag(3, LENGTH) + b"\x80", "cut short"),
}


@pytest.mark.parametrize("times", [1, MANY])
@pytest.mark.parametrize("name", BAD)
def test_damage_ends_its_message_and_no_other(name: str, times: int) -> None:
    raw, words = BAD[name]
    found, damage = fields_in([GOOD + raw, GOOD + GOOD] * times)
    assert found == [
        (part, 1, LENGTH, b"good") for i in range(times) for part in (2 * i, 2 * i + 1, 2 * i + 1)
    ]
    assert [part for _, _, part in damage] == list(range(0, 2 * times, 2))
    assert all(words in message for message, _, _ in damage)
    assert damage[0][1] >= len(GOOD)


@pytest.mark.parametrize("times", [1, MANY])
@pytest.mark.parametrize("claimed", [6, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_a_length_past_the_end_is_cut_to_it(claimed: int, times: int) -> None:
    found, damage = fields_in([GOOD + wire.chunk(2, "abc", claimed), GOOD] * times)
    assert found[1] == (0, 2, LENGTH, b"abc")
    assert len(found) == 3 * times
    assert len(damage) == times
    assert "needs" in damage[0][0]


def test_a_run_of_numbers_that_are_not_packed_is_found_whole() -> None:
    values = [*range(3000), *[-1] * 100, 1 << 62, *[5] * 2000]
    parts = [wire.number(8, value) for value in values] + [wire.float32(7, i) for i in range(3000)]
    raw = b"".join(parts) + GOOD
    found, damage = fields_in([raw])
    assert damage == []
    assert [content for _, number, _, content in found if number == 8] == [
        wire.varint(value) for value in values
    ]
    assert len(found) == len(parts) + 1


@pytest.mark.parametrize("bad", [b"\x40" + b"\xff" * 11, b"\x40" + b"\xff" * 9 + b"\x02", b"\x40"])
def test_damage_inside_a_run_is_found_where_it_is(bad: bytes) -> None:
    good = wire.number(8, 300) * 500
    found, damage = fields_in([good + bad])
    assert len(found) == 500
    assert [offset >= len(good) for _, offset, _ in damage] == [True]


@given(st.lists(st.integers(0, (1 << 64) - 1), max_size=50))
def test_varints_in_a_row_decode_to_their_numbers(values: list[int]) -> None:
    raw = np.frombuffer(b"".join(map(wire.varint, values)), np.uint8)
    decoded, starts, bad = decode_varints(raw)
    assert decoded.tolist() == values
    assert not bad.any()
    assert len(starts) == len(values)


def messages_of(*parts: bytes) -> Messages:
    content = b"".join(parts)
    starts, ends = borders(parts)
    rows = np.arange(len(parts))

    def origin(part: int) -> Origin:
        return Origin(None, 0, f"M[{part}]")

    walk = Walk(Source.of_bytes(content))
    return Messages(walk, len(parts), rows, starts, ends, rows, origin)


def scanned(*parts: bytes) -> Fields:
    return messages_of(*parts).scan()


NAME = Field(1, LENGTH, "name")
COUNT = Field(2, VARINT, "count")
INNER = Field(3, LENGTH, "inner")
ITEMS = Field(4, LENGTH, "items", repeated=True)
FLOATS = Field(5, FIXED32, "floats", repeated=True)


def test_the_last_of_a_repeated_singular_number_counts() -> None:
    fields = scanned(wire.number(2, 5) + wire.number(2, -7), b"", wire.number(2, 9))
    assert fields.numbers(COUNT, default=1).tolist() == [-7, 1, 9]


def test_a_singular_message_that_appears_twice_is_one() -> None:
    first, second = wire.chunk(1, "a") + wire.number(2, 1), wire.chunk(1, "b")
    fields = scanned(wire.chunk(3, first) + wire.chunk(3, second), wire.chunk(3, second))
    inner = fields.inside(INNER).scan()
    assert inner.texts(NAME) == ["b", "b"]
    assert inner.numbers(COUNT).tolist() == [1, 0]
    assert fields.children(INNER).parents.tolist() == [0, 1]


def test_each_message_of_a_repeated_field_stands_alone() -> None:
    fields = scanned(wire.chunk(4, wire.chunk(1, "a")) + wire.chunk(4, b""), b"")
    children = fields.children(ITEMS)
    assert children.parents.tolist() == [0, 0]
    assert children.scan().texts(NAME) == ["a", ""]


def test_a_field_of_another_wire_type_is_another_field() -> None:
    fields = scanned(wire.number(1, 3) + wire.chunk(2, "abc"))
    assert fields.texts(NAME) == [""]
    assert fields.numbers(COUNT).tolist() == [0]


def test_numbers_are_read_packed_or_not_or_both() -> None:
    packed = wire.chunk(2, wire.varint(-1) + wire.varint(300))
    mixed = wire.number(2, 1) + packed + wire.number(2, 4)
    fields = scanned(mixed, b"", packed, wire.chunk(2, b""))
    assert fields.integers(COUNT).lists() == [[1, -1, 300, 4], [], [-1, 300], []]


def test_floats_are_read_packed_or_not_or_both() -> None:
    packed = wire.chunk(5, np.array([1.5, -2], "<f4").tobytes())
    fields = scanned(packed + wire.float32(5, 3), wire.float32(5, 4))
    assert fields.floats(FLOATS).lists() == [[1.5, -2, 3], [4]]


@pytest.mark.parametrize("bad", [b"\x01\x80", b"\x01" + b"\xff" * 12 + b"\x01"])
def test_a_damaged_packed_field_is_reported_and_left_out(bad: bytes) -> None:
    fields = scanned(wire.chunk(2, bad) + wire.number(2, 7), wire.chunk(2, b"\x05"))
    assert fields.integers(COUNT).lists() == [[7], [5]]
    error = fields.messages.walk.error
    assert error is not None
    assert error.where.field == "M[0]"


def test_text_that_is_not_utf8_can_still_be_shown() -> None:
    fields = scanned(wire.chunk(1, b"\xffa"), wire.chunk(1, "ä"), wire.chunk(1, "b"))
    assert fields.texts(NAME) == ["\\xffa", "ä", "b"]
    assert fields.words(NAME) == ["\\xffa", "ä", "b"]


def test_the_first_damage_by_place_in_the_file_is_kept_with_its_path() -> None:
    bad = wire.chunk(4, wire.chunk(4, b"\xff"))
    messages = messages_of(wire.chunk(4, b"") + bad, wire.chunk(4, b"\xff"))
    fields = messages.scan()
    fields.children(ITEMS).scan().children(ITEMS).scan()
    error = messages.walk.error
    assert error is not None
    assert error.where.field == "M[0].items[1].items[0]"
    assert error.where.offset_bytes == 6


def test_sizes_add_up_to_the_message() -> None:
    raw = wire.number(2, 1 << 40) + wire.chunk(1, "abc") + wire.float32(5, 1) + wire.number(9, 1)
    fields = scanned(raw)
    known = fields.sizes(NAME, COUNT, FLOATS, Field(9, VARINT, "more"))
    assert known.tolist() == [len(raw)]


def test_only_pages_with_tags_are_touched(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    payload = WHOLE_FILE_BYTES
    head = wire.tag(1, LENGTH) + wire.varint(payload)
    with path.open("wb") as file:
        for i in range(3):
            file.seek(i * (len(head) + payload))
            file.write(head)
        file.truncate(3 * (len(head) + payload))
    source = Source.open(path)
    table = scan(source, ints([0]), ints([source.size]), no_report)
    assert table.values.tolist() == [payload] * 3
    assert source.bytes_read <= 6 * PAGE_BYTES


def test_heads_at_every_place_around_a_page_border_are_read(tmp_path: Path) -> None:
    """What lies behind the border is not in memory until it is asked for."""
    path = tmp_path / "large.bin"
    for before in range(PAGE_BYTES - 30, PAGE_BYTES + 2):
        first = wire.chunk(1, bytes(before - 4))
        tail = wire.chunk(2, bytes(300)) + wire.number(3, -1)
        with path.open("wb") as file:
            file.write(first + tail)
            file.truncate(WHOLE_FILE_BYTES + 1)
        source = Source.open(path)
        end = len(first) + len(tail)
        table = scan(source, ints([0]), ints([end]), no_report)
        assert table.values.tolist() == [before - 4, 300, -1]
