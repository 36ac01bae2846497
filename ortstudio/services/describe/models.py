"""Facts about a whole file."""

from __future__ import annotations

from ortstudio.analysis.totals import use_text
from ortstudio.analysis.words import share, size_text
from ortstudio.model.model import FileKind, Model
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe.facts import (
    Fact,
    Section,
    exact_size,
    not_set,
    number,
    sections,
)
from ortstudio.services.describe.graphs import linked_nodes
from ortstudio.services.document import Document
from ortstudio.services.stamp import Stamp

KIND_TEXT = {
    FileKind.ORT: "ORT format model",
    FileKind.ONNX: "ONNX model",
    FileKind.CHECKPOINT: "training checkpoint",
    FileKind.ADAPTER: "LoRA adapter",
}


def describe_model(document: Document, _ref: Ref) -> tuple[Section, ...]:
    """The file, its versions, what is in it and how that fills it."""
    model = document.model
    return sections(
        Section("File", _file(document)),
        _damage(model),
        Section("Versions", _versions(document)),
        Section("Made by", _producer(model)) if model.graphs and model.ir_version else None,
        Section("Description", text=model.doc_string or ""),
        Section("Graph description", text=model.graph_doc_string or ""),
        Section("Contents", _contents(document)),
        _checkpoint(model),
        _portability(document),
        Section("Bytes", _bytes(document)),
        _external(document),
    )


def _file(document: Document) -> tuple[Fact, ...]:
    model = document.model
    facts = [
        Fact("Name", document.path.name, mono=True, tip=str(document.path)),
        Fact("Folder", str(document.path.absolute().parent), mono=True),
        Fact("Kind", KIND_TEXT[model.kind]),
        Fact("Size", exact_size(model.source.size)),
    ]
    if document.external_files:
        facts.append(Fact("With external data", exact_size(document.size_bytes)))
    return tuple(facts)


def _damage(model: Model) -> Section | None:
    if model.error is None:
        return None
    return Section("Damaged", text=f"{model.error}\nWhat can still be read is shown.")


def _versions(document: Document) -> tuple[Fact, ...]:
    model = document.model
    facts = []
    if model.ort is not None:
        versions = document.known.versions
        facts.append(Fact("ORT format version", model.ort.format_version_text or "not stated"))
        problem = versions.problem(model.ort.format_version_text, model.ort.format_version)
        if problem:
            facts.append(Fact("", problem[0].upper() + problem[1:]))
        else:
            releases = f"ONNX Runtime {versions.written_by(model)}"
            facts.append(Fact("Written by", releases, note="the file does not say which of them"))
        guess = versions.guess(model)
        if guess is not None:
            facts.append(Fact("Perhaps by", guess.text, note=guess.why))
    if model.checkpoint is not None:
        facts.append(Fact("Checkpoint version", str(model.checkpoint.version)))
    if model.adapter is not None:
        facts.append(Fact("Adapter format version", str(model.adapter.format_version)))
        facts.append(Fact("Adapter version", str(model.adapter.adapter_version)))
    if model.ir_version is not None:
        facts.append(Fact("ONNX IR version", str(model.ir_version)))
        opset = next((o.version for o in model.opset_imports if not o.domain), None)
        facts.append(Fact("ONNX opset", not_set(opset), Ref(RefKind.OPSETS)))
    if model.ir_version is not None or model.adapter is not None:
        facts.append(Fact("Model version", not_set(model.model_version)))
    return tuple(facts)


def _producer(model: Model) -> tuple[Fact, ...]:
    stamp = Stamp.read(model.metadata)
    words = stamp.words() if stamp else ()
    return (
        *(Fact("" if i else "How it was made", text) for i, text in enumerate(words)),
        Fact("Producer", not_set(model.producer_name)),
        Fact("Producer version", not_set(model.producer_version)),
        Fact("Domain", not_set(model.domain), mono=bool(model.domain)),
    )


def _contents(document: Document) -> tuple[Fact, ...]:
    model, totals = document.model, document.totals
    facts = []
    if totals.nodes:
        facts.append(Fact("Nodes", number(totals.nodes), Ref(RefKind.GRAPH)))
    if len(model.graphs) > 1:
        facts.append(Fact("Graphs", number(len(model.graphs))))
    facts += [
        Fact("Initializers", number(totals.initializers)),
        Fact("Parameters", number(totals.parameters)),
        Fact("Their size", size_text(totals.initializer_bytes)),
    ]
    facts += [Fact(f"  as {t}", size_text(size)) for t, size in totals.bytes_by_type.items()]
    if model.ort is not None:
        if model.ort.resolver is not None:
            entries = number(len(model.ort.resolver))
            facts.append(Fact("Kernel type resolver", f"{entries} operators"))
        if document.optimizations:
            facts.append(Fact("Saved optimizations", number(len(document.optimizations))))
        if model.ort.kernel_hashes:
            facts.append(Fact("Kernel hashes", number(len(model.ort.kernel_hashes))))
    return tuple(facts)


def _checkpoint(model: Model) -> Section | None:
    if model.checkpoint is None:
        return None
    found = model.checkpoint
    facts = [
        Fact("Trained parameters", number(len(found.trained_parameters))),
        Fact("Frozen parameters", number(len(found.frozen_parameters))),
    ]
    facts += [
        Fact(
            group.name or "Optimizer group",
            f"step {number(group.step)}, first learning rate {group.initial_learning_rate:g},"
            f" {number(len(group.parameters))} parameters",
        )
        for group in found.optimizer_groups
    ]
    facts += [Fact(entry.name, str(entry.value)) for entry in found.properties]
    return Section("Training state", tuple(facts))


def _portability(document: Document) -> Section | None:
    """The reasons of the verdict, and the nodes that they rest on."""
    if document.model.kind not in (FileKind.ORT, FileKind.ONNX):
        return None
    reasons = document.portability.reasons
    nodes = [node for reason in reasons for node in reason.nodes]
    text = " ".join(f"{reason.text}." for reason in reasons)
    return Section("Portability", linked_nodes(document, nodes), text)


def _bytes(document: Document) -> tuple[Fact, ...]:
    model = document.model
    rows = sorted(model.sizes.items(), key=lambda row: -row[1])
    return tuple(
        Fact(
            use_text(use)[0].upper() + use_text(use)[1:],
            f"{size_text(size)} · {share(size, model.source.size)}",
            tip=f"{number(size)} bytes",
        )
        for use, size in rows
        if size
    )


def _external(document: Document) -> Section:
    return Section(
        "External data",
        tuple(
            Fact(
                file.path,
                file.problem or size_text(file.size_bytes or 0),
                mono=True,
            )
            for file in document.external_files
        ),
    )


def describe_opsets(document: Document, _ref: Ref) -> tuple[Section, ...]:
    """The imported operator sets, those in use first."""
    model = document.model
    used = {domain for graph in document.graphs for domain in graph.nodes.domains}
    ordered = sorted(model.opset_imports, key=lambda o: (o.domain not in used, o.domain))
    facts = tuple(
        Fact(
            o.domain or "ai.onnx",
            f"version {o.version}" + ("" if o.domain in used else ", no node uses it"),
            mono=True,
        )
        for o in ordered
    )
    note = ""
    if model.ort is not None:
        note = (
            "The runtime writes every domain it knows into every file, so an import alone says"
            " nothing about what the model needs."
        )
    return (Section("Imported operator sets", facts, note),)


def describe_metadata(document: Document, _ref: Ref) -> tuple[Section, ...]:
    """The metadata entries of the model."""
    facts = tuple(Fact(key, text) for key, text in document.model.metadata.items())
    return (Section("Metadata", facts, "" if facts else "The model has no metadata."),)
