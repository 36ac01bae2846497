"""What each release of ONNX Runtime reads, registers and replays: answers from `releases.json`.

All of it was measured with the wheels for Linux on x64 that run on the CPU. A release that was not
measured is answered for by its measured neighbours on both sides, where they agree.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypedDict

from ortstudio.model.graph import onnx_domain

PARTS = ("kernels", "schemas", "initializers", "values", "actions")
"""What only some releases could be asked for."""
UNCHANGING_DOMAINS = ("", "ai.onnx.ml")
"""ONNX's own: an operator's version never changes once it is released."""

Ranges = Sequence[Sequence[str]]
"""First and last release of each, both included."""


class Release(NamedTuple):
    """`1.16.3`."""

    major: int
    minor: int
    patch: int

    @staticmethod
    def parse(text: str) -> Release | None:
        """`1.16.3`, or `1.16` for `1.16.0`; None for what is no release."""
        found = re.fullmatch(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", text.strip())
        return Release(*(int(part or 0) for part in found.groups())) if found else None

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


class ReleaseData(TypedDict):
    """`releases.json`, parsed."""

    releases: Sequence[str]
    asked: Mapping[str, Ranges]
    reads: Mapping[str, Sequence[int]]
    writes: Mapping[str, Sequence[int]]
    highest: Mapping[str, Mapping[str, int]]
    initializers: Mapping[str, Ranges]
    values: Mapping[str, Ranges]
    actions: Mapping[str, Ranges]
    type_names: Sequence[str]
    kernels: Sequence[Sequence[object]]
    schemas: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Schema:
    """What a release knows of one version of an operator.

    `attributes` is None where they never change, `most_inputs` is -1 where nobody asked.
    """

    since: int
    attributes: frozenset[str] | None
    most_inputs: int
    releases: frozenset[Release]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the CPU; `until` None: it serves the version `since` and no other."""

    since: int
    until: int | None
    types: Mapping[str, frozenset[str]]
    releases: frozenset[Release]

    def serves(self, since_version: int) -> bool:
        """Whether it is for nodes of this since-version."""
        if self.until is None:
            return since_version == self.since
        return self.since <= since_version <= self.until


Operator = tuple[str, str]
"""Domain and operator type."""


class Releases:
    """Answers about one release at a time, which must be a measured one.

    `surveyed` is what was measured later, a release or more in each: it goes before the rest.
    """

    def __init__(self, data: ReleaseData, surveyed: Iterable[ReleaseData] = ()) -> None:
        self._shipped = _Measured(data)
        self._parts = dict.fromkeys(self._shipped.all, self._shipped)
        for more in map(_Measured, surveyed):
            self._parts |= dict.fromkeys(more.all, more)
        self.all = tuple(sorted(self._parts))

    @property
    def newest(self) -> Release:
        """The newest release that was measured."""
        return self.all[-1]

    @property
    def newest_shipped(self) -> Release:
        """The newest of the data without surveys: findings about files are held against it."""
        return self._shipped.all[-1]

    def stand_ins(self, release: Release) -> tuple[Release, ...]:
        """The release itself, or its measured neighbours; empty for what is older than all.

        Past the newest there is nothing to go by either.
        """
        at = bisect_left(self.all, release)
        if at < len(self.all) and self.all[at] == release:
            return (release,)
        return self.all[at - 1 : at + 1] if 0 < at < len(self.all) else ()

    def reads(self, release: Release) -> frozenset[int]:
        """The format versions that its full build reads."""
        return self._parts[release].reads(release)

    def writes(self, release: Release) -> frozenset[int]:
        """The format versions that it writes."""
        return self._parts[release].writes(release)

    def highest(self, release: Release, what: str) -> int:
        """The highest `opset`, `ir` or `ai.onnx.ml` version that it accepts."""
        return self._parts[release].highest(release, what)

    def asked(self, part: str, release: Release) -> bool:
        """Whether the release could be asked for one of `PARTS`."""
        return self._parts[release].asked(part, release)

    def holds(self, part: str, item: str, release: Release) -> bool | None:
        """Whether an item of `initializers`, `values` or `actions` is known to the release.

        None where nobody asked, or not for this item.
        """
        found = self._parts[release].holds(part, item, release)
        if found is None and self._parts[release].asked(part, release):
            # Every survey asks for all items that are shipped: what it leaves out was refused.
            return False if self._shipped.lists(part, item) else None
        return found

    def schema(self, operator: Operator, version: int, release: Release) -> Schema | None:
        """The newest schema up to a version that the release has; None where it has none."""
        return self._parts[release].schema(operator, version, release)

    def knows_schemas_of(self, domain: str, release: Release) -> bool:
        """Whether what is missing from the domain's schemas was really not there."""
        return self._parts[release].knows_schemas_of(domain, release)

    def kernels(self, operator: Operator, release: Release) -> list[Kernel]:
        """All kernels of an operator that the release registers for the CPU."""
        return self._parts[release].kernels(operator, release)


class _Measured:
    """The same of one set of data."""

    def __init__(self, data: ReleaseData) -> None:
        self._data = data
        self.all = tuple(_release(text) for text in data["releases"])

    def reads(self, release: Release) -> frozenset[int]:
        return frozenset(self._data["reads"][str(release)])

    def writes(self, release: Release) -> frozenset[int]:
        return frozenset(self._data["writes"][str(release)])

    def highest(self, release: Release, what: str) -> int:
        return self._data["highest"][str(release)][what]

    def asked(self, part: str, release: Release) -> bool:
        return release in self._of(self._data["asked"][part])

    def lists(self, part: str, item: str) -> bool:
        """Whether any release has the item, so that all were asked for it."""
        return bool(self._ranges_of(part, item))

    def holds(self, part: str, item: str, release: Release) -> bool | None:
        ranges = self._ranges_of(part, item)
        if not ranges or not self.asked(part, release):
            return None
        return release in self._of(ranges)

    def _ranges_of(self, part: str, item: str) -> Ranges:
        if part == "actions":
            return self._data["actions"].get(item, ())
        if part == "initializers":
            return self._data["initializers"].get(item, ())
        return self._data["values"].get(item, ())

    def schema(self, operator: Operator, version: int, release: Release) -> Schema | None:
        found = [
            schema
            for schema in self._schemas.get((onnx_domain(operator[0]), operator[1]), ())
            if schema.since <= version and release in schema.releases
        ]
        return max(found, key=lambda schema: schema.since, default=None)

    def knows_schemas_of(self, domain: str, release: Release) -> bool:
        return release in self._schema_domains.get(onnx_domain(domain), frozenset())

    def kernels(self, operator: Operator, release: Release) -> list[Kernel]:
        rows = self._kernels.get((onnx_domain(operator[0]), operator[1]), ())
        return [kernel for kernel in rows if release in kernel.releases]

    @cached_property
    def _schemas(self) -> dict[Operator, list[Schema]]:
        found: dict[Operator, list[Schema]] = {}
        for domain, op_type, since, attributes, _fewest, most, ranges in self._data["schemas"]:
            schema = Schema(
                int(since),  # type: ignore[call-overload]
                None if attributes is None else frozenset(attributes),  # type: ignore[call-overload]
                int(most),  # type: ignore[call-overload]
                self._of(ranges),  # type: ignore[arg-type]
            )
            found.setdefault((str(domain), str(op_type)), []).append(schema)
        return found

    @cached_property
    def _schema_domains(self) -> dict[str, frozenset[Release]]:
        found: dict[str, frozenset[Release]] = {}
        for (domain, _), schemas in self._schemas.items():
            for schema in schemas:
                found[domain] = found.get(domain, frozenset()) | schema.releases
        return found

    @cached_property
    def _kernels(self) -> dict[Operator, list[Kernel]]:
        names = self._data["type_names"]
        found: dict[Operator, list[Kernel]] = {}
        for domain, op_type, since, until, types, ranges in self._data["kernels"]:
            assert isinstance(types, dict)
            kernel = Kernel(
                int(since),  # type: ignore[call-overload]
                None if until is None else int(until),  # type: ignore[call-overload]
                {name: frozenset(names[i] for i in allowed) for name, allowed in types.items()},
                self._of(ranges),  # type: ignore[arg-type]
            )
            found.setdefault((str(domain), str(op_type)), []).append(kernel)
        return found

    @cached_property
    def _ranges(self) -> dict[tuple[str, str], frozenset[Release]]:
        return {}

    def _of(self, ranges: Ranges) -> frozenset[Release]:
        """The measured releases within the ranges."""
        found: frozenset[Release] = frozenset()
        for first, last in ranges:
            key = (first, last)
            if key not in self._ranges:
                low = bisect_left(self.all, _release(first))
                self._ranges[key] = frozenset(
                    self.all[low : bisect_right(self.all, _release(last))]
                )
            found |= self._ranges[key]
        return found


def _release(text: str) -> Release:
    release = Release.parse(text)
    assert release is not None, text
    return release
