"""Whether a build by an operator config runs a model, by operators, types and nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ortstudio.analysis.kernel_types import Tracked, tracked
from ortstudio.analysis.nodes import NodeRef, Operator, Users
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.replay_products import products
from ortstudio.analysis.required_operators import (
    RequiredOperators,
    name_of,
    operators_run,
    stated,
)
from ortstudio.analysis.required_types import Slots, Types, types_of
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model


@dataclass(frozen=True, slots=True)
class Missing:
    """An operator, or with `types` those of its types, that a build lacks for some nodes.

    `types` is None where the build has no kernel of the operator at all. With `on_replay` the nodes
    are of another operator, which a saved optimization replaces by this one.
    """

    operator: Operator
    types: Types | None
    nodes: tuple[NodeRef, ...]
    on_replay: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a build lacks for a model, and which operators of the config the model has no use for.

    `unknown` are nodes whose types the file does not say, so that a build may lack them.
    """

    missing: tuple[Missing, ...]
    unknown: tuple[NodeRef, ...]
    unused: tuple[Operator, ...]

    @property
    def covered(self) -> bool | None:
        """Whether the build has all; None where the file does not say enough."""
        if self.missing:
            return False
        return None if self.unknown else True


def coverage(model: Model, build: RequiredOperators, known: Operators) -> Coverage:
    """Hold a model against what a config's build has."""
    check = _Check(build, known)
    for operator, users, graphs in operators_run(model):
        check.nodes(operator, users, graphs)
    for made in products(model):
        check.needed(stated(made.operator, {}), made.types, made.target, on_replay=True)
    return check.found()


class _Check:
    def __init__(self, build: RequiredOperators, known: Operators) -> None:
        self._build = build
        self._known = known
        self._listed: dict[tuple[str, str], list[Operator]] = {}
        for operator in build.operators:
            self._listed.setdefault(name_of(operator), []).append(operator)
        self._used: set[Operator] = set()
        self._missing: dict[Operator, Missing] = {}
        self._unknown: list[NodeRef] = []

    def found(self) -> Coverage:
        """The answer about all that was looked at."""
        unused = tuple(one for one in self._build.operators if one not in self._used)
        return Coverage(tuple(self._missing.values()), tuple(self._unknown), unused)

    def nodes(self, operator: Operator, users: Users, graphs: Sequence[Graph]) -> None:
        """Look at all nodes of one operator, at each alone only where its types are limited."""
        if not self._has(operator):
            self._miss(operator, None, tuple(users.refs()))
        elif self._limit(operator) is not None:
            self._nodes_limited(operator, users, graphs)

    def _nodes_limited(self, operator: Operator, users: Users, graphs: Sequence[Graph]) -> None:
        for graph, rows in users.rows:
            types = types_of(operator, rows.tolist(), graph, graphs)
            if types is None or self._lacking(operator, types) is not None:
                for row in rows.tolist():
                    types = types_of(operator, [row], graph, graphs)
                    self.needed(operator, types, NodeRef(graph.path, int(graph.nodes.indices[row])))

    def needed(
        self, operator: Operator, types: Types | None, node: NodeRef, *, on_replay: bool = False
    ) -> None:
        """Look at what one node needs, or what a saved optimization makes of it."""
        if not self._has(operator):
            self._miss(operator, None, (node,), on_replay)
        elif types is None:
            if self._limit(operator) is not None:
                self._unknown.append(node)
        else:
            lacking = self._lacking(operator, types)
            if lacking is not None:
                self._miss(operator, lacking, (node,), on_replay)

    def _has(self, operator: Operator) -> bool:
        """Whether the build has kernels of this version.

        A config may name any version of the operator set that means this form of the operator.
        """
        domain, op_type, since = operator
        found = False
        for listed in self._listed.get(name_of(operator), ()):
            version = listed.since_version
            if since in (version, self._known.since(domain, op_type, version)):
                self._used.add(listed)
                found = True
        return found or self._build.everything

    def _limit(self, operator: Operator) -> Types | None:
        """The types that the build keeps of an operator; None for all."""
        rule = tracked(*name_of(operator))
        if rule is None:
            return None
        limit = self._build.types.get(name_of(operator))
        if limit is None and self._build.allowed is not None:
            limit = _everywhere(rule, self._build.allowed)
        if limit is None or not rule.always or 0 not in limit.inputs:
            return limit
        return replace(limit, inputs={**limit.inputs, 0: limit.inputs[0] | rule.always})

    def _lacking(self, operator: Operator, types: Types) -> Types | None:
        limit = self._limit(operator)
        if limit is None:
            return None
        inputs, outputs = _beyond(types.inputs, limit.inputs), _beyond(types.outputs, limit.outputs)
        together = None
        if types.together is not None and limit.together is not None:
            together = types.together - limit.together or None
        if not inputs and not outputs and together is None:
            return None
        return Types(inputs, outputs, together)

    def _miss(
        self,
        operator: Operator,
        types: Types | None,
        nodes: tuple[NodeRef, ...],
        on_replay: bool = False,
    ) -> None:
        before = self._missing.get(operator)
        if before is not None:
            nodes = tuple(dict.fromkeys((*before.nodes, *nodes)))
            types = _joined(before.types, types)
            on_replay = on_replay and before.on_replay
        self._missing[operator] = Missing(operator, types, nodes, on_replay)


def _everywhere(rule: Tracked, kinds: frozenset[str]) -> Types:
    """The same types at every position that counts."""
    together = frozenset(product(kinds, repeat=len(rule.together))) if rule.together else None
    return Types(dict.fromkeys(rule.inputs, kinds), dict.fromkeys(rule.outputs, kinds), together)


def _beyond(asked: Slots, kept: Slots) -> Mapping[int, frozenset[str]]:
    """What is asked at each place and not kept there; a place that is not named keeps all."""
    lacking = {place: kinds - kept[place] for place, kinds in asked.items() if place in kept}
    return {place: kinds for place, kinds in lacking.items() if kinds}


def _joined(one: Types | None, other: Types | None) -> Types | None:
    """What either lacks."""
    if one is None or other is None:
        return None
    inputs, outputs = (
        {place: a.get(place, frozenset()) | b.get(place, frozenset()) for place in {**a, **b}}
        for a, b in ((one.inputs, other.inputs), (one.outputs, other.outputs))
    )
    together = (one.together or frozenset()) | (other.together or frozenset())
    return Types(inputs, outputs, together or None)
