"""A comparison of two models as the rows that tables show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortstudio.services.agreement import OutputAgreement
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_words import layers_text, verdict_text
from ortstudio.services.layers_found import Layers, LayerValue
from ortstudio.services.profile_words import nodes_text
from ortstudio.services.verify_words import circumstances


@dataclass(frozen=True, slots=True)
class ValueLine:
    """A value of both, its place in the order of computing, and the nodes that make it in words."""

    number: int
    value: LayerValue
    verdict: str
    made_a: str
    made_b: str

    @property
    def own_abs(self) -> float | None:
        """How far B's nodes alone are off, on A's values; None where that was not looked at."""
        return None if self.value.own is None else self.value.own.max_abs

    @property
    def names(self) -> str:
        """Its name in both."""
        a, b = self.value.a, self.value.b
        return a if a == b else f"{a}, in the result {b}"


@dataclass(frozen=True, slots=True)
class CompareView:
    """All that is shown of a comparison by layers."""

    words: tuple[str, ...]
    values: Sequence[ValueLine]
    outputs: Sequence[OutputAgreement]


def compare_view(found: Compared) -> CompareView:
    """What a comparison found; outputs that differ come first."""
    layers = found.layers
    words = [verdict_text(found)]
    if layers is not None:
        words += layers_text(found, layers)
    words += [f"{note}." for note in found.notes]
    words.append(f"Run with {circumstances(found.found)}.")
    outputs = sorted(found.found.outputs, key=lambda output: (output.agrees, output.equal))
    lines = _lines(found, layers) if layers is not None else []
    return CompareView(tuple(words), lines, outputs)


def _lines(found: Compared, layers: Layers) -> list[ValueLine]:
    first = layers.first.value.point if layers.first else None
    return [
        ValueLine(
            number,
            value,
            _verdict(value, begins=value.point == first),
            nodes_text([value.node_a], found.a),
            nodes_text([value.node_b], found.b),
        )
        for number, value in enumerate(layers.values, 1)
    ]


def _verdict(value: LayerValue, *, begins: bool) -> str:
    if value.drawn:
        return "random, not judged"
    if begins:
        return "the difference begins here"
    if value.found.equal:
        return "equal"
    return "differs" if value.differs else "agrees"
