"""What is known of operators beyond the file: their versions, parameters and families.

The data is `operators.json`, made from the schemas of onnx and onnxruntime.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ortstudio.model.graph import onnx_domain

OTHER = "other"
"""The family of every operator that is in none."""


class OperatorData(TypedDict):
    """`operators.json`, parsed: domain → operator → since-version → formal parameters as text."""

    made_with: Mapping[str, str]
    families: Mapping[str, Sequence[str]]
    runtime_only: Mapping[str, Mapping[str, Sequence[int]]]
    operators: Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal parameter. `constraint` is a type constraint's name (`T`) or one type's text."""

    name: str
    constraint: str
    optional: bool
    variadic: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The formal inputs and outputs of one version of an operator."""

    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]


class Operators:
    """Answers from the parsed data. Nothing is worked out before it is asked for."""

    def __init__(self, data: OperatorData) -> None:
        self._data = data
        self._versions: dict[tuple[str, str], tuple[int, ...]] = {}
        self._families = {
            op_type: family for family, op_types in data["families"].items() for op_type in op_types
        }

    def versions(self, domain: str, op_type: str) -> tuple[int, ...]:
        """The since-versions that exist, lowest first; empty for an operator not known."""
        key = (onnx_domain(domain), op_type)
        found = self._versions.get(key)
        if found is None:
            rows = self._data["operators"].get(key[0], {}).get(op_type, {})
            found = self._versions[key] = tuple(sorted(map(int, rows)))
        return found

    def since(self, domain: str, op_type: str, opset: int) -> int:
        """The since-version that an opset import stands for; 0 where that is not known."""
        versions = self.versions(domain, op_type)
        place = bisect.bisect_right(versions, opset)
        return versions[place - 1] if place else 0

    def knows_domain(self, domain: str) -> bool:
        """Whether any operator of the domain is known."""
        return onnx_domain(domain) in self._data["operators"]

    def newest(self, domain: str) -> int:
        """The highest since-version of any operator of the domain; 0 for a domain not known."""
        rows = self._data["operators"].get(onnx_domain(domain), {})
        return max((int(since) for versions in rows.values() for since in versions), default=0)

    def runtime_only(self, domain: str, op_type: str, since_version: int) -> bool:
        """Whether ONNX Runtime keeps this version in ONNX's own domain without ONNX having it."""
        rows = self._data["runtime_only"].get(onnx_domain(domain), {})
        return since_version in rows.get(op_type, ())

    def family(self, domain: str, op_type: str) -> str:
        """One of the six families of `operators.json`, or `other`.

        Products of matrices, attention and recurrent layers count as convolution: the heavy work.
        A custom operator is in no family, whatever it is called.
        """
        return self._families.get(op_type, OTHER) if self.knows_domain(domain) else OTHER

    def signature(self, domain: str, op_type: str, since_version: int) -> Signature | None:
        """Formal parameters of exactly this version; None where it is not known."""
        rows = self._data["operators"].get(onnx_domain(domain), {}).get(op_type, {})
        text = rows.get(str(since_version))
        if text is None:
            return None
        inputs, outputs = text.split(">")
        return Signature(_formals(inputs), _formals(outputs))


def _formals(text: str) -> tuple[Formal, ...]:
    """Parse `X:T B:T? rest:T*`."""
    formals = []
    for word in text.split():
        name, constraint = word.split(":", 1)
        formals.append(
            Formal(name, constraint.rstrip("?*"), word.endswith("?"), word.endswith("*"))
        )
    return tuple(formals)
