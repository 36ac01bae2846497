"""The line on a terminal that says what is being done."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from unittest import mock

from ortstudio.cli.status_line import StatusLine, status_line

EMPTY = "\r\033[K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def watched(stderr: io.StringIO) -> Iterator[StatusLine]:
    """A line that stderr shows, in 30 columns."""
    size = os.terminal_size((30, 24))
    with (
        redirect_stderr(stderr),
        mock.patch.object(shutil, "get_terminal_size", return_value=size),
        status_line() as show,
    ):
        yield show


def test_a_text_takes_the_place_of_the_last_and_the_last_is_wiped() -> None:
    with watched(terminal := Terminal()) as show:
        show("reading")
        show("reading")
        show("running")
    assert terminal.getvalue() == f"{EMPTY}reading{EMPTY}running{EMPTY}"


def test_a_text_is_shown_again_after_it_was_wiped() -> None:
    with watched(terminal := Terminal()) as show:
        show("reading")
        show.wipe()
        show("reading")
    assert terminal.getvalue() == f"{EMPTY}reading{EMPTY}{EMPTY}reading{EMPTY}"


def test_a_text_keeps_to_one_row_and_the_terminal_obeys_none_of_it() -> None:
    with watched(terminal := Terminal()) as show:
        show("\033[2J" + "x" * 100)
    assert terminal.getvalue() == f"{EMPTY}\\x1b[2J{'x' * 22}{EMPTY}"


def test_nothing_is_written_where_nobody_watches() -> None:
    with watched(file := io.StringIO()) as show:
        show("reading")
    assert not file.getvalue()
