"""Reasons in words for nodes that have a counterpart on one side only, and for changed ones."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.pairing.rows import Change
from ortstudio.analysis.pairing.sides import NONE, Match, Side
from ortstudio.model.graph import AttributeValue, GraphRef
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import data_type_text

Value = AttributeValue | GraphRef | tuple[GraphRef, ...]


def attributes(side: Side, node: int) -> dict[str, Value]:
    """The attributes of a node by name, without subgraphs."""
    nodes = side.graph.nodes
    found: dict[str, Value] = {}
    for row in nodes.attribute_rows.row(node).tolist():
        value = nodes.attributes.value(row)
        if isinstance(value, GraphRef) or (
            isinstance(value, tuple) and value and isinstance(value[0], GraphRef)
        ):
            continue
        found[nodes.attributes.names[row]] = value
    return found


def attribute_text(value: Value) -> str:
    """An attribute's value in short."""
    if value is None:
        return "not set"
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Tensor):
        return f"{data_type_text(value.data_type)}{list(value.dims)}"
    if isinstance(value, SparseTensor):
        return f"sparse {data_type_text(value.values.data_type)}{list(value.dims)}"
    if isinstance(value, tuple):
        texts = [attribute_text(one) for one in value[:8]]
        return f"[{', '.join(texts)}{', …' if len(value) > len(texts) else ''}]"
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value)


def constant_text(side: Side, value: int) -> str:
    """A constant in short: its name, type and shape."""
    declared = side.declared(value)
    if declared is None:
        return f"{side.name(value)} {attribute_text(side.held[value])}"
    data_type, dims = declared
    return f"{side.name(value)} {data_type_text(data_type)}[{','.join(map(str, dims))}]"


def value_text(side: Side, value: int) -> str:
    """What an input reads, in short."""
    if value < 0:
        return "nothing"
    return constant_text(side, value) if value in side.constants else side.name(value)


def operator_changes(match: Match, a: int, b: int) -> Iterator[Change]:
    """What differs in the operator itself: its name, its version."""
    nodes_a, nodes_b = match.a.graph.nodes, match.b.graph.nodes
    if match.a.operators[a] != match.b.operators[b]:
        yield Change("operator", nodes_a.ops[a], nodes_b.ops[b])
        return
    versions = match.a.versions[a], match.b.versions[b]
    if versions[0] != versions[1] and all(versions):
        yield Change("version", str(versions[0]), str(versions[1]))


def is_constant_changed(match: Match, x: int, y: int) -> bool:
    """Whether two constants differ in what they hold."""
    contents = match.a.content(x), match.b.content(y)
    if None not in contents:
        return contents[0] != contents[1]
    a, b = match.a.declared(x), match.b.declared(y)
    return contents[0] != contents[1] or (a is not None and b is not None and a != b)


def is_paired(match: Match, x: int, y: int) -> bool:
    """Whether two values are one."""
    return x >= 0 and y >= 0 and match.a.tokens[x] == match.b.tokens[y] != NONE
