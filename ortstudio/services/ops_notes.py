"""What should be known of a source before a build trusts its operator config."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.kernel_types import GLOBAL_TYPES, tracked
from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.replay_products import products
from ortstudio.analysis.required_operators import RequiredOperators, name_of
from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import count, listed
from ortstudio.model.model import FileKind, Model
from ortstudio.services.knowledge import knowledge
from ortstudio.services.operator_config import OperatorConfig

COMMENTS = {
    "from-onnx": "ONNX: operators that fusion makes are missing",
    "replay-counted-in": "whether saved optimizations are replayed or not",
}
"""What the head of a config says of a source that has such a note, by the note's code."""


def notes_on_model(model: Model, required: RequiredOperators, *, types: bool) -> list[Finding]:
    """What to know of what a model needs; `types` where they were asked for."""
    notes = [*_of_kind(model), *_optimizations(model), *_unknown(required)]
    return [*notes, *_types(required)] if types else notes


def notes_on_config(config: OperatorConfig) -> list[Finding]:
    """What a build would make of a config otherwise than its text seems to say."""
    notes = []
    lost = config.overridden()
    if lost:
        entries = listed([f"{entry.operator.text} in line {entry.line}" for entry in lost])
        message = (
            "A build takes the types of an operator from its last entry only, and loses some of"
            f" {entries}. Merging unites them"
        )
        notes.append(Finding("warning", "types-overridden", message))
    if not config.entries and not config.all_if_none:
        message = "It lists no operator: a build by this config alone has none and runs no model"
        notes.append(Finding("warning", "no-operators", message))
    return notes


def _of_kind(model: Model) -> Iterator[Finding]:
    if model.kind is FileKind.ONNX:
        yield Finding(
            "warning",
            "from-onnx",
            "ONNX Runtime fuses operators when it converts or loads an ONNX model: those that this"
            " makes are missing here. Convert the model, and take the config from the .ort",
        )
    version = model.ort.format_version if model.ort else None
    if version is not None and version < FIRST_VERSION:
        yield Finding(
            "warning",
            "older-than-format-5",
            f"Minimal builds since 1.13 refuse format {version}. Upgrade the file, or convert its"
            " source again",
        )


def _optimizations(model: Model) -> Iterator[Finding]:
    made = list(dict.fromkeys(product.operator.text for product in products(model)))
    if made:
        yield Finding(
            "info",
            "replay-counted-in",
            f"Saved optimizations are counted in: replaying them needs {listed(made, at_most=8)}",
        )


def _unknown(required: RequiredOperators) -> Iterator[Finding]:
    known = knowledge().operators
    domains = {operator.domain for operator in required.operators}
    custom = sorted(domain for domain in domains if not known.knows_domain(domain))
    if custom:
        yield Finding(
            "info",
            "custom-operators",
            f"Kernels of {listed(custom)} come with a custom operator library, whatever the config"
            " lists",
        )
    unknown = [
        f"{operator.text} {operator.since_version}"
        for operator in required.operators
        if operator.domain not in custom
        and operator.since_version not in known.versions(operator.domain, operator.op_type)
    ]
    if unknown:
        yield Finding(
            "warning",
            "unknown-version",
            f"Not a version of an operator that this tool knows: {listed(unknown)}",
        )


def _types(required: RequiredOperators) -> Iterator[Finding]:
    untold = sorted(
        {operator.text for operator in required.operators if _is_untold(operator, required)}
    )
    if untold:
        yield Finding(
            "warning",
            "types-not-known",
            f"The file does not say all types of {listed(untold)}: a build keeps all of them for"
            f" {count(len(untold), 'operator')}",
        )
    beyond = sorted(_kinds(required) - GLOBAL_TYPES)
    if beyond:
        yield Finding(
            "info",
            "types-beyond-upstream",
            f"Upstream's own tools stop at the types {listed(beyond)}; its build takes them from"
            " this config",
        )


def _is_untold(operator: Operator, required: RequiredOperators) -> bool:
    return name_of(operator) not in required.types and tracked(*name_of(operator)) is not None


def _kinds(required: RequiredOperators) -> set[str]:
    """Every type that is named anywhere, but for maps."""
    found: set[str] = set()
    for types in required.types.values():
        for side in (types.inputs, types.outputs):
            found.update(kind for kinds in side.values() for kind in kinds)
        found.update(kind for kinds in types.together or () for kind in kinds)
    return {kind for kind in found if not kind.startswith("std::map")}
