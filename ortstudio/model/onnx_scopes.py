"""Value ids of ONNX graphs, and what subgraphs read from the graphs around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
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


@dataclass(eq=False)
class Draft:
    """A body whose values are being numbered.

    `implicit`: names of the outer values that the graphs inside a node read, by the node's row;
    `graphs`: the graphs inside an attribute, by the attribute's row.
    """

    place: Place
    body: Body
    ids: dict[str, int] = field(default_factory=dict)
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
    """Give ids to inputs, initializers, what nodes make and read, and the rest, in this order.

    The name of what is left out, the empty string, has the id -1 and is in no list of names.
    """
    body, nodes = draft.body, draft.body.nodes
    constants = [
        *body.initializers.names,
        *(tensor.values.name for tensor in body.sparse_initializers),
    ]
    columns = (
        body.inputs,
        constants,
        nodes.outputs,
        nodes.inputs,
        body.outputs,
        body.declarations.names,
    )
    names = dict.fromkeys(chain.from_iterable(columns))
    names.pop("", None)
    ids = draft.ids = dict(zip(names, range(len(names)), strict=True))
    ids[""] = -1
    (
        draft.inputs,
        draft.constants,
        draft.node_outputs,
        draft.node_inputs,
        draft.outputs,
        draft.declared,
    ) = (np.fromiter(map(ids.__getitem__, column), np.int64, len(column)) for column in columns)
    del ids[""]


def type_values(draft: Draft, parent: Draft | None, types: TypeReader) -> None:
    """Types as declared; else those of an initializer, or of the outer value of that name."""
    body, ids = draft.body, draft.ids
    # The id -1 leads to one more place at the end.
    known: list[ValueType | None] = [None] * (len(ids) + 1)
    if parent is not None and draft.place.parent is not None:
        for name in parent.implicit.get(draft.place.parent.node, ()):
            known[ids.get(name, -1)] = parent.types[parent.ids[name]]
    found = [
        *types.constants(body.initializers),
        *(types.sparse(found.values.data_type, found.dims) for found in body.sparse_initializers),
    ]
    for value, constant in zip(draft.constants.tolist(), found, strict=True):
        known[value] = constant
    # Backwards, so that the first declaration with a type wins.
    for value, read in zip(
        reversed(draft.declared.tolist()), reversed(body.declarations.types), strict=True
    ):
        if read.type is not None:
            known[value] = read.type
    draft.types = known[:-1]


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
        for name in names:
            around.ids.setdefault(name, len(around.ids))
        # Siblings come last first: what an earlier graph reads stands before what a later one does.
        later = around.implicit.get(parent.node, {})
        around.implicit[parent.node] = dict.fromkeys([*names, *later])


def _outer_names(draft: Draft) -> list[str]:
    """The names that a graph reads and does not define, in the order of first use."""
    nodes = draft.body.nodes
    own = np.zeros(len(draft.ids) + 1, bool)
    own[draft.inputs] = own[draft.constants] = own[draft.node_outputs] = True
    own[-1] = True  # Where the id -1 of an omitted input leads.
    names = list(draft.ids)
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
