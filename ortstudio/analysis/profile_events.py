"""The runtime's own profile: its events, sorted into runs and into what ran inside what.

It is a list of Chrome trace events. Those of category `Node` stand for one node run once, in the
order in which they ended; those of a node's subgraph end before it does. Times are whole
microseconds, cut off.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ortstudio.errors import FormatError

_SUFFIX = "_kernel_time"
_RUN = "model_run"
NS = 1000
"""Nanoseconds in a microsecond."""

HOLDERS = frozenset({"If", "Loop", "Scan", "SequenceMap"})
"""Operators that run graphs of their own."""


@dataclass(frozen=True, slots=True)
class Event:
    """A node that ran, or a whole run where `op` is empty. Times are in microseconds.

    `index` is -1 where the release does not state it.
    """

    name: str
    op: str
    index: int
    provider: str
    start: int
    took: int
    output_bytes: int

    @property
    def end(self) -> int:
        """When it was over."""
        return self.start + self.took


@dataclass(frozen=True, slots=True)
class Ran:
    """A node that ran, with all that ran inside it."""

    event: Event
    inside: tuple[Ran, ...] = ()

    @property
    def own(self) -> int:
        """Microseconds that no node inside has spent."""
        return max(0, self.event.took - sum(one.event.took for one in self.inside))


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the whole model, in microseconds."""

    took: int
    nodes: tuple[Ran, ...] = field(default=())

    @property
    def between(self) -> int:
        """What is left when the nodes' times are taken away."""
        return max(0, self.took - sum(node.event.took for node in self.nodes))


def read_events(text: str) -> list[Event]:
    """The nodes and runs of a profile. Raises FormatError for what is no profile."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise FormatError(f"The runtime's profile cannot be read: {error}") from None
    if not isinstance(found, list):
        raise FormatError("The runtime's profile is no list of events")
    return list(_events(found))


def _events(found: Sequence[object]) -> Iterator[Event]:
    for one in found:
        if not isinstance(one, Mapping):
            continue
        name, held = str(one.get("name", "")), one.get("args")
        args: Mapping[str, object] = held if isinstance(held, Mapping) else {}
        is_node = one.get("cat") == "Node" and name.endswith(_SUFFIX)
        if not is_node and name != _RUN:
            continue
        yield Event(
            name=name.removesuffix(_SUFFIX),
            op=str(args.get("op_name", "")) if is_node else "",
            index=_whole(args.get("node_index"), -1),
            provider=str(args.get("provider", "")),
            start=_whole(one.get("ts"), 0),
            took=_whole(one.get("dur"), 0),
            output_bytes=_whole(args.get("output_size"), 0),
        )


def _whole(value: object, otherwise: int) -> int:
    """Numbers in `args` are text."""
    try:
        return int(str(value))
    except ValueError:
        return otherwise


def sorted_into_runs(events: Sequence[Event], holders: Collection[str] = HOLDERS) -> list[Run]:
    """The runs that are complete; only nodes of the operators `holders` have others inside.

    The runtime stops writing at a million events: what comes after belongs to no run.
    """
    found, open_nodes = list[Run](), list[Ran]()
    for event in events:
        if not event.op:
            found.append(Run(event.took, tuple(open_nodes)))
            open_nodes = []
            continue
        inside: list[Ran] = []
        if event.op in holders:
            while open_nodes and _is_within(open_nodes[-1].event, event):
                inside.append(open_nodes.pop())
        open_nodes.append(Ran(event, tuple(reversed(inside))))
    return found


def _is_within(one: Event, other: Event) -> bool:
    """Both times of both are cut off, so that an end may seem to be later by as much."""
    return other.start <= one.start and one.end <= other.end + 2
