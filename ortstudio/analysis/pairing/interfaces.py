"""What the main graph is given and what it gives: names, types, and which inputs have a default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.pairing.facts import SAME
from ortstudio.analysis.pairing.rows import ModelRow
from ortstudio.model.model import Model
from ortstudio.model.types import TensorType, ValueType

FIRST_OVERRIDABLE = 4
"""The IR version from which an input that has an initializer is a default that callers override.

Before it, all initializers had to stand among the inputs and were constants nevertheless.
"""
_DEFAULT = "a default that can be overridden"
CONSTANT = "a constant, listed as IR 3 and older demand"


@dataclass(frozen=True, slots=True)
class _End:
    """An input or output; `role` says what an initializer of the same name makes of it."""

    name: str
    type: ValueType | None
    role: str = ""

    @property
    def text(self) -> str:
        text = "?" if self.type is None else str(self.type)
        return f"{text}, {self.role}" if self.role else text


def interface_rows(a: Model, b: Model) -> Iterator[ModelRow]:
    """A row for each input and output: by name, the rest by place where the types allow it."""
    if not a.graphs or not b.graphs:
        return
    for what, ends in (("input", _inputs), ("output", _outputs)):
        for ours, theirs in _paired(ends(a), ends(b)):
            yield _row(what, ours, theirs)


def _inputs(model: Model) -> list[_End]:
    main = model.main
    defaults = {*main.initializers.names, *(s.values.name for s in main.sparse_initializers)}
    role = _DEFAULT if (model.ir_version or 0) >= FIRST_OVERRIDABLE else CONSTANT
    values = main.values
    return [
        _End(values.names[i], values.types[i], role if values.names[i] in defaults else "")
        for i in main.inputs.tolist()
        if i >= 0
    ]


def _outputs(model: Model) -> list[_End]:
    values = model.main.values
    return [_End(values.names[i], values.types[i]) for i in model.main.outputs.tolist() if i >= 0]


def _paired(a: Sequence[_End], b: Sequence[_End]) -> list[tuple[_End | None, _End | None]]:
    named = {end.name: end for end in b}
    names = {end.name for end in a}
    rest_a = [end for end in a if end.name not in named]
    rest_b = [end for end in b if end.name not in names]
    renamed = {}
    if len(rest_a) == len(rest_b):
        both = zip(rest_a, rest_b, strict=True)
        renamed = {x.name: y for x, y in both if fits(x.type, y.type)}
    taken = {end.name for end in renamed.values()}
    pairs: list[tuple[_End | None, _End | None]] = [
        (end, named.get(end.name) or renamed.get(end.name)) for end in a
    ]
    return pairs + [(None, end) for end in rest_b if end.name not in taken]


def fits(a: ValueType | None, b: ValueType | None) -> bool:
    """Whether both may be the type of one value: what only one side says contradicts nothing."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return a is None or b is None or a == b
    if a.elem_type != b.elem_type or a.dims is None or b.dims is None:
        return a.elem_type == b.elem_type
    return len(a.dims) == len(b.dims) and all(
        x == y or not isinstance(x, int) or not isinstance(y, int)
        for x, y in zip(a.dims, b.dims, strict=True)
    )


def _row(what: str, ours: _End | None, theirs: _End | None) -> ModelRow:
    if theirs is None:
        assert ours is not None
        reason = "The result does not have it"
        if ours.role == CONSTANT:
            reason = "It was no real input but a constant, and that was dropped"
        return ModelRow("removed", f"{what} {ours.name}", ours.text, "", reason)
    if ours is None:
        return ModelRow("added", f"{what} {theirs.name}", "", theirs.text, "The source has none")
    name, before, after = f"{what} {ours.name}", ours.text, theirs.text
    if ours.role != theirs.role or not _tells_more(ours.type, theirs.type):
        return ModelRow("changed", name, before, after, f"{before} became {after}")
    reason = SAME if before == after else f"{SAME} but for what it says of sizes"
    if ours.role == _DEFAULT:
        reason += "; callers can still override it"
    if ours.name != theirs.name:
        reason = f"Renamed to {theirs.name}"
    return ModelRow("kept", name, before, after, reason)


def _tells_more(a: ValueType | None, b: ValueType | None) -> bool:
    """Whether B is the same type, with more of the shape known or other names for sizes."""
    if a is None or a == b:
        return True
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return False
    if a.elem_type != b.elem_type or a.dims is None or b.dims is None:
        return a.elem_type == b.elem_type and a.dims is None
    return len(a.dims) == len(b.dims) and all(
        x == y or x is None or (isinstance(x, str) and isinstance(y, str))
        for x, y in zip(a.dims, b.dims, strict=True)
    )
