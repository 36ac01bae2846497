"""Ways of loading a model, and the session configuration entries that each one takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ortstudio.analysis.words import count
from ortstudio.errors import RefusedError, Where
from ortstudio.services.snippet.model import SnippetModel

MAPPING_SINCE = 26
"""The release, by minor number, that brought `session.use_memory_mapped_ort_model`."""


class Way(Enum):
    """Where the runtime gets the file from. The value is the command line's word."""

    PATH = "path"
    MAPPED = "mapped"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Loading:
    """One way of loading.

    `directly`: bytes are used as they are, not copied. `in_place`: so are the weights in them, or
    in the mapped file. Without `prepacking` weights stay as they are in the file: the session is
    there sooner and takes less memory, but may run slower. `replay` applies saved optimizations.
    What is not `optimized` runs as it is stored.
    """

    way: Way = Way.PATH
    directly: bool = False
    in_place: bool = False
    prepacking: bool = True
    replay: bool = False
    optimized: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """A session configuration entry and why it is there; not `active` means as a comment."""

    key: str
    value: str
    why: str
    active: bool = True


PLAIN = Loading()
MAPPED = Loading(Way.MAPPED, in_place=True)
COPIED_BYTES = Loading(Way.BYTES)
DIRECT_BYTES = Loading(Way.BYTES, directly=True)
KEPT_BYTES = Loading(Way.BYTES, directly=True, in_place=True)


def possible(model: SnippetModel, *loadings: Loading) -> tuple[Loading, ...]:
    """Those that work with this model, of one in ONNX format in their plain form."""
    if model.is_ort:
        return loadings
    plain = {Way.PATH: PLAIN} if model.external_data else {Way.PATH: PLAIN, Way.BYTES: COPIED_BYTES}
    return tuple(plain[loading.way] for loading in loadings if loading.way in plain)


def refuse_kept_bytes(loading: Loading, why: str) -> None:
    """Raises RefusedError, which says `why`, for bytes that must outlive the session."""
    if loading.way is Way.BYTES and loading.in_place:
        raise RefusedError(why, hint="Map the file instead.")


def check(model: SnippetModel, loading: Loading) -> None:
    """Raises RefusedError for what no language can do with this model."""
    if any("\ud800" <= c <= "\udfff" for c in model.path):
        raise RefusedError(
            "The name of the file is not UTF-8, so code in most languages cannot spell it",
            where=Where(model.path),
            hint="Rename it.",
        )
    if not model.is_ort and (loading.way is Way.MAPPED or loading.directly or loading.in_place):
        raise RefusedError(
            "Only a file in ORT format is mapped or used in place",
            where=Where(model.path),
            hint="Convert the model to ORT format, or load it by its path.",
        )
    if loading.in_place and not (loading.directly or loading.way is Way.MAPPED):
        raise RefusedError(
            "Weights are used in place only in a mapped file, or in bytes that are used directly"
        )
    if model.external_data and not model.is_ort and loading.way is Way.BYTES:
        raise RefusedError(
            "The model has its weights in another file, which is found by the model's path",
            where=Where(model.path),
            hint="Load it by its path.",
        )


def entries(model: SnippetModel, loading: Loading) -> tuple[Entry, ...]:
    """What the session options are told, in order."""
    found = []
    if model.explicit_format and loading.way is not Way.BYTES:
        other = "does not end" if model.is_ort else "ends"
        why = f"The name {other} in .ort, so what the file is must be said."
        found.append(Entry("session.load_model_format", model.explicit_format, why))
    if loading.way is Way.MAPPED:
        why = f"Map the file instead of reading it. Releases before 1.{MAPPING_SINCE} read it."
        found.append(Entry("session.use_memory_mapped_ort_model", "1", why))
    if loading.directly:
        found.append(
            Entry("session.use_ort_model_bytes_directly", "1", "Load without copying the bytes.")
        )
    if loading.in_place:
        why = "Use the weights where they lie, without copying them."
        found.append(Entry("session.use_ort_model_bytes_for_initializers", "1", why))
    if loading.in_place or not loading.prepacking:
        why = "Sooner there and less memory, but perhaps slower to run: measure before you keep it."
        active = not loading.prepacking
        found.append(Entry("session.disable_prepacking", "1", why, active))
    return (*found, *_replay(model, loading))


def _replay(model: SnippetModel, loading: Loading) -> tuple[Entry, ...]:
    if not model.replays:
        return ()
    saved = count(model.saved_optimizations, "saved optimization")
    why = f"For trusted models: apply the file's {saved} (since 1.30 only with this)."
    return (Entry("session.enable_saved_runtime_optimizations", "1", why, loading.replay),)
