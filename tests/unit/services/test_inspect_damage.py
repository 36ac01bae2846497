"""Whatever bytes a file holds: an answer that is strict JSON and adds up, or an error of ours."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.cli import inspect_lists, inspect_text
from ortstudio.cli.output import Output
from ortstudio.cli.page import Page
from ortstudio.errors import UNREADABLE, StudioError
from ortstudio.services.document import Document, open_document
from ortstudio.services.inspect import answer

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = [
    path
    for path in sorted(CORPUS.rglob("*"))
    if path.suffix in (".ort", ".onnx") and path.stat().st_size < 40_000
]

WORDS = st.sampled_from(
    [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\x01\0\0\0", b"\0\0\0\x80"]
)
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True), st.one_of(st.binary(min_size=1, max_size=4), WORDS)
    ),
    max_size=6,
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file of the corpus with some bytes overwritten, and perhaps cut."""
    content = bytearray(draw(st.sampled_from(FILES)).read_bytes())
    for place, replacement in draw(EDITS):
        start = int(place * len(content))
        content[start : start + len(replacement)] = replacement
    if draw(st.booleans()):
        del content[int(draw(st.floats(0, 1)) * len(content)) :]
    return bytes(content)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage") / "model.ort"


def opened(file: Path) -> Document | StudioError:
    try:
        return open_document(file)
    except StudioError as error:
        return error


@given(content=damaged())
def test_damage_is_answered_or_refused_and_never_a_crash(content: bytes, file: Path) -> None:
    file.write_bytes(content)
    document = opened(file)
    if isinstance(document, StudioError):
        assert document.exit_code == UNREADABLE
        assert document.where.path == str(file)
        return
    found = answer(document, nodes=True, initializers=True)
    json.dumps(found, allow_nan=False)
    assert sum(document.model.sizes.values()) == len(content)
    page = Page(Output(False, io.StringIO(), True), 100)
    inspect_text.show(document, page)
    inspect_lists.show_nodes(document.model, page)
    inspect_lists.show_initializers(document.model, page)
