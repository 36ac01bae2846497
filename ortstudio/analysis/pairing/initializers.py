"""What became of every initializer, by content: renamed, moved, converted, changed, new, gone.

`Constant` nodes count as what holds a constant too, since the ORT format knows only initializers;
a constant that both sides keep in a node is a matter of the nodes' rows alone.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from ortstudio.analysis.nchwc import NCHWC_DOMAIN
from ortstudio.analysis.pairing.constants import NODE, Constant, constants, is_same_record
from ortstudio.analysis.pairing.contents import Contents
from ortstudio.analysis.pairing.fates import came, gone
from ortstudio.analysis.pairing.fingerprints import fingerprint
from ortstudio.analysis.pairing.likeness import Likeness, likeness, type_and_shape
from ortstudio.analysis.pairing.rows import Change, NamedRow, NodeRow, RowKind
from ortstudio.analysis.pairing.uses import Use, Uses
from ortstudio.analysis.words import size_text
from ortstudio.model.model import Model
from ortstudio.model.types import DataType

NOT_KNOWN = "Not known whether the elements are the same: they cannot be read"
"""How the reason begins where data is missing or damaged."""
SAME_RECORD = "The same record of the same file, whose elements cannot be read"
RECOMPUTED = "Recomputed"
"""How the reason begins where a rewrite changed the elements."""
FEWEST = 4
"""With fewer elements, one tensor is easily another's in some other type."""
MOST_CANDIDATES = 32
"""So many constants near the same nodes are compared with one; more are nobody's neighbours."""
FEWEST_FILLED = 8
"""So many elements besides zeros tell a tensor from others without any other evidence."""


def initializer_rows(
    a: Model, b: Model, nodes: Sequence[NodeRow], contents: Contents
) -> tuple[NamedRow, ...]:
    """Pair all constants and say what became of each. Reads all of them, few more than once."""
    uses = Uses(a, nodes, [row.a for row in nodes]), Uses(b, nodes, [row.b for row in nodes])
    return tuple(_Pairing(*uses, contents).rows())


class _Pairing:
    """The state of one comparison: the constants of each side that stand in no row yet."""

    def __init__(self, a: Uses, b: Uses, contents: Contents) -> None:
        self._a, self._b, self._contents = a, b, contents
        self._all_a = [c for graph in a.model.graphs for c in constants(graph)]
        self._all_b = [c for graph in b.model.graphs for c in constants(graph)]
        self._keys = {c: c.content(contents) for c in (*self._all_a, *self._all_b)}
        self._left_a, self._left_b = dict.fromkeys(self._all_a), dict.fromkeys(self._all_b)
        self._rows: dict[Constant, NamedRow] = {}

    def rows(self) -> Iterator[NamedRow]:
        """All rows: those of A in A's order, then what B has besides."""
        self._same_name()
        self._same_content()
        self._moved()
        self._alike()
        self._shared()
        for constant in self._left_a:
            if constant.holder != NODE:
                self._rows[constant] = gone(constant, self._a, self._b)
        for constant in self._left_b:
            if constant.holder != NODE:
                self._rows[constant] = came(constant, self._a, self._b)
        yield from (self._rows[c] for c in (*self._all_a, *self._all_b) if c in self._rows)

    def _same_name(self) -> None:
        """The same name, and the same content or one that cannot be read."""
        named = {c.named: c for c in self._all_b}
        for ours in self._all_a:
            theirs = named.get(ours.named)
            if theirs is None or theirs not in self._left_b:
                continue
            if self._keys[ours] is not None and self._keys[ours] == self._keys[theirs]:
                self._pair(ours, theirs, "kept", "The same elements")
            elif ours.declared == theirs.declared and not self._are_readable(ours, theirs):
                files = self._a.model.source.path, self._b.model.source.path
                same = is_same_record(ours, theirs, *files)
                self._pair(ours, theirs, "kept", SAME_RECORD if same else NOT_KNOWN)

    def _are_readable(self, ours: Constant, theirs: Constant) -> bool:
        return ours.is_readable(self._contents) and theirs.is_readable(self._contents)

    def _same_content(self) -> None:
        """The same content under another name: where the same rows use both, else in order."""
        found: dict[Hashable, deque[Constant]] = defaultdict(deque)
        for theirs in self._left_b:
            key = self._keys[theirs]
            if key is not None:
                found[key].append(theirs)
                for number, _ in self._b.places(theirs):
                    found[key, number].append(theirs)
        for ours in list(self._left_a) if found else ():
            key = self._keys[ours]
            if key in found:
                self._rename(ours, [found[key, n] for n, _ in self._a.places(ours)])
        for ours in list(self._left_a) if found else ():
            self._rename(ours, [found.get(self._keys[ours], deque())])

    def _rename(self, ours: Constant, queues: Sequence[deque[Constant]]) -> None:
        for queue in queues:
            while queue:
                theirs = queue.popleft()
                if theirs in self._left_b:
                    self._pair(ours, theirs, "kept", "Renamed: the same elements")
                    return

    def _shared(self) -> None:
        """What had copies and has one now, or the other way round."""
        firsts_a = {self._keys[c]: c for c in reversed(self._all_a) if c not in self._left_a}
        firsts_b = {self._keys[c]: c for c in reversed(self._all_b) if c not in self._left_b}
        for ours in list(self._left_a):
            theirs = firsts_b.get(self._keys[ours])
            if self._keys[ours] and theirs and self._a.uses(ours) and ours.holder != NODE:
                text = "One constant stands for all that were the same"
                self._settle(ours, theirs, "fused", text, [ours])
        for theirs in list(self._left_b):
            first = firsts_a.get(self._keys[theirs])
            from_body = {self._b.rows[n].kind for n, _ in self._b.places(theirs)} == {"inlined"}
            if self._keys[theirs] and first and theirs.holder != NODE and not from_body:
                text = f"A copy; it adds {size_text(theirs.size_bytes)}"
                self._settle(first, theirs, "split", text, [theirs])

    def _moved(self) -> None:
        """The same elements in another order or shape, or padded, whatever the names are."""
        marks: dict[Hashable, Constant] = {}
        for theirs in list(self._left_b):
            mark = self._mark(theirs)
            if mark is not None:
                marks.setdefault(mark, theirs)
        for ours in list(self._left_a) if marks else ():
            mark = self._mark(ours)
            if mark in marks:
                self._judge(ours, marks.pop(mark), only_proven=True)

    def _mark(self, constant: Constant) -> Hashable:
        """What moving and padding leave as it is; None for what could be anything's."""
        elements = constant.elements(self._contents)
        if elements is None or elements.tensor.data_type == DataType.STRING:
            return None
        mark = fingerprint(elements)
        if mark.filled < FEWEST_FILLED:
            return None
        return elements.tensor.data_type, mark.filled, mark.mark

    def _alike(self) -> None:
        """What name or place ties together: converted, quantized, padded, changed."""
        named = {c.named: c for c in self._left_b}
        placed: dict[int, list[tuple[Use, Constant]]] = defaultdict(list)
        for theirs in self._left_b:
            for number, use in self._b.places(theirs):
                placed[number].append((use, theirs))
        for ours in list(self._left_a):
            same_name = named.get(ours.named)
            if same_name and same_name in self._left_b and self._judge(ours, same_name):
                continue
            candidates = [
                (not _same_place(use, other), number, other, theirs)
                for number, use in self._a.places(ours)
                for other, theirs in placed.get(number, ())
            ]
            candidates.sort(key=lambda row: row[0])
            for only_proven, number, use, theirs in candidates[:MOST_CANDIDATES]:
                if theirs in self._left_b:
                    place = number, use
                    if self._judge(ours, theirs, only_proven=only_proven, place=place):
                        break

    def _judge(
        self,
        ours: Constant,
        theirs: Constant,
        *,
        only_proven: bool = False,
        place: tuple[int, Use] | None = None,
    ) -> bool:
        """Put the two into a row if they are alike; `place` is what ties them, besides a name."""
        a, b = ours.elements(self._contents), theirs.elements(self._contents)
        found = None if a is None or b is None else likeness(a, b)
        if found is None and ours.named == theirs.named:
            found = _others(ours, theirs)
        if found is None:
            return False
        if only_proven and not (found.proven and a and a.count >= FEWEST):
            return False
        if place is not None and not found.proven:
            found = self._recomputed(found, *place)
        self._pair(ours, theirs, "changed", found.reason, found.changes)
        return True

    def _recomputed(self, found: Likeness, number: int, user: Use) -> Likeness:
        """What a rewrite of the user made of the elements."""
        row = self._a.rows[number]
        if row.kind not in ("fused", "split"):
            return found
        what = f"when {self._a.words(row.a)} became {self._b.words(row.b)}"
        if user.graph.nodes.domains[user.row] == NCHWC_DOMAIN:
            # Their order is another, so elements in the same place have nothing to do with it.
            changes = tuple(c for c in found.changes if c.what in ("type", "shape"))
            return Likeness(f"{RECOMPUTED} and stored in blocks {what}", changes, proven=False)
        return replace(found, reason=f"{RECOMPUTED} {what}: {found.reason}")

    def _pair(
        self,
        ours: Constant,
        theirs: Constant,
        kind: RowKind,
        reason: str,
        changes: tuple[Change, ...] = (),
    ) -> None:
        """A row of the two, unless both sides hold the constant in a node."""
        if ours.holder != theirs.holder:
            kind = "folded" if ours.holder == NODE and kind == "kept" else kind
            reason += f"; held by {ours.holder} before, by {theirs.holder} now"
        if ours.name != theirs.name:
            changes = (Change("name", ours.name, theirs.name), *changes)
        if ours.graph.path != theirs.graph.path:
            changes = (*changes, Change("graph", ours.graph.path, theirs.graph.path))
        self._settle(ours, theirs, kind, reason, [ours, theirs], changes)
        if ours.holder == theirs.holder == NODE:
            del self._rows[ours]

    def _settle(
        self,
        ours: Constant,
        theirs: Constant,
        kind: RowKind,
        reason: str,
        ends: Sequence[Constant],
        changes: tuple[Change, ...] = (),
    ) -> None:
        """Note a row under the first of the constants that it is the end of the search for."""
        self._rows[ends[0]] = NamedRow(kind, ours.named, theirs.named, reason, changes)
        for constant in ends:
            self._left_a.pop(constant, None)
            self._left_b.pop(constant, None)


def _others(ours: Constant, theirs: Constant) -> Likeness:
    """Of what bears the same name and agrees in nothing else that is known."""
    declared = ours.declared, theirs.declared
    changes = type_and_shape(declared[0], declared[1]) if declared[0] and declared[1] else ()
    return Likeness("Other elements under the same name", changes, proven=False)


def _same_place(ours: Use, theirs: Use) -> bool:
    """The same input of the same operator, or of one that was fused into another."""
    return ours.position == theirs.position >= 0 and ours.op_type in theirs.op_type
