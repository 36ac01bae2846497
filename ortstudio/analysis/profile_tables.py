"""The times of nodes summed up: by operator, and by the scopes that names are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ortstudio.analysis.profile_nodes import Times

_SEPARATOR = re.compile(r"[/.]")


@dataclass(frozen=True, slots=True)
class Part:
    """Some nodes, what they took together, and which part of a run that is."""

    name: str
    ns: int
    share: float
    nodes: int


def by_operator(times: Times) -> list[Part]:
    """By `Conv` or `com.microsoft.FusedConv`, the longest first."""
    return _parts(((node.op, node.ns) for node in times.nodes), times.run_ns)


def by_scope(times: Times) -> list[Part]:
    """By the parts of names before a `/` or `.`: each scope holds the ones within it too.

    The longest first. Nodes whose names have no parts are in none.
    """
    named = ((scope, node.ns) for node in times.nodes for scope in scopes(node.name))
    return _parts(named, times.run_ns)


def scopes(name: str) -> list[str]:
    """`/encoder/layer.0/MatMul` → `encoder`, `encoder/layer`, `encoder/layer.0`."""
    name = name.strip("/")
    return [name[: found.start()] for found in _SEPARATOR.finditer(name)]


def _parts(times: Iterable[tuple[str, int]], run_ns: int) -> list[Part]:
    sums: dict[str, list[int]] = {}
    for name, ns in times:
        sums.setdefault(name, []).append(ns)
    parts = [
        Part(name, sum(each), sum(each) / run_ns if run_ns else 0.0, len(each))
        for name, each in sums.items()
    ]
    return sorted(parts, key=lambda part: (-part.ns, part.name))
