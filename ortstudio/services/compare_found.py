"""What a comparison of two models found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ortstudio.errors import DONE_NO, DONE_YES
from ortstudio.services.document import Document
from ortstudio.services.exchange import Value
from ortstudio.services.layers_found import Layers
from ortstudio.services.verify import Verified

SCHEMA = "ortstudio/compare@1"

Which = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Fed:
    """The inputs for both models, the same numbers, and the sizes that symbols have in them."""

    a: Mapping[str, Value]
    b: Mapping[str, Value]
    sizes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models and what the comparison of their outputs found, and of their layers if asked.

    `notes` say what is out of the ordinary in how they were compared. `executed` counts the
    operators that ran on either side, where saved optimizations were applied on one.
    """

    a: Document
    b: Document
    found: Verified
    fed: Fed = field(repr=False)
    notes: tuple[str, ...] = ()
    layers: Layers | None = None
    executed: Mapping[Which, Mapping[str, int]] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """That of the command line's contract."""
        return DONE_YES if self.found.agrees else DONE_NO

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        files = {"a": _file(self.a), "b": _file(self.b)}
        found = {"schema": SCHEMA} | files | self.found.to_json() | {"notes": list(self.notes)}
        if self.layers is not None:
            found |= self.layers.to_json(self.a.model.main, self.b.model.main)
        if self.executed:
            found["executed"] = {which: dict(ops) for which, ops in self.executed.items()}
        return found


def _file(document: Document) -> dict[str, object]:
    return {
        "path": str(document.path),
        "size_bytes": document.size_bytes,
        "kind": document.model.kind.value,
    }
