"""An open model as text: what a person wants to know at a glance, short even for a big file."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis import resolver, runtime_optimizations
from ortstudio.analysis.runtime_optimizations import SavedOptimization
from ortstudio.analysis.totals import use_text, what_dominates
from ortstudio.analysis.words import count, listed, share, size_text
from ortstudio.cli.page import Page
from ortstudio.model.graph import MAIN_PATH, Graph
from ortstudio.model.model import CheckpointModel, Model
from ortstudio.services.describe.facts import not_set, number
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.document import Document
from ortstudio.services.stamp import KEYS as STAMP_KEYS
from ortstudio.services.stamp import Stamp

ROWS = 12
"""So many rows of a list are shown."""
OPERATORS = 24
TEXT_CHARACTERS = 400
BAR_CHARACTERS = 20

_VERDICT_STYLES = {"portable": "good", "onnxruntime-only": "warning", "this-cpu-family": "warning"}
_SEVERITY_STYLES = {"error": "error", "warning": "warning", "info": "muted"}


def show(document: Document, page: Page) -> None:
    """Write the page."""
    model = document.model
    page.title(
        model.source.path,
        f"{KIND_TEXT[model.kind]}, {size_text(model.source.size)}",
    )
    _damage(model, page)
    _versions(document, page)
    _origin(model, page)
    if model.checkpoint is not None:
        _training_state(model.checkpoint, page)
    if model.ir_version is not None:
        _graph(model, page)
        _operators(document, page)
    _weights(document, page)
    _size(model, page)
    _resolver(document, page)
    _optimizations(document, page)
    if model.ir_version is not None:
        _portability(document, page)
    _findings(document, page)


def _damage(model: Model, page: Page) -> None:
    if model.error is not None:
        page.section("Damaged")
        page.text(f"{model.error}", "error")
        page.text("What can still be read is shown below.")


def _versions(document: Document, page: Page) -> None:
    model = document.model
    page.section("Versions")
    if model.ort is not None:
        _format_version(document, page)
    if model.checkpoint is not None:
        page.fact("Checkpoint version", str(model.checkpoint.version))
    if model.adapter is not None:
        page.fact("Adapter format", str(model.adapter.format_version))
        page.fact("Adapter version", str(model.adapter.adapter_version))
    if model.ir_version is not None:
        page.fact("ONNX IR version", str(model.ir_version))
        page.fact("Opset", _opsets(document))
    if model.checkpoint is None:
        page.fact("Model version", not_set(model.model_version))


def _format_version(document: Document, page: Page) -> None:
    ort, versions = document.model.ort, document.known.versions
    assert ort is not None
    problem = versions.problem(ort.format_version_text, ort.format_version)
    if problem:
        page.fact("ORT format version", f"{ort.format_version_text or 'not stated'}: {problem}")
        return
    written_by = versions.written_by(document.model)
    page.fact(
        "ORT format version", f"{ort.format_version_text}, written by ONNX Runtime {written_by}"
    )
    guess = versions.guess(document.model)
    more = "" if guess is None else f" Perhaps {guess.text}: {guess.why}."
    page.fact("", f"The file does not say which release wrote it.{more}", "muted")


def _opsets(document: Document) -> str:
    """The imported versions that nodes use, and how many are imported beside them."""
    imports = document.model.opset_imports
    used = {domain for graph in document.graphs for domain in graph.nodes.domains}
    shown = [o for o in imports if o.domain in used or not o.domain]
    text = ", ".join(f"{o.domain or 'ai.onnx'} {o.version}" for o in shown) or "none imported"
    hidden = len(imports) - len(shown)
    return f"{text}; {count(hidden, 'more domain')} imported and not used" if hidden else text


def _origin(model: Model, page: Page) -> None:
    if model.ir_version is None:
        return
    page.section("Origin")
    name, version = model.producer_name, model.producer_version
    page.fact("Producer", not_set(name) if not version else f"{not_set(name)}, version {version}")
    page.fact("Domain", not_set(model.domain))
    page.fact("Doc string", _short(not_set(model.doc_string)))
    page.fact("Graph doc string", _short(not_set(model.graph_doc_string)))
    stamp = Stamp.read(model.metadata)
    for i, words in enumerate(stamp.words() if stamp else ()):
        page.fact("" if i else "How it was made", words)
    rows = [f"{key} = {text}" for key, text in model.metadata.items() if key not in STAMP_KEYS]
    for i, row in enumerate(rows[:ROWS]):
        page.fact("" if i else "Metadata", _short(row))
    page.more(len(rows) - ROWS)


def _short(text: str) -> str:
    if len(text) <= TEXT_CHARACTERS:
        return text
    return f"{text[:TEXT_CHARACTERS]}... ({number(len(text))} characters)"


def _training_state(state: CheckpointModel, page: Page) -> None:
    page.section("Training state")
    page.fact("Trained", _names(state.trained_parameters))
    page.fact("Frozen", _names(state.frozen_parameters))
    for group in state.optimizer_groups[:ROWS]:
        rate = f"first learning rate {group.initial_learning_rate:g}"
        parameters = count(len(group.parameters), "parameter")
        page.fact(group.name or "Optimizer", f"step {number(group.step)}, {rate}, {parameters}")
    for entry in state.properties[:ROWS]:
        page.fact(entry.name, _short(str(entry.value)))
    page.more(len(state.properties) - ROWS)


def _names(names: Sequence[str]) -> str:
    return f"{count(len(names), 'parameter')}: {listed(names, ROWS)}" if names else "no parameters"


def _graph(model: Model, page: Page) -> None:
    main = model.main
    page.section("Graph", main.name)
    defaults = {*main.initializers.names, *(s.values.name for s in main.sparse_initializers)}
    inputs = [
        (name, f"{kind} (has a default)" if name in defaults else kind)
        for name, kind in _ends(main, main.inputs.tolist())
    ]
    functions = model.functions
    lists = (
        ("input", inputs),
        ("output", _ends(main, main.outputs.tolist())),
        ("subgraph", [(g.path, count(len(g.nodes), "node")) for g in model.graphs[1:]]),
        ("local function", [(f.body.path, count(len(f.body.nodes), "node")) for f in functions]),
    )
    rows = []
    for what, found in lists:
        rows += [(what, name, text) for name, text in found[:ROWS]]
        if len(found) > ROWS:
            rows.append((what, f"and {number(len(found) - ROWS)} more", ""))
    page.table(rows, styles=("muted", "name"))


def _ends(graph: Graph, ids: Sequence[int]) -> list[tuple[str, str]]:
    values = graph.values
    return [(values.names[i], str(values.types[i] or "type not given")) for i in ids if i >= 0]


def _operators(document: Document, page: Page) -> None:
    totals = document.totals
    page.section("Nodes", f"{number(totals.nodes)}, of {count(len(totals.ops), 'operator')}")
    page.counts(list(totals.ops.items())[:OPERATORS])
    page.more(len(totals.ops) - OPERATORS)


def _weights(document: Document, page: Page) -> None:
    totals = document.totals
    page.section("Initializers", number(totals.initializers + totals.sparse_initializers))
    if totals.sparse_initializers:
        page.fact("Sparse", f"{number(totals.sparse_initializers)} of them")
    page.fact("Parameters", number(totals.parameters))
    kinds = [f"{name} {size_text(size)}" for name, size in totals.bytes_by_type.items()]
    text = f"{number(totals.initializer_bytes)} bytes"
    page.fact("Their size", f"{text}: {listed(kinds, ROWS)}" if kinds else text)
    for i, file in enumerate(document.external_files[:ROWS]):
        there = "missing" if file.size_bytes is None else size_text(file.size_bytes)
        text = f"{file.path}, {there}" + (f": {file.problem}" if file.problem else "")
        page.fact("" if i else "External data", text, "warning" if file.problem else "")
    page.more(len(document.external_files) - ROWS)


def _size(model: Model, page: Page) -> None:
    whole = model.source.size
    page.section("Bytes", number(whole))
    page.text(what_dominates(model))
    rows = sorted(((size, use) for use, size in model.sizes.items() if size), reverse=True)
    page.table(
        [
            (use_text(use), number(size), share(size, whole), _bar(size, whole))
            for size, use in rows[:ROWS]
        ],
        align="lrr",
        styles=("", "", "", "name"),
    )
    page.more(len(rows) - ROWS)


def _bar(part: int, whole: int) -> str:
    return "█" * round(BAR_CHARACTERS * part / whole)


def _resolver(document: Document, page: Page) -> None:
    ort = document.model.ort
    if ort is None:
        return
    page.section("Kernel type resolver")
    if ort.resolver is not None:
        page.text(resolver.summary(document.resolver))
    else:
        page.text("none: formats before 5 have no such table")
    if ort.kernel_hashes:
        page.text(f"{number(len(ort.kernel_hashes))} kernel hashes in its place")


def _optimizations(document: Document, page: Page) -> None:
    saved = document.optimizations
    if not saved:
        return
    page.section("Saved optimizations", runtime_optimizations.summary(saved))
    optimizer = None
    for one in saved[:ROWS]:
        if one.record.optimizer != optimizer:
            optimizer = one.record.optimizer
            page.text(optimizer, "name")
        page.fact(one.record.action, f"{one.text} ({_nodes(one)})")
    page.more(len(saved) - ROWS)
    reasons = dict.fromkeys((one.replays, one.why) for one in saved)
    for replays, why in list(reasons)[:ROWS]:
        page.fact("Replayed", f"{replays}: {why}")
    page.more(len(reasons) - ROWS)


def _nodes(saved: SavedOptimization) -> str:
    """`nodes 3, 4 and 5 of /if/then_branch`."""
    indices = [str(role.node.index) for role in saved.roles if role.node is not None]
    where = "" if saved.graph == MAIN_PATH else f" of {saved.graph}"
    return f"node{'s' * (len(indices) != 1)} {listed(indices, ROWS) or 'none'}{where}"


def _portability(document: Document, page: Page) -> None:
    found = document.portability
    page.section("Portability")
    first, *others = [reason.text for reason in found.reasons]
    page.fact(found.verdict, first, label_style=_VERDICT_STYLES[found.verdict])
    for text in others[:ROWS]:
        page.fact("", text)


def _findings(document: Document, page: Page) -> None:
    """Those that portability has not told already."""
    told = {reason.text for reason in document.portability.reasons}
    found = [finding for finding in document.findings if finding.message not in told]
    page.section("Findings", "" if found else "none")
    for finding in found[:ROWS]:
        where = "" if finding.where in ("", MAIN_PATH) else f" ({finding.where})"
        style = _SEVERITY_STYLES[finding.severity]
        page.fact(finding.severity, f"{finding.message}{where}", label_style=style)
    page.more(len(found) - ROWS)
