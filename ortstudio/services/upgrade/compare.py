"""Whether what was written is the old file in another version, judged by our reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.pairing.remarks import OPTIMIZATIONS
from ortstudio.analysis.pairing.rows import ModelRow
from ortstudio.analysis.words import count, listed
from ortstudio.errors import FormatError, StudioError
from ortstudio.model.model import Model
from ortstudio.services.diff import Comparison, compare_documents
from ortstudio.services.document import Document, open_document
from ortstudio.services.lossless_upgrade import unresolved
from ortstudio.services.stamp import sha256
from ortstudio.services.upgrade.facts import records_by_optimizer
from ortstudio.services.upgrade.route import Route
from ortstudio.services.upgrade.upgraded import Proof


def compared(old: Document, made: Path, way: Route) -> tuple[Document, Proof]:
    """What was written, and the proof without its runs. Blocks while both files are read.

    Raises FormatError where it cannot be read, or is not the same model node for node.
    """
    try:
        new = open_document(made)
        if new.model.error is not None:
            raise new.model.error
        found = compare_documents(old, new)
    except StudioError as error:
        raise FormatError(f"What was written cannot be read back: {error.message}") from None
    for problem in _problems(found, way):
        raise FormatError(f"What was written is not the same model: {problem}")
    return new, _proof(found, old.path, made)


def _problems(found: Comparison, way: Route) -> Iterator[str]:
    new = found.b.model
    if new.ort is None or new.ort.format_version != way.after:
        yield f"it is not of format version {way.after}"
    lacking = unresolved(new)
    if lacking:
        yield f"the kernel type resolver has no entry for {listed(lacking)}"
    others = sum(row.kind != "kept" for row in found.diff.nodes)
    if others:
        yield f"{count(others, 'row')} of nodes are not what they were"
    if any(map(found.is_difference, found.diff.initializers)):
        yield "it has other weights"
    if way.keeps_records and _records(found.a.model) != _records(new):
        yield "it has other saved optimizations"
    for row in found.diff.model:
        if found.is_difference(row) and row.name != OPTIMIZATIONS:
            yield f"{row.name} was {row.a or 'not there'} and is {row.b or 'not there'}"


def _records(model: Model) -> list[list[tuple[object, ...]]]:
    """The saved optimizations of each graph, wherever they lie in the file."""
    return [
        [
            (one.optimizer, one.action, one.nodes, one.produced_op_ids)
            for one in graph.runtime_optimizations
        ]
        for graph in (model.ort.graphs if model.ort else ())
    ]


def _proof(found: Comparison, source: Path, made: Path) -> Proof:
    before, after = found.a.model, found.b.model
    assert after.ort
    return Proof(
        source_sha256=sha256(source),
        result_sha256=sha256(made),
        nodes=sum(len(row.b) for row in found.diff.nodes),
        operators=len(by_operator(after.graphs)),
        resolver_entries=len(after.ort.resolver or ()),
        records_before=_count(before),
        records_after=_count(after),
        changes=tuple(_changes(found)),
    )


def _count(model: Model) -> int:
    return sum(number for _, number in records_by_optimizer(model))


def _changes(found: Comparison) -> Iterator[str]:
    """What differs, in words."""
    for row in found.diff.model:
        if row.kind != "kept":
            yield _change(row)
    before, after = found.a.model.ort, found.b.model.ort
    assert before
    assert after
    if before.resolver is None and after.resolver is not None:
        yield f"kernel type resolver: new, {_entries(len(after.resolver))}"
    if before.kernel_hashes:
        yield f"kernel hashes: {len(before.kernel_hashes):,}, none now"
    if not before.has_identifier:
        yield "identifier in bytes 4 to 8: filled in"


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"


def _change(row: ModelRow) -> str:
    if row.kind == "added":
        return f"{row.name}: new, {row.b}"
    if row.kind == "removed":
        return f"{row.name}: {row.a}, none now"
    return f"{row.name}: {row.a}, now {row.b}"
