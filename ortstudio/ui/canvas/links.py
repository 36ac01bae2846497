"""What each node is connected with, in both directions, by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.format.arrays import Ints, Ragged


def grouped(keys: Ints, values: Ints, count: int) -> Ragged:
    """For each key 0 … count - 1 its values, in the order given."""
    ptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=ptr[1:])
    return Ragged(ptr, values[np.argsort(keys, kind="stable")])


@dataclass(frozen=True, eq=False)
class Links:
    """Routes and neighbours of each node. Neighbours include those at the far end of a portal."""

    routes_out: Ragged
    routes_in: Ragged
    targets: Ragged
    sources: Ragged

    @staticmethod
    def of(count: int, source: Ints, target: Ints, portals: Ints) -> Links:
        """From the ends of each route and of each portal."""
        routes = np.arange(len(source), dtype=np.int64)
        tops = np.concatenate([source, portals[:, 0]])
        ends = np.concatenate([target, portals[:, 1]])
        return Links(
            grouped(source, routes, count),
            grouped(target, routes, count),
            grouped(tops, ends, count),
            grouped(ends, tops, count),
        )

    def routes(self, row: int) -> Ints:
        """All routes that begin or end at a node."""
        return np.concatenate([self.routes_out.row(row), self.routes_in.row(row)]).astype(np.int64)
