"""Colours for code: comments, strings, numbers and keywords of the languages that we write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ortstudio.ui import theme
from ortstudio.ui.theme import Theme

_KEYWORDS = {
    "python": "as def for from if import in is None return with",
    "cpp": "auto char const constexpr float for if int int64_t main namespace return size_t"
    " static_cast template typename using void",
    "csharp": "bool byte const double float foreach in int long new sbyte short static string"
    " uint ulong ushort using var where",
    "java": "class final finally for if import instanceof int long new private public return"
    " static throws try void",
    "kotlin": "class const emptyMap else finally fun if import in init is override private return"
    " to try val",
    "swift": "as else for func guard import in let nil private return self throw throws try var",
    "javascript": "as async await const for from import let new of return",
    "rust": "as const fn for in let mod mut unsafe use",
}
_TOKEN = (
    r"(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<comment>{comment})"
    r"|(?P<directive>^#include .*)"
    r"|(?P<number>\b\d[\w.]*)"
    r"|(?P<keyword>\b(?:{keywords})\b)"
)


class CodeColours(QSyntaxHighlighter):
    """Colours a document; no token of what we write goes over a line's end."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._token = _pattern("python")

    def set_language(self, lang: str) -> None:
        """Read the text as this language from now on; the next text is coloured so."""
        self._token = _pattern(lang)

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt calls it
        """Colour one line."""
        look = theme.current()
        for kind, start, end in tokens(self._token, text):
            made = QTextCharFormat()
            made.setForeground(_colour(look, kind))
            # Qt counts a character beyond the basic plane twice.
            first = _units(text[:start])
            self.setFormat(first, _units(text[start:end]), made)


def tokens(pattern: re.Pattern[str], line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of everything that has a colour."""
    for match in pattern.finditer(line):
        assert match.lastgroup is not None
        yield match.lastgroup, match.start(), match.end()


def _pattern(lang: str) -> re.Pattern[str]:
    family = lang.partition("-")[0]
    comment = "#.*" if family == "python" else r"//.*|/\*\*.*"
    keywords = "|".join(_KEYWORDS[family].split())
    return re.compile(_TOKEN.format(comment=comment, keywords=keywords))


def _colour(look: Theme, kind: str) -> QColor:
    return {
        "comment": look.text_muted,
        "string": look.good,
        "number": look.warning,
        "keyword": look.accent,
        "directive": look.accent,
    }[kind]


def _units(text: str) -> int:
    return len(text) + sum(ord(c) > 0xFFFF for c in text)
