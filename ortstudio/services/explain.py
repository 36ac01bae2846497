"""What a runtime's message means, for a file if one is given, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.runtime_messages import Recognized, recognize, release_in, without_noise
from ortstudio.analysis.words import count, listed
from ortstudio.errors import DONE_NO, DONE_YES, StudioError
from ortstudio.model.model import FileKind
from ortstudio.services.compatibility import answer, judge, releases, strip
from ortstudio.services.document import Document, open_document
from ortstudio.services.paths import is_file

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class FileFact:
    """What the file says of the message; `nodes` are those that it is about."""

    text: str
    nodes: tuple[NodeRef, ...] = ()

    def to_json(self) -> Json:
        """One entry of the answer's `file.facts`."""
        nodes = [{"graph": node.graph, "index": node.index} for node in self.nodes]
        return {"text": self.text, "nodes": nodes}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The meaning of a message. `release` is the one that says of itself that it speaks.

    `ways_out` are those of the file with that release, where it is known to refuse it.
    """

    said: str
    recognized: tuple[Recognized, ...]
    release: str | None = None
    path: str | None = None
    facts: tuple[FileFact, ...] = ()
    ways_out: tuple[str, ...] = ()

    @property
    def meaning(self) -> str:
        """In plain words; of a text that is not known the runtime's own, without its noise."""
        if self.recognized:
            return self.recognized[0].meaning
        return f"Not recognized: {without_noise(self.said)}"

    @property
    def what_to_do(self) -> tuple[str, ...]:
        """The file's own ways out, else the advice of everything that was recognized."""
        hints = dict.fromkeys(one.hint for one in self.recognized if one.hint)
        return self.ways_out or tuple(hints)

    @property
    def exit_code(self) -> int:
        """The exit code of the command line's contract."""
        return DONE_YES if self.recognized else DONE_NO

    def to_json(self) -> Json:
        """The command line's answer."""
        file = None
        if self.path is not None:
            file = {"path": self.path, "facts": [fact.to_json() for fact in self.facts]}
        return {
            "schema": "ortstudio/explain@1",
            "said": self.said,
            "recognized": bool(self.recognized),
            "code": self.recognized[0].code if self.recognized else None,
            "meaning": self.meaning,
            "what_to_do": list(self.what_to_do),
            "also": [{"code": one.code, "meaning": one.meaning} for one in self.recognized[1:]],
            "release": self.release,
            "file": file,
        }


def explain(said: str, path: Path | None = None) -> Explanation:
    """Explain a message. Raises StudioError where the file is not there or cannot be opened."""
    found, release = recognize(said), release_in(said)
    if path is None:
        return Explanation(said, found, release)
    try:
        document = open_document(path)
    except StudioError as error:
        if not is_file(path):
            raise
        # A file that cannot be read is the very cause of most messages.
        return Explanation(said, found, release, str(path), (FileFact(error.message),))
    return explain_document(said, document)


def explain_document(said: str, document: Document) -> Explanation:
    """Explain a message for a file that is open."""
    found, release = recognize(said), release_in(said)
    facts = list(_facts(document, found))
    refused = _refused(document, found, release)
    if refused is not None and refused.build == "minimal":
        facts.insert(0, FileFact(f"A full build of {release} loads it: this was a minimal build"))
    ways = () if refused is None else judge(document, refused.build).ways_out(refused)
    sentences = tuple(way.sentence for way in ways)
    return Explanation(said, found, release, str(document.path), tuple(facts), sentences)


def _refused(
    document: Document, found: tuple[Recognized, ...], release: str | None
) -> Compatibility | None:
    """The answer of the build that must have said it: the full one, if that refuses the file."""
    known = None if release is None else Release.parse(release)
    if known is None or not any(_is_about(document, one) for one in found):
        return None
    full, minimal = answer(document, known), answer(document, known, "minimal")
    if full.loads == "no":
        return full
    return minimal if full.loads == "yes" and minimal.loads == "no" else None


def _is_about(document: Document, one: Recognized) -> bool:
    """Whether a release may well say it of this file, because of what that release is."""
    ort, version = document.model.ort, one.names.get("version")
    if one.code == "format-not-read":
        return ort is not None and ort.format_version_text == version
    return one.code in _OF_RELEASE


def _facts(document: Document, found: tuple[Recognized, ...]) -> Iterator[FileFact]:
    if document.model.error is not None:
        yield FileFact(f"The file is damaged: {document.model.error.message}")
        return
    told = False
    for one in found:
        for fact in _BY_CODE.get(one.code, _nothing)(document, one):
            told = True
            yield fact
    if not told:
        yield from _findings(document)


def _nothing(_document: Document, _one: Recognized) -> Iterator[FileFact]:
    yield from ()


def _findings(document: Document) -> Iterator[FileFact]:
    """Where the message leads to nothing in the file: its errors, or that it has none."""
    errors = [finding for finding in document.findings if finding.severity == "error"]
    for finding in errors[:3]:
        yield FileFact(finding.message, finding.nodes)
    if not errors:
        yield FileFact("This file is sound, as far as can be seen without running it")


def _whole_file(document: Document, _one: Recognized) -> Iterator[FileFact]:
    """The file that was refused as no model: it is one here."""
    suffix = document.path.suffix.lower()
    if document.model.kind is FileKind.ORT and suffix != ".ort":
        yield FileFact(
            "The file is in ORT format, and its name does not end in .ort: by path the runtime"
            " then reads it as ONNX. Rename it, or set session.load_model_format to ORT"
        )
    elif document.model.kind is FileKind.ONNX and suffix == ".ort":
        yield FileFact(
            "The file is an ONNX model, and its name ends in .ort: by path the runtime then reads"
            " it as ORT format. Rename it, or set session.load_model_format to ONNX"
        )
    else:
        errors = [one for one in document.findings if one.severity == "error"]
        for finding in errors[:3]:
            yield FileFact(finding.message, finding.nodes)
        if not errors:
            size = f"{document.model.source.size:,} bytes"
            yield FileFact(
                f"This file is whole ({size}): what the device has is another or a cut copy, so"
                " compare the sizes"
            )


def _format(document: Document, one: Recognized) -> Iterator[FileFact]:
    ort = document.model.ort
    if ort is None:
        yield FileFact("This file is not in ORT format, so the message is about another one")
        return
    if ort.format_version_text != one.names.get("version"):
        yield FileFact(
            f"This file is of format version {ort.format_version_text}: the message is about"
            " another one"
        )
        return
    written, read = document.known.versions.written_by(document.model), _loading(document)
    yield FileFact(f"The file is of format version {ort.format_version_text}, written by {written}")
    if read:
        yield FileFact(f"It loads on {read}")


def _operator(document: Document, one: Recognized) -> Iterator[FileFact]:
    """The nodes of the operator, and the releases that have it in the form of this file."""
    name = one.names.get("op", "").rpartition(".")[2]
    nodes = tuple(
        NodeRef(graph.path, int(index))
        for graph in document.model.graphs
        for op_type, index in zip(graph.nodes.op_types, graph.nodes.indices, strict=True)
        if op_type == name
    )
    if not nodes:
        yield FileFact(f"This file has no node {name}")
        return
    yield FileFact(f"The file has {count(len(nodes), f'{name} node')}", nodes)
    if read := _loading(document):
        yield FileFact(f"It loads on {read}")


def _constant(document: Document, one: Recognized) -> Iterator[FileFact]:
    name = one.names.get("name", "")
    if any(name in graph.initializers.names for graph in document.model.graphs):
        yield FileFact(f"The file has the constant {name}")
    codes = ("raw-size-mismatch", "string-count-mismatch", "missing-data", "element-type-refused")
    for finding in document.findings:
        if finding.code in codes:
            yield FileFact(finding.message, finding.nodes)


def _records(document: Document, one: Recognized) -> Iterator[FileFact]:
    """The saved optimizations that the message may be about."""
    action = one.names.get("action")
    for saved in document.optimizations:
        told = saved.record.action == action if action else bool(saved.problems)
        if told:
            nodes = tuple(role.node for role in saved.roles if role.node is not None)
            why = f": {saved.problems[0].text}" if saved.problems else ""
            yield FileFact(f"{saved.record.optimizer} {saved.record.action}{why}", nodes)


def _loading(document: Document) -> str:
    """`1.16.0 to 1.27.0`: the releases on which the file loads by the oracle."""
    runs: list[list[Release]] = []
    last: Compatibility | None = None
    for one in strip(document):
        if one.loads == "yes":
            if last is not None and last.loads == "yes":
                runs[-1][1] = one.release
            else:
                runs.append([one.release, one.release])
        last = one
    return listed([_run(first, end) for first, end in runs], at_most=4)


def _run(first: Release, last: Release) -> str:
    if last == releases().newest:
        return f"{first} and newer"
    return str(first) if first == last else f"{first} to {last}"


_OF_RELEASE = ("no-kernel", "operator-version", "attribute-unknown")
"""Codes of messages that are about what the release lacks."""

_BY_CODE: dict[str, Callable[[Document, Recognized], Iterator[FileFact]]] = {
    "verification-failed": _whole_file,
    "protobuf-failed": _whole_file,
    "format-not-read": _format,
    "no-kernel": _operator,
    "operator-version": _operator,
    "operator-not-in-build": _operator,
    "custom-operator": _operator,
    "attribute-unknown": _operator,
    "kernel-hash": _operator,
    "element-type-refused": _constant,
    "wrong-size-of-constant": _constant,
    "missing-data": _constant,
    "record-without-product": _records,
    "record-and-product": _records,
    "action-unknown": _records,
}
