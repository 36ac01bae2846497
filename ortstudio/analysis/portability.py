"""Where a model can run, judged by its nodes.

Never by the imported domains: the runtime writes every domain that it knows into every file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from ortstudio.analysis.nchwc import NCHWC_DOMAIN, blocking
from ortstudio.analysis.nodes import NodeRef, Operator, Users, by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import Graph, onnx_domain
from ortstudio.model.model import Model

Verdict = Literal["portable", "onnxruntime-only", "this-cpu-family"]

ONNX_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview")
TRAINING_DOMAINS = ("ai.onnx.training", "ai.onnx.preview.training")


class Tie(Enum):
    """What ties a node to less than all runtimes. The value is the reason's stable code."""

    CPU_FAMILY = "blocked-layout"
    CHANNELS_LAST = "channels-last"
    COMPILED = "compiled-for-provider"
    TRAINING = "training-operator"
    VENDOR = "vendor-operator"
    RUNTIME_ONLY = "not-an-onnx-version"
    UNKNOWN = "unknown-operator"
    CUSTOM = "custom-operator"


_WHAT = {
    Tie.CPU_FAMILY: "blocked layout, which runs only on x64 CPUs with the same block size. Convert"
    " without the amd64 target for a file that runs on every CPU",
    Tie.CHANNELS_LAST: "an internal channels-last form for the provider that asked for it",
    Tie.COMPILED: "a model compiled for one execution provider",
    Tie.TRAINING: "for training; needs a training build of ONNX Runtime",
    Tie.VENDOR: "ONNX Runtime's own, which other runtimes do not know",
    Tie.RUNTIME_ONLY: "a version that ONNX never had and only ONNX Runtime knows",
    Tie.UNKNOWN: "no ONNX operator that this tool knows",
    Tie.CUSTOM: "needs a custom operator library",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason in words, with the nodes that it rests on. `code` is stable."""

    code: str
    text: str
    nodes: tuple[NodeRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Portability:
    """The verdict and its reasons, the strongest first."""

    verdict: Verdict
    reasons: tuple[Reason, ...]


def _tie_of(operator: Operator, known: Operators) -> Tie | None:
    """What ties nodes of this operator; None for plain ONNX. Local functions are not known here."""
    domain = onnx_domain(operator.domain)
    if domain == NCHWC_DOMAIN:
        return Tie.CPU_FAMILY
    if domain == "com.ms.internal.nhwc":
        return Tie.CHANNELS_LAST
    if domain in TRAINING_DOMAINS:
        return Tie.TRAINING
    if domain in ONNX_DOMAINS:
        return _onnx_tie(operator, known)
    if domain == "com.microsoft" and operator.op_type == "EPContext":
        return Tie.COMPILED
    if domain == "com.microsoft" and not known.versions(domain, operator.op_type):
        return Tie.TRAINING
    if domain.startswith("com.microsoft") or domain == "org.pytorch.aten":
        return Tie.VENDOR
    return Tie.CUSTOM


def _onnx_tie(operator: Operator, known: Operators) -> Tie | None:
    versions = known.versions(operator.domain, operator.op_type)
    if known.runtime_only(*operator):
        return Tie.RUNTIME_ONLY
    if not versions or operator.since_version not in (0, *versions):
        return Tie.UNKNOWN
    return None


def portability(
    model: Model, known: Operators, used: Mapping[Operator, Users] | None = None
) -> Portability:
    """Judge a model by all its nodes, those of subgraphs and local functions included.

    `used` are the nodes by operator, where the caller has them already.
    """
    graphs = model.all_graphs
    tied = _tied(model, used or by_operator(graphs), known)
    reasons = [_reason(tie, tied[tie]) for tie in Tie if tie in tied]
    if Tie.CPU_FAMILY in tied:
        reasons[1:1] = _blocking_reasons(graphs)
        return Portability("this-cpu-family", tuple(reasons))
    reasons.append(_portable_reason(model, bool(reasons)))
    return Portability("onnxruntime-only" if tied else "portable", tuple(reasons))


def _tied(
    model: Model, used: Mapping[Operator, Users], known: Operators
) -> dict[Tie, dict[Operator, Users]]:
    """All nodes that anything ties, by what does."""
    local = {(function.domain, function.name) for function in model.functions}
    found: dict[Tie, dict[Operator, Users]] = {}
    for operator, users in used.items():
        if (operator.domain, operator.op_type) in local:
            continue
        tie = _tie_of(operator, known)
        if tie is not None:
            found.setdefault(tie, {})[operator] = users
    return found


def _reason(tie: Tie, operators: dict[Operator, Users]) -> Reason:
    texts = sorted(
        f"{op.text} {op.since_version}" if tie is Tie.RUNTIME_ONLY else op.text for op in operators
    )
    nodes = tuple(ref for users in operators.values() for ref in users.refs())
    return Reason(
        tie.value,
        f"{listed(texts)} ({count(len(nodes), 'node')}): {_WHAT[tie]}",
        nodes,
    )


def _blocking_reasons(graphs: Sequence[Graph]) -> Iterator[Reason]:
    """What the blocked weights tell of the CPU that made them."""
    found = blocking(graphs)
    if found.block == 16:
        yield Reason("block-size", "The block size is 16: made on a CPU of the AVX-512 class")
    elif found.block == 8:
        yield Reason("block-size", "The block size is 8: made on an x64 CPU without AVX-512")
    for real, padded in found.padded:
        yield Reason(
            "padded-weights",
            f"Weights were padded from {real} to {padded} output channels; the original ones are"
            " gone",
        )


def _portable_reason(model: Model, tied: bool) -> Reason:
    """Why no CPU is singled out, and what of the imports must not be taken for the contrary."""
    text = "Portable between CPUs: no node is tied to a CPU family"
    if not tied:
        text = "Every node is an ONNX operator"
    if model.error is not None:
        text = f"Of what can still be read: {text[0].lower()}{text[1:]}"
        if not any(len(graph.nodes) for graph in model.graphs):
            text = "No node can be read, so this says nothing of the model"
    if any(row.domain == NCHWC_DOMAIN for row in model.opset_imports):
        text += (
            f"; {NCHWC_DOMAIN} is imported but not used,"
            " since the runtime writes every domain that it knows"
        )
    return Reason("no-tied-node", text)
