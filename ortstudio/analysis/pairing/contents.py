"""What a comparison asks of the elements of constants. Who reads them is no concern of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ortstudio.model.elements import Elements
from ortstudio.model.graph import Graph
from ortstudio.model.tensor import Tensor


class Content(NamedTuple):
    """What a constant is but for its name: equal where type, shape and every bit are."""

    data_type: int
    dims: tuple[int, ...]
    digest: bytes


class Contents(Protocol):
    """The constants of both models; the graph that holds a constant tells which file it is in.

    An answer is None where the elements cannot be had: data that is missing, cut short or damaged.
    """

    def key(self, graph: Graph, row: int) -> Content | None:
        """What the initializer in that row of `graph.initializers` is."""

    def tensor_key(self, graph: Graph, tensor: Tensor) -> Content | None:
        """The same for any tensor of the graph, such as one in an attribute."""

    def elements(self, graph: Graph, tensor: Tensor) -> Elements | None:
        """The elements, to be read in parts."""


def digest(chunks: Iterable[bytes]) -> bytes:
    """What stands for a constant's bytes: little-endian, packed, as `raw_data` holds them."""
    # Many processors have instructions for this one, and it is then the fastest that is safe.
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return found.digest()
