"""A fact is a name and what is so; sections hold facts about one thing."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.analysis.words import size_text
from ortstudio.model.refs import Ref


@dataclass(frozen=True, slots=True)
class Fact:
    """`ref` is what the text leads to; `mono` marks names, types and shapes.

    `note` follows in quiet text, `tip` says more to who asks.
    """

    name: str
    text: str
    ref: Ref | None = None
    mono: bool = False
    note: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Facts under one title; `text` is running text above them, `folded` hides both at first."""

    title: str
    facts: tuple[Fact, ...] = ()
    text: str = ""
    folded: bool = False


def sections(*found: Section | None) -> tuple[Section, ...]:
    """Those that have something to say."""
    return tuple(s for s in found if s is not None and (s.facts or s.text))


def not_set(text: str | int | None) -> str:
    """A value that a model need not have."""
    return "not set" if text is None or text == "" else str(text)


def number(value: int) -> str:
    """With thousands separated."""
    return f"{value:,}"


def exact_size(size_bytes: int) -> str:
    """`13.1 kB (13,108 bytes)`, `336 bytes`."""
    text = size_text(size_bytes)
    return text if size_bytes < 1000 else f"{text} ({number(size_bytes)} bytes)"


def place(offset: int) -> Fact:
    """Where a thing begins in its file."""
    return Fact("Begins at", f"byte {offset:,} (0x{offset:x})", mono=True)
