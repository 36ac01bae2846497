"""Pairs found from pairs: nodes that do the same to paired values, and what makes paired values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from ortstudio.analysis.pairing.sides import NONE, Match, Side, fits


class Closure:
    """Grows the pairs of a match as far as equal operators carry.

    An exact one wants attributes and constants to be equal too.
    """

    def __init__(self, match: Match, exact: bool) -> None:
        self._match = match
        self._exact = exact
        self._what_a = match.a.whole if exact else match.a.operators
        self._what_b = match.b.whole if exact else match.b.operators
        self._forward_done = 0
        self._backward_done = 0
        self._begun = False

    def grow(self) -> None:
        """Go forward and backward until nothing more is found."""
        match = self._match
        while True:
            self._forward()
            if self._backward_done == len(match.pairs):
                return
            self._backward()

    def _forward(self) -> None:
        """Rounds: nodes of which all inputs are known by now, in groups that do the same."""
        match = self._match
        while True:
            if not self._begun:
                self._begun = True
                a: Iterable[int] = range(len(match.a.mates))
                b: Iterable[int] = range(len(match.b.mates))
            else:
                fresh = match.pairs[self._forward_done :]
                a = {node for value, _ in fresh for node in match.a.consumers[value]}
                b = {node for _, value in fresh for node in match.b.consumers[value]}
            self._forward_done = len(match.pairs)
            groups: dict[Hashable, tuple[list[int], list[int]]] = {}
            self._collect(match.a, self._what_a, a, groups, 0)
            self._collect(match.b, self._what_b, b, groups, 1)
            for mine, others in groups.values():
                if mine and others:
                    self._pair_group(sorted(mine), sorted(others))
            if self._forward_done == len(match.pairs):
                return

    def _pair_group(self, a: Sequence[int], b: Sequence[int]) -> None:
        """Nodes that do the same to the same: by the names of outputs and nodes, else in order."""
        match = self._match
        if len(a) == len(b) == 1:
            self._take(a[0], b[0])
            return
        keys: list[Callable[[Side, int], Hashable]] = [_output_name, _node_name, _inside]
        if not self._exact:
            keys.append(_constants)
        for key in keys:
            names = {key(match.b, node): node for node in reversed(b) if match.b.mates[node] < 0}
            for mine in a:
                name = key(match.a, mine)
                other = names.get(name)
                if name not in ("", None) and other is not None and self._are_left(mine, other):
                    self._take(mine, other)
        rest_a = [node for node in a if match.a.mates[node] < 0]
        rest_b = [node for node in b if match.b.mates[node] < 0]
        if self._exact or len(rest_a) == len(rest_b):
            for mine, other in zip(rest_a, rest_b, strict=False):
                self._take(mine, other, rest_a[0])

    def _are_left(self, a: int, b: int) -> bool:
        return self._match.a.mates[a] < 0 and self._match.b.mates[b] < 0

    def _take(self, a: int, b: int, equal: int = NONE) -> None:
        """Make two nodes mates, unless their outputs are paired otherwise.

        `equal` is a node of A that makes the same values, so that readers need not tell them apart.
        """
        match = self._match
        outputs = list(zip(match.a.outputs[a], match.b.outputs[b], strict=False))
        if not all(match.may_pair(x, y) and self._bare(x, y) for x, y in outputs):
            return
        if not self._exact and not all(
            fits(match.a.type(x), match.b.type(y)) for x, y in outputs if x >= 0
        ):
            return
        match.mate(a, b)
        like = match.a.outputs[equal] if self._exact and equal >= 0 else match.a.outputs[a]
        for i, (x, y) in enumerate(outputs):
            if match.free(x, y):
                match.pair(x, y, match.a.tokens[like[i]] if i < len(like) else NONE)

    def _backward(self) -> None:
        """What makes the same value by the same operator is the same node."""
        match = self._match
        while self._backward_done < len(match.pairs):
            value_a, value_b = match.pairs[self._backward_done]
            self._backward_done += 1
            a, b = match.a.producers[value_a], match.b.producers[value_b]
            if a < 0 or b < 0 or match.a.mates[a] >= 0 or match.b.mates[b] >= 0:
                continue
            if self._what_a[a] == self._what_b[b] and self._same_place(a, value_a, b, value_b):
                self._take_backward(a, b)

    def _same_place(self, a: int, value_a: int, b: int, value_b: int) -> bool:
        outputs_a, outputs_b = self._match.a.outputs[a], self._match.b.outputs[b]
        return outputs_a.index(value_a) == outputs_b.index(value_b)

    def _take_backward(self, a: int, b: int) -> None:
        match = self._match
        inputs_a, inputs_b = match.a.inputs[a], match.b.inputs[b]
        if self._exact and not self._constants_agree(inputs_a, inputs_b):
            return
        self._take(a, b)
        if match.a.mates[a] != b:
            return
        for x, y in zip(inputs_a, self._in_order(inputs_a, inputs_b), strict=False):
            if match.free(x, y) and fits(match.a.type(x), match.b.type(y)) and self._bare(x, y):
                match.pair(x, y)

    def _in_order(self, a: Sequence[int], b: Sequence[int]) -> Sequence[int]:
        """The inputs of `b` as those of `a` stand: two may be swapped if names say so."""
        if len(a) == len(b) == 2 and min(*a, *b) >= 0:
            names = [self._match.a.name(value) for value in a]
            others = [self._match.b.name(value) for value in b]
            if names[0] != others[0] and (names[0] == others[1] or names[1] == others[0]):
                return b[::-1]
        return b

    def _bare(self, a: int, b: int) -> bool:
        """Whether neither value is found by name on the other side, or names say nothing."""
        match = self._match
        if not match.names_hold or a < 0 or b < 0 or match.a.tokens[a] != NONE:
            return True
        name_a, name_b = match.a.name(a), match.b.name(b)
        if name_a == name_b:
            return True
        return not (
            is_free(match.b, match.b.graph.values.ids.get(name_a))
            or is_free(match.a, match.a.graph.values.ids.get(name_b))
        )

    def _constants_agree(self, a: Sequence[int], b: Sequence[int]) -> bool:
        match = self._match
        if len(a) != len(b):
            return False
        for x, y in zip(a, b, strict=True):
            if (x < 0) != (y < 0):
                return False
            if x in match.a.constants and y in match.b.constants and not match.may_pair(x, y):
                return False
        return True

    def _collect(
        self,
        side: Side,
        what: list[int],
        nodes: Iterable[int],
        groups: dict[Hashable, tuple[list[int], list[int]]],
        at: int,
    ) -> None:
        """Group the nodes whose inputs are all known by what they do to which values."""
        tokens, mates, inputs, exact = side.tokens, side.mates, side.inputs, self._exact
        for node in nodes:
            if mates[node] >= 0:
                continue
            key = [what[node]]
            for value in inputs[node]:
                if not exact and (value < 0 or value in side.constants):
                    continue
                token = tokens[value] if value >= 0 else 0
                if token == NONE:
                    break
                key.append(token)
            else:
                if exact or len(key) > 1:
                    groups.setdefault(tuple(key), ([], []))[at].append(node)


def is_free(side: Side, value: int | None) -> bool:
    """Whether a node makes the value and it has no partner yet."""
    return value is not None and side.tokens[value] == NONE and side.producers[value] >= 0


def _output_name(side: Side, node: int) -> str:
    outputs = side.outputs[node]
    return side.name(outputs[0]) if outputs else ""


def _constants(side: Side, node: int) -> Hashable:
    constants = (side.tokens[v] for v in side.inputs[node] if v in side.constants)
    return (side.whole[node], *constants)


def _inside(side: Side, node: int) -> Hashable:
    return side.inner(node)


def _node_name(side: Side, node: int) -> str:
    return side.graph.nodes.names[node]
