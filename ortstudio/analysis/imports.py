"""The operator sets that a model's nodes need, which are seldom those that an `.ort` lists."""

from __future__ import annotations

from collections.abc import Iterable

from ortstudio.analysis.nodes import Operator, by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.model.graph import OpsetImport, onnx_domain
from ortstudio.model.model import Model


def needed_imports(model: Model, known: Operators) -> tuple[OpsetImport, ...]:
    """One import for ONNX's own domain and for every other that nodes use, at any depth.

    The listed version stays where every operator means under it what its node says. Else, and for
    a domain that is not listed, it is the lowest that has all of them.
    """
    listed = {row.domain: row.version for row in reversed(model.opset_imports)}
    used: dict[str, list[Operator]] = {"": []}
    for operator in by_operator(model.graphs):
        used.setdefault(onnx_domain(operator.domain), []).append(operator)
    return tuple(
        OpsetImport(domain, _version(listed.get(domain), used[domain], known))
        for domain in sorted(used)
    )


def _version(listed: int | None, operators: Iterable[Operator], known: Operators) -> int:
    if listed is not None and all(_means(listed, operator, known) for operator in operators):
        return listed
    return max(1, *(operator.since_version for operator in operators))


def _means(version: int, operator: Operator, known: Operators) -> bool:
    """Whether the operator of this name in this version of the set is the one meant."""
    domain, op_type, since_version = operator
    if since_version > version:
        return False
    if since_version not in known.versions(domain, op_type):
        return True
    return known.since(domain, op_type, version) == since_version
