"""The files of `tests/corpus` with what is known of them."""

from __future__ import annotations

import functools
import json
from typing import TypedDict

from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.ort_reader import read_ort
from tests.builders.knowledge import CORPUS


class Loading(TypedDict):
    load: str
    error: str | None
    max_abs_diff: float | None


CorpusFile = TypedDict(
    "CorpusFile",
    {
        "file": str,
        "format_version": str,
        "written_by": str,
        "hardware_specific": bool,
        "npz": str,
        "ops": dict[str, int],
        "runtime_optimizations": dict[str, list[str]] | None,
        "in_1.32.0": Loading,
    },
)


@functools.cache
def corpus_files() -> tuple[CorpusFile, ...]:
    """What `corpus.json` says of each `.ort` file."""
    rows: list[CorpusFile] = json.loads((CORPUS / "corpus.json").read_text(encoding="utf-8"))[
        "files"
    ]
    return tuple(rows)


@functools.cache
def corpus_model(file: str) -> Model:
    """One `.ort` of the corpus, read."""
    return read_ort(Source.open(CORPUS / file))
