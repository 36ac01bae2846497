"""Code that runs a model, and what its reader should know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ortstudio.analysis.words import count, listed
from ortstudio.services.snippet.loading import MAPPING_SINCE, Loading, Way
from ortstudio.services.snippet.model import Port, SnippetModel, custom_op_names

SCHEMA = "ortstudio/snippet@1"


@dataclass(frozen=True, slots=True)
class Snippet:
    """`code` in `lang`; `requires` are packages, with the release from which the code holds."""

    lang: str
    code: str
    notes: tuple[str, ...]
    requires: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        return {
            "schema": SCHEMA,
            "lang": self.lang,
            "code": self.code,
            "notes": list(self.notes),
            "requires": list(self.requires),
        }


def joined(parts: Iterable[Sequence[str]]) -> str:
    """The parts that have lines, with an empty line between them."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def package(name: str, model: SnippetModel, loading: Loading) -> str:
    """The runtime's package under its name in a language, with the release that is needed."""
    release = model.release
    if loading.way is Way.MAPPED:
        release = max(release or 0, MAPPING_SINCE)
    return name if release is None else f"{name} >= 1.{release}"


def notes(
    model: SnippetModel,
    loading: Loading,
    language: str,
    unfed: Sequence[Port],
    unread: Sequence[Port],
) -> tuple[str, ...]:
    """What holds in every language; `unfed` and `unread` are what this one cannot pass."""
    return tuple(
        note
        for note in (
            _cpu(model),
            _sizes(model),
            _custom_ops(model),
            _external(model),
            _saved(model, loading),
            _mapped(loading),
            _kept(loading),
            _defaults(model),
            _cannot(unfed, language, "input", "feed", "so the model cannot be run like this"),
            _cannot(unread, language, "output", "read", "so it is left out"),
        )
        if note
    )


def _cpu(model: SnippetModel) -> str:
    if not model.cpu_bound:
        return ""
    return (
        "The file has nodes for processors like the one it was made on:"
        " no phone and no browser loads it"
    )


def _sizes(model: SnippetModel) -> str:
    if not model.sizes:
        return ""
    sizes = listed([f"{symbol} = {size}" for symbol, size in model.sizes.items()])
    return f"Open sizes are constants to fill in: {sizes}"


def _custom_ops(model: SnippetModel) -> str:
    if not model.needs_library:
        return ""
    return (
        f"The runtime does not bring {listed(custom_op_names(model))}: name the library that does"
    )


def _external(model: SnippetModel) -> str:
    if not model.external_data or model.is_ort:
        return ""
    return f"Ship {listed(model.external_data)} beside {model.name}: the weights are there"


def _saved(model: SnippetModel, loading: Loading) -> str:
    if not model.saved_optimizations:
        return ""
    saved = count(model.saved_optimizations, "saved optimization")
    if not model.replays:
        return f"The file has {saved} that cannot all be applied: enabling them stops the load"
    if loading.replay:
        return f"{saved} of the file change the graph at load: do this for trusted models only"
    return f"The file has {saved}; since 1.30 they are applied only where the code says so"


def _mapped(loading: Loading) -> str:
    if loading.way is not Way.MAPPED:
        return ""
    return (
        "The file stays mapped while the session lives: replace it by renaming,"
        " never by writing into it"
    )


def _kept(loading: Loading) -> str:
    if loading.way is not Way.BYTES or not loading.in_place:
        return ""
    return "The bytes must outlive the session, which uses the weights in them"


def _defaults(model: SnippetModel) -> str:
    if not model.defaults:
        return ""
    verb = "has its" if len(model.defaults) == 1 else "have their"
    return f"{listed(model.defaults)} {verb} default in the file and may be fed too"


def _cannot(ports: Sequence[Port], language: str, what: str, verb: str, effect: str) -> str:
    if not ports:
        return ""
    named = listed([f"{port.name} ({port.type})" for port in ports])
    what += "" if len(ports) == 1 else "s"
    return f"The {language} interface has no way to {verb} the {what} {named}, {effect}"
