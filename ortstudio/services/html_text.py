"""Text out of a file, made fit for a page of HTML."""

from __future__ import annotations

from html import escape


def text(raw: str) -> str:
    """The text with markup escaped; what is no visible character stands as an escape too."""
    if not raw.isprintable():
        raw = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in raw)
    return escape(raw)
