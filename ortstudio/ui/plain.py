"""Names and texts of a model as they stand: never taken for markup, on one line where they must."""

from __future__ import annotations

from ortstudio.analysis.words import printable

LONGEST_LINE = 300
"""Characters of a name in a list or a menu: no line has room for more."""
_ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>"))
"""The `html` module knows two thousand more, and takes its time."""

LONGEST_TIP = 1000
"""Characters of a tool tip, before it fills the screen."""


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """The text for a place with room for one line."""
    return printable(shortened(text, longest))


def shortened(text: str, longest: int) -> str:
    """The text, its middle left out where it is long: names differ at both ends."""
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def tip(text: str) -> str:
    """A tool tip: Qt would take a name like `<b>` for markup, and never break a long line."""
    if not text:
        return ""
    shown = text if len(text) <= LONGEST_TIP else f"{text[:LONGEST_TIP]}…"
    for plain, markup in _ESCAPES:
        shown = shown.replace(plain, markup)
    return f"<qt>{shown}</qt>"
