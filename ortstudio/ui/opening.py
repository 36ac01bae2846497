"""From paths to documents, off the UI thread: what is shown of them, and why something is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.words import count, size_text
from ortstudio.errors import StudioError
from ortstudio.services.arrivals import Arrivals, arrivals
from ortstudio.services.document import Document, open_document


@dataclass(frozen=True, slots=True)
class Opened:
    """What was found, the one or two documents to show, and why a file that was named is not."""

    found: Arrivals
    documents: list[Document]
    problem: StudioError | None


def open_files(paths: Sequence[Path]) -> Opened:
    """Look at files and into folders, and open what is to be shown: one model or a pair.

    Many sources are only found: they are to be converted. Raises StudioError where what is to be
    shown cannot be read, and where nothing else was found than what is no model.
    """
    found = arrivals(paths)
    chosen = found.pair or found.models[:1]
    if len(found.models) > 1 and found.onnx and not found.pair:
        chosen = ()
    elif not found.models and found.refused:
        chosen = found.refused[:1]  # Opening it says what it is instead.
    if found.onnx and len(chosen) < 2:
        _load_offer()
    documents = [open_document(path) for path in chosen]
    named = [path for path in found.refused if path in paths]
    return Opened(found, documents, _why_not(named[0]) if named else None)


def _load_offer() -> None:
    """Load what offers a conversion, here, where the window does not wait for it."""
    import ortstudio.ui.converting  # noqa: F401


def _why_not(path: Path) -> StudioError | None:
    try:
        open_document(path)
    except StudioError as error:
        return error
    return None


def summed_up(document: Document) -> str:
    """`74 nodes, 60,882 parameters, 252 kB`."""
    totals, files = document.totals, len(document.external_files)
    size = size_text(document.size_bytes) + (f" in {files + 1} files" if files else "")
    texts = count(totals.nodes, "node"), count(totals.parameters, "parameter"), size
    return ", ".join(texts if totals.nodes else texts[1:])
