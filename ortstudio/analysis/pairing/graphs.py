"""Pairs graph after graph: the main ones, then the subgraphs of nodes that are paired."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.align import Alignment
from ortstudio.analysis.pairing.blocks import cut
from ortstudio.analysis.pairing.classify import Classifier
from ortstudio.analysis.pairing.collection import collection_paused
from ortstudio.analysis.pairing.contents import Contents
from ortstudio.analysis.pairing.defaults import Defaults
from ortstudio.analysis.pairing.folding import Folding
from ortstudio.analysis.pairing.groups import Group, Sorting, merged
from ortstudio.analysis.pairing.inlining import Inlining, adopted
from ortstudio.analysis.pairing.inner import Children, inner_keys
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
    with collection_paused():
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
        self._holders = _holders(self._children[0]), _holders(self._children[1])
        self._places = tuple({id(g): i for i, g in enumerate(m.graphs)} for m in self._models)
        self._around: tuple[Match, tuple[Mapping[str, int], Mapping[str, int]]] | None = None
        self._inner: dict[int, dict[tuple[int, int], Hashable]] = {}
        self._token = 0
        self.matches: list[Match] = []

    def rows(self) -> Iterator[NodeRow]:
        """The rows of all nodes, the main graph's first."""
        tasks = deque([_Task(0, 0, {}, {})] if all(m.graphs for m in self._models) else [])
        if not tasks:
            yield from self._alone(0, range(len(self._models[0].graphs)))
            yield from self._alone(1, range(len(self._models[1].graphs)))
        while tasks:
            task = tasks.popleft()
            match = self._match(task)
            yield from self._classified(match)
            for node, mate in self._entered(match, task):
                mine, other = (
                    self._children[0][task.a, node],
                    self._children[1].get((task.b, mate), {}),
                )
                tokens = self._tokens(match, task)
                for key in mine:
                    if key in other:
                        tasks.append(_Task(mine[key], other[key], *tokens))
                yield from self._alone(0, [mine[key] for key in mine if key not in other])
                yield from self._alone(1, [other[key] for key in other if key not in mine])

    def _alone(self, which: int, graphs: Iterable[int]) -> Iterator[NodeRow]:
        """Rows for the nodes of graphs that only one side has, and of those inside them."""
        for index in graphs:
            for ref in self._all_inside(which, [index]):
                if which == 0:
                    yield NodeRow("removed", (ref,), (), "The result has no such graph")
                else:
                    yield NodeRow("added", (), (ref,), "The source has no such graph")

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
                sorting = Sorting(match, block, folding, classifier.is_same)
                groups += Alignment(sorting, inlining, recognizer).groups()
        for group in groups:
            if group.core is not None:
                match.mate(*group.core)
        yield from classifier.rows(adopted(match, merged(match, groups)))

    def _calls(self, side: Side) -> frozenset[int]:
        """The nodes of A that call a function of the model."""
        onnx = self._models[0].onnx
        functions = {op_text(f.domain, f.name) for f in onnx.functions} if onnx else set()
        return frozenset(n for n, op in enumerate(side.graph.nodes.ops) if op in functions)

    def _entered(self, match: Match, task: _Task) -> Iterator[tuple[int, int]]:
        """Nodes with graphs inside, and the nodes of B that do the same work."""
        for node in self._holders[0].get(task.a, ()):
            mate = match.a.mates[node]
            if mate >= 0 and match.a.operators[node] == match.b.operators[mate]:
                yield node, mate

    def _tokens(self, match: Match, task: _Task) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """What subgraphs know of the values around them; worked out once for a pair of graphs."""
        if self._around is None or self._around[0] is not match:
            known = _known(match.a, task.outer_a), _known(match.b, task.outer_b)
            self._around = match, known
        return self._around[1]

    def _nested(self, side: Side, node: int) -> Sequence[NodeRef]:
        """All nodes in graphs inside a node, at any depth."""
        which = 0 if id(side.graph) in self._places[0] else 1
        place = self._places[which][id(side.graph)]
        return self._all_inside(which, self._children[which].get((place, node), {}).values())

    def _all_inside(self, which: int, graphs: Iterable[int]) -> list[NodeRef]:
        """All nodes of graphs, and of those inside them."""
        stack, found = list(graphs), []
        while stack:
            index = stack.pop()
            graph = self._models[which].graphs[index]
            found += [NodeRef(graph.path, i) for i in graph.nodes.indices.tolist()]
            for row in self._holders[which].get(index, ()):
                stack += self._children[which][index, row].values()
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


def _holders(children: Children) -> dict[int, list[int]]:
    """The rows of the nodes that have graphs inside, by the place of their graph."""
    found: dict[int, list[int]] = {}
    for owner, row in sorted(children):
        found.setdefault(owner, []).append(row)
    return found


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
