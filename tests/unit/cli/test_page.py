from __future__ import annotations

import io

from ortstudio.cli.output import Output
from ortstudio.cli.page import Page


def page(width: int = 60, colour: bool = False) -> tuple[Page, io.StringIO]:
    stream = io.StringIO()
    return Page(Output(False, stream, colour), width), stream


def test_the_title_has_its_aside_at_the_right() -> None:
    made, stream = page()
    made.title("a.ort", "ORT format model")
    assert stream.getvalue() == "a.ort" + " " * 39 + "ORT format model\n"


def test_a_fact_goes_on_below_itself() -> None:
    made, stream = page()
    made.fact("Doc string", "one two three four five six seven eight nine\nten")
    assert stream.getvalue().splitlines() == [
        "  Doc string          one two three four five six seven",
        "                      eight nine",
        "                      ten",
    ]


def test_a_long_label_has_a_line_of_its_own() -> None:
    made, stream = page()
    made.fact("a_label_of_twenty_six_chars", "text")
    assert stream.getvalue().splitlines() == [
        "  a_label_of_twenty_six_chars",
        "                      text",
    ]


def test_a_long_word_is_kept_whole_for_copying() -> None:
    made, stream = page()
    made.text("x" * 100)
    assert stream.getvalue().strip() == "x" * 100


def test_table_columns_are_aligned_and_one_long_name_does_not_widen_all() -> None:
    made, stream = page()
    made.table([("a", "1", "x"), ("bbb", "1,000", "y"), ("n" * 60, "2", "z")], align="lr")
    assert stream.getvalue().splitlines() == [
        "  a        1  x",
        "  bbb  1,000  y",
        "  " + "n" * 60 + "      2  z",
    ]


def test_counts_stand_in_columns_read_downwards() -> None:
    made, stream = page(60)
    made.counts([("Conv", 1200), ("Relu", 30), ("Add", 2), ("Gemm", 1), ("Mul", 1)])
    assert stream.getvalue().splitlines() == [
        "  1,200  Conv        2  Add         1  Mul",
        "     30  Relu        1  Gemm",
    ]


def test_nothing_of_a_file_reaches_the_terminal_raw() -> None:
    made, stream = page(colour=True)
    nasty = "a\x1b]0;title\x07b\rc"
    made.title(nasty, nasty)
    made.section(nasty, nasty)
    made.fact(nasty, nasty)
    made.text(nasty)
    made.table([(nasty,)], styles=("name",))
    made.counts([(nasty, 1)])
    assert "\x1b]" not in stream.getvalue()
    assert "\x07" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_what_a_list_leaves_out_is_counted() -> None:
    made, stream = page()
    made.more(0)
    made.more(1200)
    assert stream.getvalue() == "  and 1,200 more\n"
