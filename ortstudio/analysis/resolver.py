"""The kernel type resolver in words, and what is missing from it or left over in it.

A minimal build has no operator schemas: the resolver says which inputs and outputs of each operator
a kernel's type strings cover. Since format 5 every operator in use must have its entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef, Operator, by_operator
from ortstudio.analysis.operators import Formal, Operators
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import op_id
from ortstudio.model.model import KernelTypeStr, Model, ResolverEntry

FIRST_VERSION = 5
"""The format version that brought the resolver."""

NHWC_DOMAIN = "com.ms.internal.nhwc"


@dataclass(frozen=True, slots=True)
class ResolverUse:
    """One entry: each type string in `words`, the nodes that use it, a `note` where none does."""

    entry: ResolverEntry
    words: tuple[str, ...]
    nodes: tuple[NodeRef, ...]
    note: str


def parse_op_id(text: str) -> Operator | None:
    """The operator that `domain:op_type:since_version` names; None where that is malformed."""
    fields = text.split(":")
    if len(fields) != 3 or not fields[1] or not fields[2].isascii() or not fields[2].isdigit():
        return None
    return Operator(fields[0], fields[1], int(fields[2]))


def explain(model: Model, known: Operators) -> tuple[ResolverUse, ...]:
    """Every entry of the model's resolver; empty where it has none."""
    if model.ort is None or model.ort.resolver is None:
        return ()
    users = _users(model)
    produced = produced_op_ids(model)
    return tuple(
        ResolverUse(
            entry,
            tuple(_in_words(row, entry, known) for row in entry.kernel_type_strs),
            users.get(entry.op_id, ()),
            "" if entry.op_id in users else _unused_note(entry.op_id, produced),
        )
        for entry in model.ort.resolver
    )


def unused(model: Model, used: Iterable[Operator]) -> list[str]:
    """The op ids that neither a node uses nor a saved optimization would."""
    if model.ort is None:
        return []
    wanted = {op for operator in used for op in looked_up(operator)} | produced_op_ids(model)
    return [entry.op_id for entry in model.ort.resolver or () if entry.op_id not in wanted]


def _unused_note(op: str, produced: frozenset[str]) -> str:
    if op in produced:
        return "No node yet: a saved optimization makes one"
    return "No node uses this entry: a sign of saved optimizations that the file no longer holds"


def produced_op_ids(model: Model) -> frozenset[str]:
    """The operators that the saved runtime optimizations would make."""
    graphs = model.ort.graphs if model.ort else ()
    return frozenset(
        op
        for graph in graphs
        for record in graph.runtime_optimizations
        for op in record.produced_op_ids
    )


def missing(model: Model, used: Iterable[Operator]) -> list[Operator]:
    """Those of the operators in use that have no entry; none are missed before format 5.

    A channels-last operator is looked up as the ONNX one, then as ONNX Runtime's own.
    """
    ort = model.ort
    if ort is None or ort.format_version is None or ort.format_version < FIRST_VERSION:
        return []
    entries = {entry.op_id for entry in ort.resolver or ()}
    return [operator for operator in used if entries.isdisjoint(looked_up(operator))]


def looked_up(operator: Operator) -> tuple[str, ...]:
    """The op ids under which the runtime looks for an operator's entry."""
    if operator.domain != NHWC_DOMAIN:
        return (operator.op_id,)
    rest = operator.op_type, operator.since_version
    return operator.op_id, op_id("", *rest), op_id("com.microsoft", *rest)


def _users(model: Model) -> dict[str, tuple[NodeRef, ...]]:
    """The nodes that use each op id."""
    found: dict[str, tuple[NodeRef, ...]] = {}
    assert model.ort is not None
    entries = {entry.op_id for entry in model.ort.resolver or ()}
    for operator, users in by_operator(model.graphs).items():
        for op in looked_up(operator):
            if op in entries:
                found[op] = found.get(op, ()) + tuple(users.refs())
                break
    return found


def _in_words(row: KernelTypeStr, entry: ResolverEntry, known: Operators) -> str:
    """`T covers inputs 0 and 2 (X, B) and output 0 (Y)`."""
    operator = parse_op_id(entry.op_id)
    signature = known.signature(*operator) if operator else None
    inputs, outputs = (signature.inputs, signature.outputs) if signature else ((), ())
    sides = [
        _side("input", _places(row.args, "I"), inputs),
        _side("output", _places(row.args, "O"), outputs),
    ]
    return f"{row.name} covers {' and '.join(filter(None, sides)) or 'nothing'}"


def _places(args: tuple[str, ...], side: str) -> list[int]:
    return [int(arg[1:]) for arg in args if arg.startswith(side)]


def _side(noun: str, places: list[int], formals: tuple[Formal, ...]) -> str:
    """`inputs 0 and 2 (X, B)`; a variadic parameter's name gets dots."""
    if not places:
        return ""
    names = [_formal_text(formals[place]) for place in places if place < len(formals)]
    plural = noun if len(places) == 1 else f"{noun}s"
    text = f"{plural} {listed([str(place) for place in places], at_most=len(places))}"
    return f"{text} ({', '.join(names)})" if len(names) == len(places) else text


def _formal_text(formal: Formal) -> str:
    return f"{formal.name}…" if formal.variadic else formal.name


def summary(uses: tuple[ResolverUse, ...]) -> str:
    """`12 operators, 2 of them without a node`."""
    unused = sum(not use.nodes for use in uses)
    text = count(len(uses), "operator")
    return f"{text}, {unused} of them without a node" if unused else text
