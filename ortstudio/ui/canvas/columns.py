"""What the canvas says about each node, one entry a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortstudio.ui.theme import FAMILY_MARKS

FAMILIES = tuple(FAMILY_MARKS)
"""Operator families in the order of their codes; a graph's inputs and outputs are ports."""

OTHER = FAMILIES.index("other")
PORT = FAMILIES.index("port")


@dataclass(frozen=True)
class Columns:
    """Texts of all nodes. A column is as long as the graph, or empty where it says nothing.

    `labels` is the operator or the name of an input or output, `details` the quieter second line,
    `tags` a domain other than ONNX's own, `badges` what can be opened ("2 graphs"), `hints` what
    the tool tip adds (the node's full name). `families` are those of `FAMILIES`.
    """

    labels: Sequence[str]
    families: Sequence[str]
    details: Sequence[str] = ()
    tags: Sequence[str] = ()
    badges: Sequence[str] = ()
    hints: Sequence[str] = ()

    def __post_init__(self) -> None:
        for column in (self.families, self.details, self.tags, self.badges, self.hints):
            if column and len(column) != len(self.labels):
                raise ValueError(f"a column of {len(column)} for {len(self.labels)} nodes")

    def __len__(self) -> int:
        return len(self.labels)

    def detail(self, row: int) -> str:
        """The second line, empty for none."""
        return self.details[row] if self.details else ""

    def tag(self, row: int) -> str:
        """The domain, empty for ONNX's own."""
        return self.tags[row] if self.tags else ""

    def badge(self, row: int) -> str:
        """What can be opened, empty for nothing."""
        return self.badges[row] if self.badges else ""

    def tool_tip(self, row: int) -> str:
        """All that is known of a node, uncut, a line each."""
        label, tag = self.labels[row], self.tag(row)
        hint = self.hints[row] if self.hints else ""
        lines = [f"{label} · {tag}" if tag else label, self.detail(row), hint, self.badge(row)]
        return "\n".join(dict.fromkeys(line for line in lines if line))


def family_code(family: str) -> int:
    """The place of a family in `FAMILIES`; an unknown one counts as `other`."""
    return _CODES.get(family, OTHER)


_CODES = {family: code for code, family in enumerate(FAMILIES)}
