"""What a runtime's message means, for what is open, as a sheet of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ortstudio.services.document import Document
from ortstudio.services.explain import Explanation, explain, explain_document
from ortstudio.ui.hints import in_window
from ortstudio.ui.places import in_a_row, node_links
from ortstudio.ui.views.facts import Fact, Prose, Run, Section, Sheet


@dataclass(frozen=True, slots=True)
class Told:
    """A message with its meaning, alone and for each open file."""

    meaning: Explanation
    about: Mapping[int, tuple[Document, Explanation]]


def tell(said: str, documents: Mapping[int, Document]) -> Told:
    """Explain a message for the files of some sides. May take seconds for large ones."""
    about = {
        side: (document, explain_document(said, document)) for side, document in documents.items()
    }
    return Told(explain(said), about)


def explain_sheet(told: Told) -> Sheet:
    """The meaning, what it has to do with each file, and what to do."""
    meaning = told.meaning
    sections = [_about_file(side, *found) for side, found in told.about.items()]
    if not meaning.recognized:
        sections = []
    elif meaning.what_to_do and not any(found.ways_out for _, found in told.about.values()):
        rows = [Prose(in_window(text)) for text in meaning.what_to_do]
        sections.append(Section("What to do", rows))
    if others := [Prose(f"{one.meaning}.") for one in meaning.recognized[1:]]:
        sections.append(Section("It says as well", others))
    return Sheet(f"{meaning.meaning}.", tuple(_who(meaning)), sections, mono=False)


def _who(meaning: Explanation) -> Iterator[Run]:
    if meaning.release is not None:
        yield f"said by ONNX Runtime {meaning.release}"


def _about_file(side: int, document: Document, found: Explanation) -> Section:
    rows: list[Fact | Prose] = []
    for fact in found.facts:
        rows.append(Prose(f"{fact.text}."))
        links = list(node_links(side, document, fact.nodes))
        if links:
            rows.append(Fact("", in_a_row(links)))
    rows += [Fact("way out", way, mono=False) for way in found.ways_out]
    return Section(document.path.name, rows)
