"""From groups of nodes to rows: the kind, the reason, the changes and the rewrite's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.explain import (
    Value,
    attribute_text,
    attributes,
    is_constant_changed,
    is_paired,
    operator_changes,
    value_text,
)
from ortstudio.analysis.pairing.families import GLUE
from ortstudio.analysis.pairing.folding import Folding
from ortstudio.analysis.pairing.groups import Group
from ortstudio.analysis.pairing.reasons import Reasons
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.rewrites import Rewrite, portability
from ortstudio.analysis.pairing.rows import Change, NodeRow
from ortstudio.analysis.pairing.sides import NONE, Match, Side
from ortstudio.analysis.pairing.signatures import Signatures
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.model.graph import AttributeValue
from ortstudio.model.types import packed_size

Nested = Callable[[Side, int], Sequence[NodeRef]]
"""The nodes of all graphs inside a node that has no counterpart."""

_BYPASS = 64
"""How many nodes in a row may be passed over."""


class Classifier:
    """Makes the rows of one pair of graphs, once all groups are known."""

    def __init__(
        self,
        match: Match,
        folding: Folding,
        calls: frozenset[int],
        recognizer: Recognizer,
        signatures: Signatures,
        nested: Nested,
    ) -> None:
        self._match = match
        self._folding = folding
        self._calls = calls
        self._recognizer = recognizer
        self._signatures = signatures
        self._nested = nested
        self._gone: set[int] = set()
        self._new: set[int] = set()
        self._reasons = Reasons(match, (), recognizer)

    def is_same(self, a: int, b: int) -> bool:
        """Whether two nodes do the same, whatever they read."""
        match = self._match
        if match.a.whole[a] != match.b.whole[b]:
            return False
        if len(match.a.inputs[a]) != len(match.b.inputs[b]):
            return False
        known = {match.a.tokens[x] for x in match.a.inputs[a] if x >= 0} - {NONE}
        for x, y in zip(match.a.inputs[a], match.b.inputs[b], strict=False):
            if x in match.a.constants and y in match.b.constants:
                if self._differ(x, y):
                    return False
            elif (x in match.a.constants) and y >= 0 and match.b.tokens[y] > 0:
                return False
            elif y >= 0 and match.b.tokens[y] in known and not is_paired(match, x, y):
                return False  # The inputs changed places.
        return True

    def _differ(self, x: int, y: int) -> bool:
        return is_constant_changed(self._match, x, y)

    def rows(self, groups: Sequence[Group]) -> Iterator[NodeRow]:
        """The rows, in the order of A and, where only B has a node, after the one before it."""
        groups = [part for group in groups for part in self._parted(group)]
        self._reasons = Reasons(self._match, groups, self._recognizer)
        self._gone = {n for group in groups if not group.b for n in group.a} | self._folding.nodes
        self._new = {n for group in groups if not group.a for n in group.b}
        for group in self._ordered(groups):
            yield from self._row(group)

    def _ordered(self, groups: Sequence[Group]) -> list[Group]:
        place: dict[int, int] = {}
        for group in groups:
            if group.a:
                place.update(dict.fromkeys(group.b, group.a[0]))
        last = NONE
        for node in range(len(self._match.b.mates)):
            last = place.setdefault(node, last)
        found = list(groups)
        found += [Group(chain, []) for chain in self._folding.chains()]
        return sorted(
            found,
            key=lambda g: (g.a[0] if g.a else place[g.b[0]], not g.a, g.b[0] if g.b else 0),
        )

    def _parted(self, group: Group) -> Iterator[Group]:
        """Take out what stands in a group only by place, and part what has one side only."""
        if len(group.a) == len(group.b) == 1:
            yield group
            return
        if not group.b:
            yield from (Group([node], []) for node in group.a)
            return
        if not group.a:
            yield from (Group([], [node]) for node in group.b)
            return
        loose = self._loose(group)
        yield from (Group([node], []) for node in loose)
        kept = [node for node in group.a if node not in loose]
        yield Group(kept, group.b, group.core, group.is_same, group.is_inlined)

    def _loose(self, group: Group) -> list[int]:
        """Nodes of A that no rewrite took into the group's result."""
        match = self._match
        core = group.core[0] if group.core else None
        extra = [n for n in group.a if n != core and n not in match.aliases_a]
        if not extra or group.is_inlined or self._known(group):
            return []
        if group.is_same:
            return extra
        loose = [n for n in extra if match.a.graph.nodes.op_types[n] in GLUE]
        return loose if len(loose) < len(group.a) else loose[:-1]

    def _known(self, group: Group) -> Rewrite | None:
        return self._recognizer.fusion(group.a, group.b, group.is_same)

    def _ops_a(self, nodes: Sequence[int]) -> list[str]:
        return [self._match.a.graph.nodes.ops[n] for n in nodes]

    def _row(self, group: Group) -> Iterator[NodeRow]:
        if not group.b:
            is_folded = group.a[0] in self._folding.nodes
            yield self._folded(group.a) if is_folded else self._removed(group.a[0])
        elif not group.a:
            yield self._added(group.b[0])
        elif group.is_inlined or (self._calls and self._is_call_gone(group)):
            yield self._inlined(group)
        elif len(group.a) == len(group.b) == 1:
            yield self._pair(group.a[0], group.b[0])
        else:
            yield self._several(group)

    def _is_call_gone(self, group: Group) -> bool:
        """Whether a function was called that is called no more."""
        kept = {self._match.b.operators[n] for n in group.b}
        return any(n in self._calls and self._match.a.operators[n] not in kept for n in group.a)

    def _refs(self, a: Sequence[int], b: Sequence[int]) -> tuple[list[NodeRef], list[NodeRef]]:
        found: tuple[list[NodeRef], list[NodeRef]] = ([], [])
        match = self._match
        for side, other, nodes, refs in (
            (match.a, match.b, a, found[0]),
            (match.b, match.a, b, found[1]),
        ):
            for node in nodes:
                refs.append(side.refs[node])
                mate = side.mates[node]
                if mate < 0 or side.operators[node] != other.operators[mate]:
                    refs.extend(self._nested(side, node))
        return found

    def _make(
        self,
        kind: str,
        a: Sequence[int],
        b: Sequence[int],
        reason: str,
        changes: Sequence[Change] = (),
        rewrite: str = "",
    ) -> NodeRow:
        refs_a, refs_b = self._refs(a, b)
        return NodeRow(
            kind,  # type: ignore[arg-type]
            tuple(refs_a),
            tuple(refs_b),
            reason,
            tuple(changes),
            rewrite,
            self._portability(a, b),
        )

    def _portability(self, a: Sequence[int], b: Sequence[int]) -> str:
        nodes = self._match.b.graph.nodes
        before = set(self._ops_a(a))
        for node in b:
            if nodes.ops[node] not in before:
                said = portability(nodes.domains[node], nodes.ops[node])
                if said:
                    return said
        return ""

    def _removed(self, node: int) -> NodeRow:
        text, rewrite = self._reasons.removed(node)
        return self._make("removed", [node], [], text, (), rewrite)

    def _folded(self, nodes: Sequence[int]) -> NodeRow:
        side, match = self._match.a, self._match
        if side.graph.nodes.op_types[nodes[0]] == "Constant":
            reason = "The constant is an initializer now: nothing is lost"
            return self._make("folded", nodes, [], reason, (), "constant-node")
        size = 0
        for value in (value for node in nodes for value in side.outputs[node]):
            constant = self._folding.became.get(value)
            declared = None if constant is None else match.b.declared(constant)
            if declared is not None:
                size += packed_size(*declared) or 0
        them = "it" if len(nodes) == 1 else "them"
        if size:
            reason = f"Computed once, at conversion: the result holds {size_text(size)} for {them}"
        else:
            reason = f"Computed once, at conversion, for a constant that depends on {them}"
        return self._make("folded", nodes, [], reason, (), "constant-folding")

    def _added(self, node: int) -> NodeRow:
        text, rewrite = self._reasons.added(node)
        return self._make("added", [], [node], text, (), rewrite)

    def _is_untouched(self, a: int, b: int) -> bool:
        """The short way to see that nothing changed, for the many nodes of which that is true."""
        one, other = self._match.a, self._match.b
        inputs = one.inputs[a]
        return (
            one.whole[a] == other.whole[b]
            and one.versions[a] == other.versions[b]
            and len(inputs) == len(other.inputs[b])
            and not any(
                x < 0 or x in one.constants or not is_paired(self._match, x, y)
                for x, y in zip(inputs, other.inputs[b], strict=True)
            )
        )

    def _inlined(self, group: Group) -> NodeRow:
        side = self._match.a
        name = node_text(side.graph, group.a[0])
        if side.graph.nodes.op_types[group.a[0]] == "If":
            reason = f"The condition of {name} is constant: one branch took its place"
            return self._make("inlined", group.a, group.b, reason, (), "if-inlining")
        what = count(len(group.b), "node")
        reason = f"{name} is defined by a function: {what} of its body took its place"
        return self._make("inlined", group.a, group.b, reason, (), "function-inlining")

    def _pair(self, a: int, b: int) -> NodeRow:
        changes = [] if self._is_untouched(a, b) else list(self.changes(a, b))
        if not changes:
            refs = (self._match.a.refs[a],), (self._match.b.refs[b],)
            return NodeRow("kept", *refs, "Same operator, attributes and inputs")
        known = self._recognizer.fusion([a], [b], is_same=False)
        text, rewrite = self._reasons.changed(a, b, changes)
        if known and not rewrite:
            text, rewrite = known.sentence, known.name
        return self._make("changed", [a], [b], text, changes, rewrite)

    def _several(self, group: Group) -> NodeRow:
        match = self._match
        kind = "fused" if len(group.a) > len(group.b) else "split"
        if len(group.a) == len(group.b):
            kind = "changed"
        alias_a = [n for n in group.a if n in match.aliases_a]
        if alias_a and len(alias_a) == len(group.a) - 1 and len(group.b) == 1:
            reason = "They computed the same from the same: one is enough"
            return self._make(kind, group.a, group.b, reason, (), "common-subexpression")
        alias_b = [n for n in group.b if n in match.aliases_b]
        if alias_b and len(alias_b) == len(group.b) - 1 and len(group.a) == 1:
            reason = "Each node that reads it has one of its own"
            return self._make(kind, group.a, group.b, reason, (), "duplicated")
        known = self._known(group)
        changes = list(self.changes(*group.core)) if group.core and not group.is_same else []
        if known:
            return self._make(kind, group.a, group.b, known.sentence, changes, known.name)
        reason = f"{_named(match.a, group.a)} became {_named(match.b, group.b)}"
        return self._make(kind, group.a, group.b, reason, changes)

    def changes(self, a: int, b: int) -> Iterator[Change]:
        """All differences of two nodes that do the same work."""
        match = self._match
        yield from operator_changes(match, a, b)
        if match.a.whole[a] != match.b.whole[b]:
            yield from self._attribute_changes(a, b)
        pairs = zip_longest(match.a.inputs[a], match.b.inputs[b], fillvalue=NONE)
        for i, (x, y) in enumerate(pairs):
            if self._is_other_input(x, y):
                yield Change(f"input {i}", value_text(match.a, x), value_text(match.b, y))

    def _attribute_changes(self, a: int, b: int) -> Iterator[Change]:
        before, after = self._attributes(self._match.a, a), self._attributes(self._match.b, b)
        renamed = self._match.a.operators[a] != self._match.b.operators[b]
        usual = {**self._usual(self._match.a, a), **self._usual(self._match.b, b)}
        for name in sorted({*before, *after}):
            x, y = before.get(name), after.get(name)
            key = self._signatures.value_key
            if (
                renamed
                and (name not in before or name not in after)
                and (x or y) == usual.get(name)
            ):
                continue
            if key(self._match.a.graph, x) != key(self._match.b.graph, y):
                yield Change(f"attribute {name}", attribute_text(x), attribute_text(y))

    def _attributes(self, side: Side, node: int) -> dict[str, Value]:
        found: dict[str, Value] = dict(self._usual(side, node))
        return found | attributes(side, node)

    def _usual(self, side: Side, node: int) -> Mapping[str, AttributeValue]:
        nodes = side.graph.nodes
        return self._signatures.defaults.of(
            nodes.domains[node], nodes.op_types[node], int(nodes.since_versions[node])
        )

    def _is_other_input(self, x: int, y: int) -> bool:
        match = self._match
        if x < 0 or y < 0:
            return x != y
        if x in match.a.constants and y in match.b.constants:
            return self._differ(x, y) or self._is_swapped(x, y)
        if is_paired(match, x, y) or x in self._folding.became:
            return False
        if match.a.tokens[x] == NONE or match.b.tokens[y] == NONE:
            return False
        return not self._is_bypass(x, y)

    def _is_swapped(self, x: int, y: int) -> bool:
        """Whether another constant is read that both sides have, though of the same content."""
        match = self._match
        name_a, name_b = match.a.name(x), match.b.name(y)
        return (
            match.names_hold
            and name_a != name_b
            and match.b.graph.values.ids.get(name_a) in match.b.constants
            and match.a.graph.values.ids.get(name_b) in match.a.constants
        )

    def _is_bypass(self, x: int, y: int) -> bool:
        """Whether only nodes that are gone or new stand between the two."""
        match = self._match
        xs = _upstream(match.a, x, self._gone)
        ys = set(_upstream(match.b, y, self._new))
        tokens = {match.b.tokens[value] for value in ys}
        return any(match.a.tokens[value] in tokens for value in xs)


def _upstream(side: Side, value: int, through: set[int]) -> list[int]:
    found = [value]
    while len(found) < _BYPASS:
        maker = side.producers[found[-1]]
        if maker not in through or not side.inputs[maker] or side.inputs[maker][0] < 0:
            break
        found.append(side.inputs[maker][0])
    return found


def _named(side: Side, nodes: Sequence[int]) -> str:
    if len(nodes) > 6:
        return count(len(nodes), "node")
    return listed([node_text(side.graph, node) for node in nodes], 6)
