"""Value ids of ONNX graphs, and what subgraphs read from the graphs around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ortstudio.format.arrays import Ints, ints
from ortstudio.format.walk import Walk
from ortstudio.model.graph import GraphRef, Parent
from ortstudio.model.onnx_bodies import Body
from ortstudio.model.onnx_types import TypeReader
from ortstudio.model.types import ValueType

MAX_IMPLICIT_INPUTS = 1 << 20
"""Outer values that subgraphs may read, beside one for each byte of the file.

Each graph on the way to the reader lists the value, so a few bytes can ask for many.
"""


class Place(NamedTuple):
    """Where a body hangs: its root, its number among the graphs of that root, its parent."""

    root: int
    number: int
    path: str
    parent: Parent | None


class _Ids(dict[str, int]):
    """Names to ids; a new name gets the next id, the empty one is -1."""

    def __init__(self) -> None:
        super().__init__({"": -1})

    def __missing__(self, name: str) -> int:
        value = self[name] = len(self) - 1
        return value

    def of(self, names: Sequence[str]) -> Ints:
        """The id of each name."""
        return np.fromiter(map(self.__getitem__, names), np.int64, len(names))

    def names(self) -> list[str]:
        """Every name that has an id, in their order."""
        return list(self)[1:]


@dataclass(eq=False)
class Draft:
    """A body whose values are being numbered.

    `implicit`: names of the outer values that the graphs inside a node read, by the node's row;
    `graphs`: the graphs inside an attribute, by the attribute's row.
    """

    place: Place
    body: Body
    ids: _Ids = field(default_factory=_Ids)
    inputs: Ints = field(default_factory=lambda: ints([]))
    outputs: Ints = field(default_factory=lambda: ints([]))
    constants: Ints = field(default_factory=lambda: ints([]))
    declared: Ints = field(default_factory=lambda: ints([]))
    node_inputs: Ints = field(default_factory=lambda: ints([]))
    node_outputs: Ints = field(default_factory=lambda: ints([]))
    types: list[ValueType | None] = field(default_factory=list)
    implicit: dict[int, dict[str, None]] = field(default_factory=dict)
    graphs: dict[int, list[GraphRef]] = field(default_factory=dict)

    @cached_property
    def repeated_names(self) -> set[str]:
        """Node names that do not tell a node from all others of its graph."""
        return {name for name, count in Counter(self.body.nodes.names).items() if count > 1}


def number_values(draft: Draft) -> None:
    """Give ids to inputs, initializers, what nodes make and read, and the rest, in this order."""
    body, ids = draft.body, draft.ids
    sparse = [tensor.values.name for tensor in body.sparse_initializers]
    draft.inputs = ids.of(body.inputs)
    draft.constants = ids.of([*body.initializers.names, *sparse])
    draft.node_outputs = ids.of(body.nodes.outputs)
    draft.node_inputs = ids.of(body.nodes.inputs)
    draft.outputs = ids.of(body.outputs)
    draft.declared = ids.of(body.declarations.names)


def type_values(draft: Draft, parent: Draft | None, types: TypeReader) -> None:
    """Types as declared; else those of an initializer, or of the outer value of that name."""
    body = draft.body
    known: dict[int, ValueType] = {}
    if parent is not None and draft.place.parent is not None:
        for name in parent.implicit.get(draft.place.parent.node, ()):
            outer = parent.types[parent.ids[name]]
            if outer is not None and name in draft.ids:
                known[draft.ids[name]] = outer
    constants = [
        *map(types.tensor, body.initializers.data_types.tolist(), body.initializers.dims.lists()),
        *(types.sparse(found.values.data_type, found.dims) for found in body.sparse_initializers),
    ]
    known.update(zip(draft.constants.tolist(), constants, strict=True))
    # Backwards, so that the first declaration with a type wins.
    for value, read in zip(
        reversed(draft.declared.tolist()), reversed(body.declarations.types), strict=True
    ):
        if read.type is not None:
            known[value] = read.type
    draft.types = [known.get(value) for value in range(len(draft.ids) - 1)]


def link_scopes(tree: Sequence[Draft], walk: Walk) -> None:
    """Find `implicit` of every node, innermost graphs first. `tree` is in order of depth."""
    budget = MAX_IMPLICIT_INPUTS + walk.source.size
    for draft in reversed(tree[1:]):
        names = _outer_names(draft)
        budget -= len(names)
        if budget < 0:
            walk.report("Subgraphs read too many outer values to list them", 0, lambda: "")
            return
        parent = draft.place.parent
        assert parent is not None
        around = tree[parent.graph]
        around.ids.of(names)
        # Siblings come last first: what an earlier graph reads stands before what a later one does.
        later = around.implicit.get(parent.node, {})
        around.implicit[parent.node] = dict.fromkeys([*names, *later])


def _outer_names(draft: Draft) -> list[str]:
    """The names that a graph reads and does not define, in the order of first use."""
    nodes = draft.body.nodes
    own = np.zeros(len(draft.ids), bool)
    own[draft.inputs] = own[draft.constants] = own[draft.node_outputs] = True
    own[-1] = True  # Where the id -1 of an omitted input leads.
    names = draft.ids.names()
    places = np.nonzero(~own[draft.node_inputs])[0]
    owners = np.searchsorted(nodes.input_ptr, places, side="right") - 1
    reads = list(zip(owners.tolist(), draft.node_inputs[places].tolist(), strict=True))
    for row, implicit in draft.implicit.items():
        found = [draft.ids[name] for name in implicit]
        reads += [(row, value) for value in found if not own[value]]
    reads.sort(key=lambda read: read[0])
    read_ids = [value for _, value in reads]
    read_ids += draft.outputs[~own[draft.outputs]].tolist()
    return [names[value] for value in dict.fromkeys(read_ids)]
