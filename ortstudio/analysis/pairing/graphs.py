"""Pairs graph after graph: the main ones, then the subgraphs of nodes that are paired."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.align import Alignment, Group, merged
from ortstudio.analysis.pairing.blocks import cut
from ortstudio.analysis.pairing.classify import Classifier
from ortstudio.analysis.pairing.contents import Contents
from ortstudio.analysis.pairing.defaults import Defaults
from ortstudio.analysis.pairing.folding import Folding
from ortstudio.analysis.pairing.inlining import Inlining
from ortstudio.analysis.pairing.inner import inner_keys
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.rows import Named, NamedRow, NodeRow
from ortstudio.analysis.pairing.sides import NONE, Match, Side
from ortstudio.analysis.pairing.signatures import Signatures
from ortstudio.analysis.pairing.values import pair_values
from ortstudio.model.graph import op_text
from ortstudio.model.model import Model


def pair_nodes(
    a: Model, b: Model, *, contents: Contents | None, defaults: Defaults
) -> tuple[tuple[NodeRow, ...], tuple[NamedRow, ...]]:
    """Rows for all nodes of both models, each in exactly one, and for all values."""
    pairing = GraphPairing(a, b, Signatures(contents, defaults), contents)
    nodes = tuple(pairing.rows())
    return nodes, tuple(value_rows(pairing.matches))


@dataclass(frozen=True, slots=True)
class _Task:
    """Two graphs to pair, and the tokens of the values around them."""

    a: int
    b: int
    outer_a: Mapping[str, int]
    outer_b: Mapping[str, int]


class GraphPairing:
    """The whole of two models, graph by graph."""

    def __init__(
        self, a: Model, b: Model, signatures: Signatures, contents: Contents | None
    ) -> None:
        self._models = a, b
        self._signatures = signatures
        self._contents = contents
        self._children = _children(a), _children(b)
        self._inner: dict[int, dict[tuple[int, int], Hashable]] = {}
        self._token = 0
        self.matches: list[Match] = []

    def rows(self) -> Iterator[NodeRow]:
        """The rows of all nodes, the main graph's first."""
        tasks = [_Task(0, 0, {}, {})]
        while tasks:
            task = tasks.pop(0)
            match = self._match(task)
            yield from self._classified(match)
            tasks += self._inside(match, task)

    def _match(self, task: _Task) -> Match:
        a = self._side(0, task.a)
        b = self._side(1, task.b)
        match = Match(a, b, self._token)
        pair_values(match, task.outer_a, task.outer_b)
        self._token = match.next_token
        self.matches.append(match)
        return match

    def _side(self, which: int, index: int) -> Side:
        graph = self._models[which].graphs[index]
        children = self._children[which]

        def inner(node: int) -> Hashable:
            if (index, node) not in children:
                return None
            if which not in self._inner:
                self._inner[which] = self._inner_keys(which)
            return self._inner[which][index, node]

        return Side.of(graph, self._signatures, self._contents, inner)

    def _inner_keys(self, which: int) -> dict[tuple[int, int], Hashable]:
        graphs = self._models[which].graphs
        nested = {
            index: Side.of(graph, self._signatures, self._contents)
            for index, graph in enumerate(graphs)
            if graph.parent is not None
        }
        return inner_keys(nested, self._children[which], self._signatures.number)

    def _classified(self, match: Match) -> Iterator[NodeRow]:
        folding = Folding(match)
        calls = self._calls(match.a)
        inlining = Inlining(match, calls)
        recognizer = Recognizer(match)
        classifier = Classifier(match, folding, calls, recognizer, self._signatures, self._nested)
        groups: list[Group] = []
        for block in cut(match, folding.became):
            if len(block.a) == len(block.b) == 1 and match.a.mates[block.a[0]] == block.b[0]:
                groups.append(Group(block.a, block.b, (block.a[0], block.b[0])))
            else:
                aligned = Alignment(match, block, folding, inlining, recognizer, classifier.is_same)
                groups += aligned.groups()
        for group in groups:
            if group.core is not None:
                match.mate(*group.core)
        yield from classifier.rows(merged(match, groups))

    def _calls(self, side: Side) -> frozenset[int]:
        """The nodes of A that call a function of the model."""
        onnx = self._models[0].onnx
        functions = {op_text(f.domain, f.name) for f in onnx.functions} if onnx else set()
        return frozenset(n for n, op in enumerate(side.graph.nodes.ops) if op in functions)

    def _inside(self, match: Match, task: _Task) -> Iterator[_Task]:
        """The subgraphs of nodes that do the same work, by the names of their attributes."""
        tokens: tuple[dict[str, int], dict[str, int]] | None = None
        children_a, children_b = self._children
        for node in _holders(children_a, task.a):
            mate = match.a.mates[node]
            if mate < 0 or match.a.operators[node] != match.b.operators[mate]:
                continue
            mine, other = children_a[task.a, node], children_b.get((task.b, mate), {})
            tokens = tokens or (_known(match.a, task.outer_a), _known(match.b, task.outer_b))
            for key, graph in mine.items():
                if key in other:
                    yield _Task(graph, other[key], *tokens)

    def _nested(self, side: Side, node: int) -> Sequence[NodeRef]:
        """All nodes in graphs inside a node, at any depth."""
        which = 0 if side.graph in self._models[0].graphs else 1
        graphs = self._models[which].graphs
        children = self._children[which]
        stack = [(graphs.index(side.graph), node)]
        found = []
        while stack:
            for graph in children.get(stack.pop(), {}).values():
                rows = range(len(graphs[graph].nodes))
                found += [NodeRef(graphs[graph].path, int(i)) for i in graphs[graph].nodes.indices]
                stack += [(graph, row) for row in rows if (graph, row) in children]
        return found


def _children(model: Model) -> dict[tuple[int, int], dict[tuple[str, int], int]]:
    """The graphs inside each node: graph and row → attribute and place in it → graph."""
    found: dict[tuple[int, int], dict[tuple[str, int], int]] = {}
    for index, graph in enumerate(model.graphs):
        if graph.parent is not None:
            mine = found.setdefault((graph.parent.graph, graph.parent.node), {})
            place = sum(name == graph.parent.attribute for name, _ in mine)
            mine[graph.parent.attribute, place] = index
    return found


def _holders(children: Mapping[tuple[int, int], object], graph: int) -> list[int]:
    return sorted(node for owner, node in children if owner == graph)


def _known(side: Side, outer: Mapping[str, int]) -> dict[str, int]:
    """The tokens of all values that a subgraph sees, by name."""
    own = zip(side.graph.values.names, side.tokens, strict=True)
    return {**outer, **{name: token for name, token in own if token != NONE}}


def value_rows(matches: Sequence[Match]) -> Iterator[NamedRow]:
    """What became of each value that is no constant."""
    for match in matches:
        yield from _value_rows(match)


def _value_rows(match: Match) -> Iterator[NamedRow]:
    a, b = match.a, match.b
    for value in _live(a):
        partner = match.partner_of_a.get(value)
        mine = Named(a.graph.path, a.name(value))
        if partner is None:
            yield NamedRow("removed", mine, None, "The result does not compute it")
            continue
        other = Named(b.graph.path, b.name(partner))
        if mine.name == other.name:
            yield NamedRow("kept", mine, other, "Same value, same name")
        else:
            yield NamedRow("changed", mine, other, "Same value under another name")
    for value in _live(b):
        if value not in match.partner_of_b:
            yield NamedRow(
                "added", None, Named(b.graph.path, b.name(value)), "Only the result has it"
            )


def _live(side: Side) -> list[int]:
    """Values of the graph that a node makes or that it is given."""
    return [
        value
        for value, maker in enumerate(side.producers)
        if maker >= 0 or (value in side.graph_inputs and value not in side.constants)
    ]
