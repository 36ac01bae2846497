"""Checks of operators: their domains, their versions, and what ties them to fewer runtimes."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, Severity
from ortstudio.analysis.nodes import NodeRef, Operator
from ortstudio.analysis.portability import Tie, portability
from ortstudio.analysis.words import count, listed

_SEVERITIES: dict[str, Severity] = {
    Tie.CPU_FAMILY.value: "warning",
    Tie.CHANNELS_LAST.value: "warning",
    Tie.COMPILED.value: "warning",
    Tie.TRAINING.value: "error",
    Tie.UNKNOWN.value: "error",
    Tie.CUSTOM.value: "warning",
    Tie.VENDOR.value: "info",
    Tie.RUNTIME_ONLY.value: "info",
}

UNLISTED = ("com.ms.internal.nhwc",)
"""A domain whose operators the runtime makes without importing it."""

VERSIONED = ("", "ai.onnx.ml")
"""Domains whose versions grow, so that an import can be newer than a release."""


def check_ties(subject: Subject) -> Iterator[Finding]:
    """The reasons of the portability verdict that rest on nodes."""
    used = None if subject.model.functions else subject.used
    found = portability(subject.model, subject.operators, used)
    for reason in found.reasons:
        severity = _SEVERITIES.get(reason.code)
        if severity is not None:
            yield Finding(severity, reason.code, reason.text, nodes=reason.nodes)


def check_imports(subject: Subject) -> Iterator[Finding]:
    """Every operator's domain must be imported, at a version that the newest release knows.

    The version of a node counts for minimal builds; a full build looks its operator up by the
    imported version, so both should say the same.
    """
    imported, used = subject.imported, subject.used
    not_imported: dict[str, list[NodeRef]] = {}
    for operator, users in used.items():
        if operator.domain not in imported and operator.domain not in UNLISTED:
            not_imported.setdefault(operator.domain, []).extend(users.refs())
    for domain, nodes in not_imported.items():
        text = f"{domain or 'ai.onnx'} is not imported, but {count(len(nodes), 'node')} need it"
        yield Finding("error", "domain-not-imported", text, "opset_import", None, tuple(nodes))
    for domain in VERSIONED:
        version, newest = imported.get(domain, 0), subject.operators.newest(domain)
        if version > newest and any(operator.domain == domain for operator in used):
            text = f"Opset {version} of {domain or 'ai.onnx'} is newer than release 1.32 knows"
            yield Finding("error", "opset-newer-than-known", f"{text} ({newest})", "opset_import")
    if subject.is_ort:
        yield from _stale_versions(subject)


def _stale_versions(subject: Subject) -> Iterator[Finding]:
    """Nodes whose own version is not what a full build takes for them."""
    stale: dict[Operator, int] = {}
    for operator in subject.used:
        version = subject.imported.get(operator.domain, 0)
        since = subject.operators.since(operator.domain, operator.op_type, version)
        if since and since != operator.since_version:
            stale[operator] = since
    if stale:
        texts = [f"{op.text} {op.since_version} (not {since})" for op, since in stale.items()]
        nodes = [ref for op in stale for ref in subject.used[op].refs()]
        text = f"Nodes state other versions than the imports stand for: {listed(texts)}"
        yield Finding("warning", "version-not-of-import", text, "opset_import", None, tuple(nodes))
