from __future__ import annotations

import io
import json

import pytest

from ortstudio.cli.output import Output, OutputError, complain, encodable, printable, report
from ortstudio.errors import FormatError, Where


class FullDisk(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError(28, "No space left on device")


class GoneReader(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


def ascii_stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="ascii")


def test_json_is_strict_and_has_each_top_key_on_a_line() -> None:
    stream = io.StringIO()
    Output(True, stream, False).json({"a": [1, {"b": None}], "c": "ü\n"})
    text = stream.getvalue()
    assert json.loads(text) == {"a": [1, {"b": None}], "c": "ü\n"}
    assert len(text.splitlines()) == 4
    with pytest.raises(ValueError, match="not JSON compliant"):
        Output(True, stream, False).json({"x": float("nan")})


def test_colour_is_written_only_where_it_is_on() -> None:
    assert Output(False, io.StringIO(), True).style("a", "error") == "\033[31ma\033[0m"
    assert Output(False, io.StringIO(), True).style("a", "") == "a"
    assert Output(False, io.StringIO(), False).style("a", "error") == "a"


def test_a_terminal_with_ascii_only_gets_plain_signs_and_escapes() -> None:
    assert encodable("3×4 – Ψ", ascii_stream()) == "3x4 - \\u03a8"
    assert encodable("3×4 – Ψ", io.StringIO()) == "3×4 – Ψ"


def test_what_a_terminal_would_obey_comes_out_as_an_escape() -> None:
    assert printable("a\x1b[31mb\nc\u202ed\udc80") == "a\\x1b[31mb\\nc\\u202ed\\udc80"
    assert printable("Größe 値") == "Größe 値"


def test_a_full_disk_is_an_error_of_ours() -> None:
    with pytest.raises(OutputError, match="cannot be written: No space left on device"):
        Output(False, FullDisk(), False).line("x")


def test_a_reader_that_went_away_is_for_the_caller() -> None:
    with pytest.raises(BrokenPipeError):
        Output(False, GoneReader(), False).line("x")


def test_an_error_is_one_line_whatever_stands_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    complain(FormatError("It is broken\x07", where=Where("a\nb.ort", 7, "Graph.nodes")))
    assert capsys.readouterr().err == (
        "ortstudio: It is broken\\x07 (a\\nb.ort, byte 7, Graph.nodes)\n"
    )


def test_an_error_is_an_object_too_where_json_was_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = io.StringIO()
    error = FormatError("It is broken", where=Where("a.ort", 7), hint="Copy it again.")
    assert report(error, Output(True, stream, False)) == 3
    assert json.loads(stream.getvalue()) == {
        "schema": "ortstudio/error@1",
        "kind": "format",
        "message": "It is broken",
        "where": "a.ort, byte 7",
        "hint": "Copy it again.",
    }
    assert capsys.readouterr().err.count("\n") == 1
