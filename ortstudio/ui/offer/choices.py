"""What can be chosen of a conversion, each with what it does to the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ortstudio.services.sessions import Level, Style, Target

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Choice(Generic[Value]):
    """One of several: what it is called and what comes of it."""

    value: Value
    name: str
    effect: str


LEVELS = (
    Choice(Level.ALL, "All", "Every optimization whose result runs on any processor."),
    Choice(Level.LAYOUT, "Layout", "Extended, and data laid out for the runtime's own kernels."),
    Choice(
        Level.EXTENDED,
        "Extended",
        "Basic, and nodes fused into operators that only ONNX Runtime has.",
    ),
    Choice(
        Level.BASIC,
        "Basic",
        "Constants folded and no-ops removed: still ONNX operators, which other runtimes read.",
    ),
    Choice(Level.DISABLE, "None", "The graph as it is in the source."),
)

STYLES: tuple[Choice[tuple[Style, ...]], ...] = (
    Choice((Style.FIXED,), "Fixed", "All optimizations are applied. For the CPU."),
    Choice(
        (Style.RUNTIME,),
        "Runtime",
        "Basic ones are applied and the rest recorded, so that an accelerator on the device finds"
        " whole operators.",
    ),
    Choice((Style.FIXED, Style.RUNTIME), "Both", "A file of each style."),
)

TARGETS: tuple[Choice[Target | None], ...] = (
    Choice(None, "Any processor", "Signed 8-bit activations become unsigned; loads anywhere."),
    Choice(Target.ARM, "ARM", "Signed 8-bit activations stay signed; loads anywhere."),
    Choice(
        Target.AMD64,
        "x64",
        "Convolutions get the blocked layout of this processor: faster here, and others do not load"
        " the result. Signed 8-bit activations become unsigned.",
    ),
)
