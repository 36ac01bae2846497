"""What a facts view shows, as plain values: a sheet of sections, each of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ortstudio.ui.theme import Tone

LONGEST = 160
"""Characters of a value that are shown; the whole is in the tool tip and in what is copied."""


@dataclass(frozen=True, slots=True)
class Link:
    """A name that leads somewhere; `target` is what the view's signal carries."""

    text: str
    target: object
    tip: str = ""


Run = str | Link


@dataclass(frozen=True, slots=True)
class Fact:
    """A key and a value of one or more runs, monospaced unless said otherwise.

    `note` follows the value in muted words; `detail` stands below it in muted monospace, such as
    the type of a name; `tip` says more to who points at the value.
    """

    key: Run
    value: Run | tuple[Run, ...]
    note: str = ""
    detail: str = ""
    mono: bool = True
    tip: str = ""

    def runs(self) -> tuple[Run, ...]:
        """The value as runs, however many it is given as."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def whole(self) -> str:
        """The value as text, nothing left out."""
        return "".join(map(run_text, self.runs()))


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph, or with `markdown` as many as the text has; addresses in it are links."""

    text: str
    tone: Tone = "text"
    markdown: bool = False


@dataclass(frozen=True, slots=True)
class Embed:
    """A widget among the rows, such as a plot; made when its section is first unfolded."""

    make: Callable[[], QWidget]


@dataclass(frozen=True, slots=True)
class Section:
    """A title over rows. Once a person folds or unfolds it, that holds for its title."""

    title: str
    rows: Sequence[Fact | Prose | Embed]
    count: int | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything about one thing: its name, what it is in a line, and sections.

    The title is a name out of a file, or with `mono` False a sentence of ours.
    """

    title: str
    subtitle: tuple[Run, ...] = ()
    sections: Sequence[Section] = ()
    mono: bool = True

    def text(self) -> str:
        """The whole sheet to paste elsewhere: keys and values set off by tabs."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.title
        if self.subtitle:
            yield "".join(map(run_text, self.subtitle))
        for section in self.sections:
            yield from ("", section.title)
            yield from (row_text(row) for row in section.rows if not isinstance(row, Embed))


def row_text(row: Fact | Prose) -> str:
    """One row to paste elsewhere."""
    if isinstance(row, Prose):
        return row.text
    cells = (run_text(row.key), row.whole(), row.note, row.detail)
    return "\t".join(cell for cell in cells if cell)


def run_text(run: Run) -> str:
    """The words of a run."""
    return run.text if isinstance(run, Link) else run
