"""The answers about one file as text."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.words import count, listed
from ortstudio.cli.output import Output
from ortstudio.cli.page import Page
from ortstudio.model.graph import MAIN_PATH
from ortstudio.services.check import Check, ConfigCheck
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.operator_config import types_words

ROWS = 40
_STYLES = {"error": "error", "warning": "warning", "info": "muted"}
_VERDICT_STYLES = {"portable": "good", "onnxruntime-only": "warning", "this-cpu-family": "warning"}
_LOADS = {
    "yes": ("loads", "good"),
    "no": ("does not load", "error"),
    "not known": ("not known", "warning"),
}


def show(found: Check, output: Output) -> None:
    """Each question with its answer."""
    page = Page(output)
    page.title(found.path, KIND_TEXT[found.kind])
    _soundness(found, page)
    first, *others = [reason.text for reason in found.portability.reasons]
    verdict = found.portability.verdict
    page.section("Portability")
    page.fact(verdict, first, label_style=_VERDICT_STYLES[verdict])
    for text in others[:ROWS]:
        page.fact("", text)
    if found.runtime is not None:
        _runtime(found.runtime, page)
        for way in found.ways_out:
            page.fact("way out", way.text if way.command else f"{way.text}.")
            if way.command:
                page.fact("", way.command)
    if found.config is not None:
        _config(found.config, page)


def _soundness(found: Check, page: Page) -> None:
    told = {reason.text for reason in found.portability.reasons}
    findings = [one for one in found.findings if one.message not in told]
    errors = sum(one.severity == "error" for one in findings)
    page.section("Soundness")
    if errors:
        page.fact("not sound", f"{count(errors, 'error')}, named below", label_style="error")
    else:
        page.fact("sound", "no errors", label_style="good")
    for finding in findings[:ROWS]:
        page.fact(finding.severity, _placed(finding), label_style=_STYLES[finding.severity])
    page.more(len(findings) - ROWS)


def _runtime(found: Compatibility, page: Page) -> None:
    build = "" if found.build == "full" else f", {found.build} build"
    page.section("ONNX Runtime", f"{found.release}{build}")
    label, style = _LOADS[found.loads]
    page.fact(label, f"{found.why}.", label_style=style)
    if found.words:
        page.fact("it says", found.words, "muted")
    for warning in found.warnings:
        page.fact("warning", f"{warning}.", label_style="warning")
    if found.loads != "not known":
        basis = "measurements of" if found.evidence == "measured" else "rules for"
        page.fact("from", f"the file's contents and {basis} this release; nothing was run", "muted")


def _placed(finding: Finding) -> str:
    where = "" if finding.where in ("", MAIN_PATH) else f" ({finding.where})"
    return f"{finding.message}{where}"


def _config(found: ConfigCheck, page: Page) -> None:
    page.section("Operator config", found.path)
    if found.covered:
        page.fact("covered", "a build by it has all operators and types", label_style="good")
    elif found.covered is None:
        text = "the file does not say enough of its nodes"
        page.fact("not known", text, label_style="warning")
    else:
        number = len(found.coverage.missing)
        whose = "its" if number == 1 else "their"
        text = f"a build by it lacks {count(number, 'operator')} or {whose} types"
        page.fact("not covered", text, label_style="error")
    for row in found.coverage.missing[:ROWS]:
        what = "the operator" if row.types is None else types_words(row.types)
        version = f"{row.operator.text} {row.operator.since_version}"
        when = "when saved optimizations are replayed at" if row.on_replay else "for"
        page.fact(version, f"{what}, {when} {_nodes(row.nodes)}")
    page.more(len(found.coverage.missing) - ROWS)
    if found.coverage.unknown:
        text = f"those of {_nodes(found.coverage.unknown)}, which the config limits"
        page.fact("types not known", text, label_style="warning")
    if found.unused:
        named = [f"{operator.text} {operator.since_version}" for operator, _ in found.unused]
        page.fact("not used here", listed(named, 8), "muted")
    for note in found.notes:
        page.fact(note.severity, f"{note.message}.", label_style=_STYLES[note.severity])


def _nodes(nodes: Sequence[NodeRef]) -> str:
    names = [f"#{n.index}" if n.graph == MAIN_PATH else f"{n.graph} #{n.index}" for n in nodes]
    return f"{count(len(nodes), 'node')} ({listed(names)})"
