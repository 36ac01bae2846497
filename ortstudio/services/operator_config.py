"""Operator configs as upstream's build scripts read them.

A line is empty, a comment after `#`, an order after `!`, or `domain;version,version;Op,Op`, where
an operator may have its types behind it as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_operators import Name, RequiredOperators, either, name_of
from ortstudio.analysis.required_types import Slots, Types
from ortstudio.errors import RefusedError

ALL_IF_NONE = "!no_ops_specified_means_all_ops_are_required"
ALLOWED = "!globally_allowed_types;"
WORD = re.compile(r"[^\s,;{}#!][^\s,;{}]*")
"""A domain or an operator's name."""

HEADER = (
    "Operators that a build of ONNX Runtime must have. Written by ORT Studio.",
    "A number is the version that introduced an operator's form, not the opset of a model.",
)
_EMPTY = "No operators: a build by this config has none at all and runs no model."


def config_text(required: RequiredOperators, comments: Iterable[str] = ()) -> str:
    """The config; `comments` stand in its head, a line each.

    Raises RefusedError where a name cannot be written, which no sound model has.
    """
    head = [*HEADER, *comments]
    if not required.operators and not required.everything:
        head.append(_EMPTY)
    lines = [f"# {_comment(line)}".rstrip() for line in head]
    if required.allowed is not None:
        lines.append(ALLOWED + ",".join(sorted(required.allowed)))
    if required.everything:
        lines.append(ALL_IF_NONE)
    for (domain, version), operators in groupby(
        required.operators, lambda operator: (operator.domain, operator.since_version)
    ):
        texts = [_operator_text(operator, required.types) for operator in operators]
        lines.append(f"{_word(domain or 'ai.onnx')};{version};{','.join(texts)}")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    """One line of ASCII: upstream reads the file in the encoding of the system."""
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in text)


def _word(text: str) -> str:
    if not WORD.fullmatch(text):
        raise RefusedError(
            f"The name {text!r} cannot be written into an operator config",
            hint="Blanks and the characters , ; { } separate names there.",
        )
    return text


def _operator_text(operator: Operator, types: Mapping[Name, Types]) -> str:
    found = types.get(name_of(operator))
    content = types_json(found) if found else {}
    return _word(operator.op_type) + (json.dumps(content) if content else "")


def types_json(types: Types) -> dict[str, object]:
    """The types as a config holds them; positions without any are left out."""
    found: dict[str, object] = {}
    for side, slots in (("inputs", types.inputs), ("outputs", types.outputs)):
        named = {str(place): sorted(kinds) for place, kinds in sorted(slots.items()) if kinds}
        if named:
            found[side] = named
    if types.together:
        found["custom"] = [list(kinds) for kinds in sorted(types.together)]
    return found


def types_words(types: Types) -> str:
    """`input 0 float or int64_t, output 0 float`; empty where there are none."""
    sides = (("input", types.inputs), ("output", types.outputs))
    words = [
        f"{side} {place} {' or '.join(sorted(kinds))}"
        for side, slots in sides
        for place, kinds in sorted(slots.items())
        if kinds
    ]
    words += [" with ".join(kinds) for kinds in sorted(types.together or ())]
    return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Entry:
    """An operator as a config lists it, and where; `types` is None where it has none behind it."""

    operator: Operator
    types: Types | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class OperatorConfig:
    """A config that was read. `all_if_none` orders to take all operators where none is listed."""

    entries: tuple[Entry, ...]
    allowed: frozenset[str] | None = None
    all_if_none: bool = False

    def built(self) -> RequiredOperators:
        """What upstream's build makes of it: the last types of an operator are its only ones."""
        return self._required(self._last())

    def listed(self) -> RequiredOperators:
        """All that it lists: an operator takes the types of each of its entries."""
        types: dict[Name, Types | None] = {}
        for entry in self.entries:
            name = name_of(entry.operator)
            types[name] = either(types[name], entry.types) if name in types else entry.types
        return self._required(types)

    def overridden(self) -> tuple[Entry, ...]:
        """Entries that a later one takes types from in a build."""
        last = self._last()
        return tuple(
            entry
            for entry in self.entries
            if entry.types is not None and _loses(entry.types, last[name_of(entry.operator)])
        )

    def _last(self) -> dict[Name, Types]:
        return {name_of(entry.operator): entry.types for entry in self.entries if entry.types}

    def _required(self, types: Mapping[Name, Types | None]) -> RequiredOperators:
        operators = [entry.operator for entry in self.entries]
        everything = self.all_if_none and not self.entries
        return RequiredOperators.of(operators, types, self.allowed, everything)


def _loses(one: Types, last: Types) -> bool:
    """Whether the last types are narrower than those before."""
    sides: tuple[tuple[Slots, Slots], ...]
    sides = ((one.inputs, last.inputs), (one.outputs, last.outputs))
    return any(
        not one_side.get(place, frozenset()) <= kinds or place not in one_side
        for one_side, last_side in sides
        for place, kinds in last_side.items()
    ) or (last.together is not None and not (one.together or frozenset()) <= last.together)
