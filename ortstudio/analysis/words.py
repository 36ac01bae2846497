"""Counts and lists in plain English."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """`1 node`, `1,200 nodes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(texts: Sequence[str], at_most: int = 4) -> str:
    """`a, b and c`; of a longer list the first few and how many more there are."""
    shown = list(texts[:at_most])
    if len(texts) > at_most:
        shown.append(f"{len(texts) - at_most:,} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def share(part: int, whole: int) -> str:
    """`94 %`, `under 1 %`."""
    if not whole:
        return "0 %"
    percent = round(100 * part / whole)
    return f"{percent} %" if percent or not part else "under 1 %"


def printable(text: str) -> str:
    """The text with escapes for line breaks and all else that would not show as a character.

    That goes for characters that turn the direction of what follows.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def size_text(size_bytes: int) -> str:
    """`512 bytes`, `1.5 kB`, `2.3 GB`: powers of 1000, three digits."""
    if size_bytes < 1000:
        return count(size_bytes, "byte")
    value = float(size_bytes)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.5 or unit == "TB":
            break
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def duration_text(value_ns: float) -> str:
    """`12 µs`, `3.4 ms`, `1.2 s`: three digits."""
    value, unit = value_ns / 1e9, "s"
    for size_ns, name in ((1e3, "µs"), (1e6, "ms")):
        if value_ns < 999.5 * size_ns:
            value, unit = value_ns / size_ns, name
            break
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
