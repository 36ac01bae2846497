"""Text in sections: labels, tables and columns, aligned and wrapped to the terminal.

Everything here takes plain text and may be given what stands in a file: control characters, which
a terminal would obey, come out as escapes.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from ortstudio.cli.output import Output, printable

INDENT = 2
GAP = 2
LABEL_WIDTH = 20
WIDEST_CELL = 44
"""A column is not made wider than this for the sake of a few long names."""


def _terminal_width() -> int:
    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 120)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of text, written as it is made."""

    output: Output
    width: int = field(default_factory=_terminal_width)

    def title(self, text: str, aside: str) -> None:
        """The first line: what this is, and something about it at the right."""
        text, aside = printable(text), printable(aside)
        gap = " " * max(GAP, self.width - len(text) - len(aside))
        self.output.line(self.output.style(text, "title") + gap + self.output.style(aside, "muted"))

    def section(self, title: str, aside: str = "") -> None:
        """Begin a section."""
        self.output.line()
        line = self.output.style(printable(title), "title")
        if aside:
            line += " " * GAP + self.output.style(printable(aside), "muted")
        self.output.line(line)

    def fact(self, label: str, text: str, style: str = "", label_style: str = "muted") -> None:
        """A label and what is so; long text goes on below itself, a line break begins a line."""
        label = printable(label)
        lead = " " * INDENT + self.output.style(label, label_style)
        if len(label) > LABEL_WIDTH - GAP:
            self.output.line(lead)
            label, lead = "", " " * INDENT
        lead += " " * (LABEL_WIDTH - len(label))
        for line in self._wrapped(text, self.width - INDENT - LABEL_WIDTH):
            self.output.line((lead + self.output.style(line, style)).rstrip())
            lead = " " * (INDENT + LABEL_WIDTH)

    def text(self, text: str, style: str = "") -> None:
        """Running text."""
        for line in self._wrapped(text, self.width - INDENT):
            self.output.line(" " * INDENT + self.output.style(line, style))

    def verbatim(self, text: str) -> None:
        """Lines that are laid out already."""
        for line in text.splitlines():
            self.output.line(" " * INDENT + printable(line))

    def table(
        self, rows: Sequence[Sequence[str]], align: str = "", styles: Sequence[str] = ()
    ) -> None:
        """Rows of cells. By column: `align` has an `r` for the right, `styles` how it looks."""
        shown = [[printable(cell) for cell in row] for row in rows]
        widths = [
            max((len(cell) for cell in column if len(cell) <= WIDEST_CELL), default=0)
            for column in zip(*shown, strict=True)
        ]
        looks = [*styles, *[""] * len(widths)]
        for row in shown:
            cells = []
            for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
                pad, styled = " " * (width - len(cell)), self.output.style(cell, looks[i])
                cells.append(pad + styled if align[i : i + 1] == "r" else styled + pad)
            self.output.line(" " * INDENT + (" " * GAP).join(cells).rstrip())

    def more(self, hidden: int) -> None:
        """How many rows a list left out, if any."""
        if hidden > 0:
            self.text(f"and {hidden:,} more", "muted")

    def counts(self, counts: Sequence[tuple[str, int]]) -> None:
        """Names with their counts, in as many columns as there is room for, read downwards."""
        cells = [(printable(name), f"{number:,}") for name, number in counts]
        names = max((len(name) for name, _ in cells), default=0)
        numbers = max((len(number) for _, number in cells), default=0)
        columns = max(1, (self.width - INDENT) // (names + numbers + 3 * GAP))
        height = (len(cells) + columns - 1) // columns
        for top in range(height):
            line = ""
            for name, number in cells[top::height]:
                line += " " * INDENT + number.rjust(numbers) + " " * GAP
                line += self.output.style(name, "name") + " " * (names - len(name) + GAP)
            self.output.line(line.rstrip())

    def _wrapped(self, text: str, room: int) -> list[str]:
        lines = [printable(line) for line in text.splitlines()] or [""]
        return [
            part
            for line in lines
            for part in textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
            or [""]
        ]
