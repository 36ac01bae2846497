"""Code that loads and runs a model, in the languages that ONNX Runtime is used from."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from ortstudio.errors import RefusedError, UsageError
from ortstudio.services.snippet.code import Snippet
from ortstudio.services.snippet.loading import Loading, Way, check
from ortstudio.services.snippet.model import SnippetModel, snippet_model

__all__ = [
    "LANGUAGES",
    "Language",
    "Loading",
    "Snippet",
    "SnippetModel",
    "Way",
    "language",
    "loading_of",
    "snippet",
    "snippet_model",
]


class Writer(Protocol):
    """What the module of a language offers."""

    def offered(self, model: SnippetModel, /) -> tuple[Loading, ...]:
        """The ways of loading that are safe, the recommended one first; one for each `Way`."""

    def write(self, model: SnippetModel, loading: Loading) -> Snippet:
        """The code. Raises RefusedError for a way that the language must not take or lacks."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its name on the command line, its title, and what to call a file of it."""

    name: str
    title: str
    file_name: str

    def writer(self) -> Writer:
        """The language's module."""
        return cast(Writer, import_module(f"{__name__}.{self.name.replace('-', '_')}"))


LANGUAGES = (
    Language("python", "Python", "run_model.py"),
    Language("cpp", "C++", "run_model.cpp"),
    Language("csharp", "C#", "RunModel.cs"),
    Language("java", "Java", "RunModel.java"),
    Language("kotlin", "Kotlin for Android", "Model.kt"),
    Language("swift", "Swift", "RunModel.swift"),
    Language("javascript", "JavaScript for Node.js", "run_model.mjs"),
    Language("javascript-web", "JavaScript for browsers", "run_model.mjs"),
    Language("rust", "Rust", "main.rs"),
)


def language(name: str) -> Language:
    """The language of that name. Raises UsageError where there is none."""
    for found in LANGUAGES:
        if found.name == name:
            return found
    raise UsageError(f"There is no language {name}", hint=f"There are {_names()}.")


def _names() -> str:
    return ", ".join(found.name for found in LANGUAGES)


def snippet(model: SnippetModel, lang: str, loading: Loading | None = None) -> Snippet:
    """Code that runs the model; loaded in the recommended way unless another is given.

    Raises RefusedError for a way of loading that would not work, or not be safe.
    """
    writer = language(lang).writer()
    loading = loading or writer.offered(model)[0]
    check(model, loading)
    return writer.write(model, loading)


def loading_of(model: SnippetModel, lang: str, way: Way) -> Loading:
    """The safe loading that goes this way in a language.

    Raises RefusedError where there is none.
    """
    found = language(lang)
    for loading in found.writer().offered(model):
        if loading.way is way:
            return loading
    raise RefusedError(
        f"In {found.title} this model is not loaded in the way called {way.value}",
        hint="Leave the way out: the best one is taken.",
    )
