"""Saved runtime optimizations in words, and whether a runtime can replay them.

A record names nodes of its graph that an action may rewrite when the model is loaded. The newest
release known, 1.32, replays none unless told to; some records it cannot replay at all, which the
file shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.replay import GraphReplay, Problem
from ortstudio.analysis.replay_actions import Action, action_of
from ortstudio.analysis.resolver import parse_op_id
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import NO_NODE, Model, OptimizationRecord

Replays = Literal["yes", "no", "when enabled"]
Side = Literal["input", "target", "output"]

WHEN_ENABLED = (
    "Releases up to 1.29 replay it on loading; since 1.30 only with"
    " session.enable_saved_runtime_optimizations set to 1, at level extended or higher,"
    " and only for models that are trusted"
)


@dataclass(frozen=True, slots=True)
class Role:
    """One node that a record names. `node` and `op` are None and empty where there is none."""

    side: Side
    node: NodeRef | None
    op: str


@dataclass(frozen=True, slots=True)
class SavedOptimization:
    """One record: which nodes become what in `text`, and whether that can happen."""

    graph: str
    record: OptimizationRecord
    roles: tuple[Role, ...]
    text: str
    problems: tuple[Problem, ...]
    replays: Replays
    why: str


def explain(model: Model) -> tuple[SavedOptimization, ...]:
    """Every record of every graph, in the order of the file."""
    if model.ort is None:
        return ()
    found = [
        saved
        for graph, ort_graph in zip(model.graphs, model.ort.graphs, strict=True)
        for saved in _of_graph(model, graph, ort_graph.runtime_optimizations)
    ]
    stopping = [s.record.action for s in found if any(p.stops_load for p in s.problems)]
    if not stopping:
        return tuple(found)
    more = f". The model's {listed(stopping)} record stops the load once replay is enabled"
    return tuple(s if s.problems else replace(s, why=s.why + more) for s in found)


def _of_graph(
    model: Model, graph: Graph, records: tuple[OptimizationRecord, ...]
) -> Iterator[SavedOptimization]:
    """The records of one graph, as if they were all that the model has."""
    replay = GraphReplay(model, graph, records)
    for place, record in enumerate(records):
        roles = tuple(_roles(graph, record))
        problems = replay.problems(place)
        yield SavedOptimization(
            graph=graph.path,
            record=record,
            roles=roles,
            text=_text(record, roles, action_of(record.optimizer, record.action)),
            problems=problems,
            replays="no" if problems else "when enabled",
            why="; ".join(problem.text for problem in problems) or WHEN_ENABLED,
        )


def _roles(graph: Graph, record: OptimizationRecord) -> Iterator[Role]:
    rows = graph.nodes.rows_by_index
    for place, index in enumerate(record.nodes):
        target = record.target_position
        side: Side = "input" if place < target else "target" if place == target else "output"
        row = rows.get(index)
        node = None if index == NO_NODE else NodeRef(graph.path, index)
        yield Role(side, node, "" if row is None else graph.nodes.ops[row])


def _text(record: OptimizationRecord, roles: tuple[Role, ...], action: Action | None) -> str:
    """`2 DequantizeLinear, Conv and QuantizeLinear become QLinearConv`."""
    target = next((role.op for role in roles if role.side == "target"), "") or "the target"
    if action is not None and not action.produces:
        around = [role.op for role in roles if role.side != "target" and role.node is not None]
        return f"{target} {action.result}; {_ops(around)} {_plural(around, 'goes', 'go')}"
    named = [role.op or "?" for role in roles if role.node is not None]
    operators = [parse_op_id(op) for op in record.produced_op_ids]
    produced = [operator.text for operator in operators if operator is not None]
    if not produced and action is not None:
        produced = [action.result.format(op=target)]
    became = listed(produced) or "other nodes"
    return f"{_ops(named)} {_plural(named, 'becomes', 'become')} {became}"


def _plural(ops: list[str], one: str, many: str) -> str:
    return one if len(ops) == 1 else many


def _ops(ops: list[str]) -> str:
    """`2 DequantizeLinear and Conv`, in the order of first appearance."""
    uses = Counter(ops)
    return listed([op if uses[op] == 1 else f"{uses[op]} {op}" for op in uses]) or "nothing"


def summary(saved: tuple[SavedOptimization, ...]) -> str:
    """`7 saved optimizations, not applied unless replay is enabled; 1 cannot be replayed`."""
    refused = sum(one.replays == "no" for one in saved)
    text = f"{count(len(saved), 'saved optimization')}, not applied unless replay is enabled"
    if refused == len(saved):
        return f"{count(len(saved), 'saved optimization')}, which cannot be replayed"
    return f"{text}; {refused} cannot be replayed" if refused else text
