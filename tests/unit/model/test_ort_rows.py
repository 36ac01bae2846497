"""A few rows are read one at a time, many by columns: what is found is the same, damage too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ortstudio.errors import StudioError
from ortstudio.format import buffer
from ortstudio.format.content import read_content
from ortstudio.format.ort_tables import SCHEMA
from ortstudio.format.source import Source
from ortstudio.model.ort_reader import read_ort

FILES = sorted((Path(__file__).parents[2] / "corpus").glob("*.ort"))
SPREAD = FILES[::4]
SMALLEST = [path.read_bytes() for path in sorted(FILES, key=lambda path: path.stat().st_size)[:8]]


def plain(value: object) -> object:
    """All that a value holds, comparable."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, StudioError):
        return str(value), value.where
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, Source) or callable(value):
        return None
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def read(content: bytes, few: int) -> list[object]:
    """What is found where so many rows are few."""
    found: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buffer, "FEW", few)
        for reader in (read_ort, lambda source: read_content(source, SCHEMA)):
            result: object
            try:
                result = reader(Source.of_bytes(content))
            except StudioError as error:
                result = error
            found += [plain(result), plain(getattr(result, "sizes", None))]
    return found


@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_rows_and_columns_say_the_same(path: Path) -> None:
    content = path.read_bytes()
    columns = read(content, -1)
    assert repr(read(content, 1 << 30)) == repr(columns)
    assert repr(read(content, 3)) == repr(columns)


@settings(max_examples=30)
@given(st.sampled_from(SMALLEST), st.data())
def test_rows_and_columns_say_the_same_of_damage(content: bytes, data: st.DataObject) -> None:
    changed = bytearray(content)
    words = st.sampled_from([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\0\0\0", b"\0\0\0\x80"])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) // 4 - 1)) * 4
        changed[at : at + 4] = data.draw(words | st.binary(min_size=1, max_size=4)).ljust(4, b"\0")
    assert repr(read(bytes(changed), 1 << 30)) == repr(read(bytes(changed), -1))
