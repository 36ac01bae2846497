"""Code for what is open, and the sheet of what there is to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ortstudio.services.document import Document
from ortstudio.services.snippet import Loading, Snippet, Way, language, snippet, snippet_model
from ortstudio.ui.views.facts import Fact, Link, Prose, Run, Section, Sheet

FIND_SIZES = Link("Find some that the model accepts", "sizes", "Runs it in a child process")


@dataclass(frozen=True, slots=True)
class Written:
    """Code for a model of that name, its open sizes, and the ways of loading that there are."""

    name: str
    sizes: Mapping[str, int]
    ways: tuple[Way, ...]
    way: Way
    snippet: Snippet


def written(
    document: Document, lang: str, way: Way | Loading | None, sizes: Mapping[str, int]
) -> Written:
    """Write code that loads in this way if the language offers it, else in the recommended one.

    Of a `Loading` all is kept. Raises RefusedError where that is not safe in the language.
    """
    model = snippet_model(document, sizes, str(document.path.absolute()))
    offered = language(lang).writer().offered(model)
    ways = tuple(one.way for one in offered)
    if isinstance(way, Loading):
        return Written(model.name, model.sizes, ways, way.way, snippet(model, lang, way))
    loading = next((one for one in offered if one.way is way), offered[0])
    return Written(model.name, model.sizes, ways, loading.way, snippet(model, lang, loading))


def use_sheet(found: Written, about_sizes: Run) -> Sheet:
    """What the code needs and what there is to know."""
    made = found.snippet
    needs = Section("Before it runs", [Fact("needs", text) for text in made.requires])
    rows: list[Fact | Prose] = [Prose(f"{note}.") for note in made.notes]
    if found.sizes:
        rows.insert(0, Fact("sizes", about_sizes, mono=False))
    sections = [needs, Section("To know", rows)] if rows else [needs]
    return Sheet(language(made.lang).title, (found.name,), sections, mono=False)
