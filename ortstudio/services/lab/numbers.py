"""Lists of whole numbers as people write them."""

from __future__ import annotations

from ortstudio.errors import UsageError


def numbers(text: str, most: int, least: int = 1) -> tuple[int, ...]:
    """`1,8,32` as numbers from `least` to `most`, each once. Raises UsageError otherwise."""
    found: list[int] = []
    for part in text.split(","):
        digits = part.strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise UsageError(f"{text!r} is no list of numbers", hint="Write it as 1,8,32.")
        if not least <= int(digits) <= most:
            raise UsageError(f"{digits} is not between {least} and {most:,}")
        found.append(int(digits))
    return tuple(dict.fromkeys(found))
