"""A fact that a model states, on both sides."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.pairing.rows import ModelRow, RowKind

Fact = int | str | None

NO_PLACE = "Lost: the ORT format has no place for it"
"""Why what an ONNX model says is not in an `.ort`."""
SAME = "The same"
"""The reason of what is kept with nothing to add."""
SHOWN_CHARACTERS = 60

FORMAT, GRAPH_NAME = "format", "graph name"


def fact_row(name: str, a: Fact, b: Fact, lost: str = "", new: str = "") -> Iterator[ModelRow]:
    """Its row, or none where neither side states it; `lost` and `new` say why only one does."""
    ours, theirs = _text(a), _text(b)
    kind: RowKind
    if not ours and not theirs:
        return
    if not ours:
        kind, reason = "added", new or "Only the result states it"
    elif not theirs:
        kind, reason = "removed", lost or "The result does not state it"
    elif a == b:
        kind, reason = "kept", SAME
    else:
        kind, reason = "changed", f"{_short(ours)} became {_short(theirs)}"
    yield ModelRow(kind, name, ours, theirs, reason)


def _text(fact: Fact) -> str:
    return "" if fact is None else str(fact)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 3]}..."
