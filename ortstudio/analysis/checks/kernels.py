"""Checks of the kernel type resolver and of the saved runtime optimizations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, Severity
from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.resolver import FIRST_VERSION, missing, parse_op_id, unused
from ortstudio.analysis.runtime_optimizations import (
    WHEN_ENABLED,
    SavedOptimization,
    explain,
    summary,
)
from ortstudio.analysis.words import count, listed

WHERE = "kernel_type_str_resolver"


def check_resolver(subject: Subject) -> Iterator[Finding]:
    """Every operator in use must be in it, once, under a well-formed name."""
    ort = subject.model.ort
    if ort is None:
        return
    if ort.resolver is None:
        is_new = ort.format_version is not None and ort.format_version >= FIRST_VERSION
        if is_new and any(len(graph.nodes) for graph in subject.model.graphs):
            text = "The file has no kernel type resolver, which its format version needs"
            yield Finding("error", "resolver-missing", text, WHERE)
        return
    names = [entry.op_id for entry in ort.resolver]
    malformed = [repr(name) for name in names if parse_op_id(name) is None]
    if malformed:
        text = f"{listed(malformed)} is no operator identifier (domain:op_type:since_version)"
        yield Finding("error", "resolver-entry-malformed", text, WHERE)
    twice = [name for name, uses in Counter(names).items() if uses > 1]
    if twice:
        text = f"The kernel type resolver names {listed(twice)} more than once"
        yield Finding("error", "resolver-entry-twice", text, WHERE)
    yield from _missing(subject)
    yield from _unused(subject)


def _missing(subject: Subject) -> Iterator[Finding]:
    """A full build looks up the version that the imports stand for, a minimal one the node's."""
    full = {operator: _imported(subject, operator) for operator in subject.used}
    lacking = set(missing(subject.model, full.values()))
    refused = {operator: looked_up for operator, looked_up in full.items() if looked_up in lacking}
    if refused:
        text = "the runtime finds no kernel"
        yield _no_entry(subject, "error", "resolver-entry-missing", refused, text)
    stale = {op: op for op in missing(subject.model, subject.used) if op not in refused}
    if stale:
        text = "minimal builds find no kernel; full builds go by the imported opset"
        yield _no_entry(subject, "warning", "resolver-entry-stale", stale, text)


def _imported(subject: Subject, operator: Operator) -> Operator:
    """The operator at the version that the imports stand for; as it is where that is not known."""
    version = subject.imported.get(operator.domain, 0)
    since = subject.operators.since(operator.domain, operator.op_type, version)
    return operator._replace(since_version=since or operator.since_version)


def _no_entry(
    subject: Subject, severity: Severity, code: str, lacking: dict[Operator, Operator], text: str
) -> Finding:
    """`lacking` maps operators of nodes to those that are looked up for them."""
    names = listed(sorted({looked_up.op_id for looked_up in lacking.values()}))
    nodes = tuple(ref for operator in lacking for ref in subject.used[operator].refs())
    message = f"The kernel type resolver has no entry for {names}"
    message += f" ({count(len(nodes), 'node')}): {text}"
    return Finding(severity, code, message, WHERE, None, nodes)


def _unused(subject: Subject) -> Iterator[Finding]:
    looked_up = (_imported(subject, operator) for operator in subject.used)
    left = unused(subject.model, [*subject.used, *looked_up])
    if left:
        text = (
            f"No node uses the kernel type resolver's {listed(left)}: saved optimizations may"
            " have been lost when the file was saved again"
        )
        yield Finding("info", "resolver-entry-unused", text, WHERE)


def check_optimizations(subject: Subject) -> Iterator[Finding]:
    """Saved runtime optimizations: that there are some, and which cannot be replayed."""
    saved = explain(subject.model)
    if not saved:
        return
    text = f"{summary(saved)}."
    if any(one.replays != "no" for one in saved):
        text += f" {WHEN_ENABLED}"
    yield Finding("info", "saved-optimizations", text, "runtime_optimizations")
    alike: dict[tuple[str, str, str], list[SavedOptimization]] = {}
    for one in saved:
        for problem in one.problems:
            alike.setdefault((one.graph, problem.code, problem.text), []).append(one)
    for (graph, code, text), records in alike.items():
        actions = listed([f"{r.record.optimizer} {r.record.action}" for r in records])
        nodes = {role.node: None for r in records for role in r.roles if role.node is not None}
        yield Finding(
            "info" if code == "older-than-format-5" else "warning",
            f"saved-optimization-{code}",
            f"{actions}: {text}",
            graph,
            records[0].record.offset,
            tuple(nodes),
        )
