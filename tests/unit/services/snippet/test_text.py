"""Identifiers, quoted strings and comments, whatever the names are."""

from __future__ import annotations

import ast
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.services.snippet.text import (
    C_ESCAPES,
    WIDTH,
    Spelling,
    bracketed,
    call,
    camel,
    comment,
    identifiers,
    pascal,
    quoted,
    snake,
    upper_snake,
    utf16_escape,
)

SPELLINGS = [upper_snake, snake, pascal, camel]


@pytest.mark.parametrize(
    ("name", "spelling", "wanted"),
    [
        ("batch", upper_snake, "BATCH"),
        ("batch_size", upper_snake, "BATCH_SIZE"),
        ("batch size", pascal, "BatchSize"),
        ("inputIds", snake, "input_ids"),
        ("N", camel, "n"),
        ("données", upper_snake, "DONNEES"),
        ("漢", upper_snake, "SIZE"),
        ("漢", pascal, "Size"),
        ("2nd", snake, "size_2_nd"),
        ("image[2]", upper_snake, "IMAGE_2"),
        ("", snake, "size"),
    ],
)
def test_an_identifier_is_made_of_the_words_of_a_name(
    name: str, spelling: Spelling, wanted: str
) -> None:
    assert identifiers([name], spelling, "size")[name] == wanted


def test_names_of_the_same_words_get_identifiers_of_their_own() -> None:
    found = identifiers(["a b", "a_b", "aB", "a b", "MODEL"], upper_snake, "size", ("MODEL",))
    assert list(found.values()) == ["A_B", "A_B_2", "A_B_3", "MODEL_2"]


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(names=st.lists(st.text(max_size=8), max_size=12))
def test_identifiers_are_words_without_twins(spelling: Spelling, names: list[str]) -> None:
    found = identifiers(names, spelling, "size", ("size", "Size", "SIZE"))
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    for text in found.values():
        assert text.isidentifier()
        assert text.isascii()


@given(st.text())
def test_a_quoted_text_reads_back_as_what_it_was(text: str) -> None:
    made = quoted(text, C_ESCAPES, utf16_escape)
    assert made.isprintable()
    assert json.loads(made) == text


@given(st.text())
def test_a_comment_is_short_lines_that_all_begin_with_the_mark(text: str) -> None:
    for line in comment(f"a {text}", "//", "  "):
        assert line.startswith("  // ")
        assert line.isprintable()
        assert not line.endswith("\\")
        assert all(len(run) % 2 == 0 for run in re.findall(r"(\\+)u", line))
        assert len(line) <= WIDTH or " " not in line.removeprefix("  // ")


def test_a_comment_shows_a_name_as_it_is_where_that_is_safe() -> None:
    assert comment("Runs back\\name.ort.", "#") == ["# Runs back\\name.ort."]
    assert comment("Runs \x01.", "#") == ["# Runs \\x01."]
    assert comment("a\\ \\\\u b", "//") == ["// a\\x5c \\\\\\\\u b"]


def test_what_has_no_room_on_a_line_gets_a_line_for_each() -> None:
    assert bracketed("x = [", ["1", "2"], "]", "  ") == ["x = [1, 2]"]
    items = [f'"{"x" * 20}{i}"' for i in range(9)]
    lines = bracketed("x = [", items, "]", "  ")
    assert ast.literal_eval("\n".join(lines).removeprefix("x = ")) == [
        ast.literal_eval(item) for item in items
    ]
    assert bracketed("f(", items, ")", "  ", last="")[-2:] == [f"  {items[-1]}", ")"]


def test_a_call_that_has_no_room_gets_a_line_for_each_argument() -> None:
    short = "f(a, g(b, c), [d, e])"
    assert call("x = ", short, ";", "  ") == [f"x = {short};"]
    long = f"f({'a' * 50}, g(b, c), {{{'d' * 50}, e}})"
    assert call("x = ", long, ";", "  ", last="") == [
        "x = f(",
        f"  {'a' * 50},",
        "  g(b, c),",
        f"  {{{'d' * 50}, e}}",
        ");",
    ]
