"""What a rule says of a model and a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ortstudio.analysis.nodes import NodeRef

Kind = Literal["no", "not known", "warning", "slower"]
Evidence = Literal["measured", "rule"]
Build = Literal["full", "minimal", "extended-minimal"]
Cause = Literal[
    "",
    "format",
    "identifier",
    "build",
    "damage",
    "ir",
    "opset",
    "operator",
    "custom operator",
    "element type",
    "indices",
    "saved optimization",
]
"""What it is about: what there is to do depends on it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One thing against a model: why it does not load (`no`), or that nobody knows (`not known`).

    `warning` is of models that load and compute wrong, or otherwise than meant; `slower` of those
    that load without their saved optimizations. `words` are those that the release is expected to
    use, `nodes` and `values` (by name) what it is about, `cause` is given for what is a `no`.
    """

    kind: Kind
    text: str
    evidence: Evidence = "rule"
    words: str = ""
    nodes: tuple[NodeRef, ...] = ()
    values: tuple[str, ...] = ()
    cause: Cause = ""
