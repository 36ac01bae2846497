"""What all languages need of text: identifiers, quoted strings, wrapped comments."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count

from ortstudio.analysis.words import printable

WIDTH = 96

Spelling = Callable[[list[str]], str]
"""Makes one identifier of words."""


def upper_snake(words: list[str]) -> str:
    """`BATCH_SIZE`."""
    return "_".join(words).upper()


def snake(words: list[str]) -> str:
    """`batch_size`."""
    return "_".join(words).lower()


def pascal(words: list[str]) -> str:
    """`BatchSize`."""
    return "".join(word[:1].upper() + word[1:].lower() for word in words)


def camel(words: list[str]) -> str:
    """`batchSize`."""
    text = pascal(words)
    return text[:1].lower() + text[1:]


def identifiers(
    names: Iterable[str], spelling: Spelling, fallback: str, taken: Collection[str] = ()
) -> Mapping[str, str]:
    """An identifier of its own for each name, in ASCII; `fallback` begins those that have no word.

    `taken` are identifiers that the code has already, keywords among them.
    """
    found: dict[str, str] = {}
    used = set(taken)
    for name in names:
        if name in found:
            continue
        words = _words(name)
        if not words or words[0][0].isdigit():
            words = [fallback, *words]
        wanted = spelling(words)
        if wanted in used:
            wanted = next(
                text for number in count(2) if (text := spelling([*words, str(number)])) not in used
            )
        used.add(wanted)
        found[name] = wanted
    return found


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    # A capital after a small letter begins a word: `inputIds`.
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+", plain)


def quoted(text: str, escapes: Mapping[str, str], escape: Callable[[int], str]) -> str:
    """The text between double quotes. `escape` writes a code point that would not show."""
    return '"' + "".join(_character(c, escapes, escape) for c in text) + '"'


def _character(c: str, escapes: Mapping[str, str], escape: Callable[[int], str]) -> str:
    found = escapes.get(c)
    if found is not None:
        return found
    return c if c.isprintable() else escape(ord(c))


C_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
"""What every one of the languages writes like C."""


def utf16_escape(code_point: int) -> str:
    r"""`\u2028`, two of them beyond the basic plane: Java, Kotlin, JavaScript, C#."""
    units = chr(code_point).encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def comment(text: str, mark: str, indent: str = "") -> list[str]:
    """The text as comment lines of at most `WIDTH` characters.

    Backslashes stay but where one would begin a character in Java, or join the next line in C++.
    """
    start = f"{indent}{mark} "
    shown = re.sub(r"\\+(?=u)", lambda found: 2 * found[0], printable(text))
    return textwrap.wrap(
        re.sub(r"\\(?=\s|$)", r"\\x5c", shown),
        WIDTH,
        initial_indent=start,
        subsequent_indent=start,
        break_long_words=False,
        break_on_hyphens=False,
    )


def indented(lines: Iterable[str], indent: str) -> list[str]:
    """The lines further to the right; empty ones stay empty."""
    return [indent + line if line else line for line in lines]


def bracketed(
    start: str, items: Sequence[str], end: str, indent: str, *, last: str = ","
) -> list[str]:
    """`start`, the items, `end`: on one line where there is room, else each on its own.

    `last` follows the last item then.
    """
    line = f"{start}{', '.join(items)}{end}"
    if len(line) <= WIDTH or not items:
        return [line]
    lines = [f"{indent}{item}," for item in items]
    lines[-1] = lines[-1].removesuffix(",") + last
    return [start.rstrip(), *lines, end.lstrip()]


def call(start: str, text: str, end: str, indent: str, *, last: str = ",") -> list[str]:
    """`start`, a call, `end`: its arguments each on a line of their own where room is short.

    `last` follows the last argument then.
    """
    head, _, rest = text.partition("(")
    arguments = _split(rest.removesuffix(")"))
    return bracketed(f"{start}{head}(", arguments, f"){end}", indent, last=last)


def _split(text: str) -> list[str]:
    """Arguments at the commas that no bracket holds; the text has no strings with brackets."""
    depth, parts = 0, [""]
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]
