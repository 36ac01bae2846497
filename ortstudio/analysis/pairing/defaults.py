"""Which attributes have a default value: one that is left out equals one that is spelled out."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from typing import cast

from ortstudio.model.graph import AttributeValue, onnx_domain

Default = int | float | str | Sequence[int] | Sequence[float] | Sequence[str]
DefaultData = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Default]]]]
"""`attribute_defaults.json`, parsed: domain → operator → since-version → attribute → value."""


class Defaults:
    """Answers from the parsed data."""

    def __init__(self, data: DefaultData) -> None:
        self._data = data
        self._found: dict[tuple[str, str, int], Mapping[str, AttributeValue]] = {}

    def of(self, domain: str, op_type: str, since_version: int) -> Mapping[str, AttributeValue]:
        """The defaults of one version of an operator; those of its newest where 0 is asked for."""
        key = (onnx_domain(domain), op_type, since_version)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(*key)
        return found

    def _look_up(self, domain: str, op_type: str, since: int) -> Mapping[str, AttributeValue]:
        versions = self._data.get(domain, {}).get(op_type, {})
        numbers = sorted(map(int, versions))
        place = bisect.bisect_right(numbers, since) if since else len(numbers)
        if not place:
            return {}
        row = versions[str(numbers[place - 1])]
        return {name: _value(default) for name, default in row.items()}


def _value(default: Default) -> AttributeValue:
    if isinstance(default, str):
        return default.encode()
    if isinstance(default, int | float):
        return default
    values = tuple(one.encode() if isinstance(one, str) else one for one in default)
    return cast(AttributeValue, values)
