"""Every model of the corpus with all that can be renamed and fixed changed computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.model.model import Model
from ortstudio.services.edit import Edited, EditSettings, edit
from ortstudio.services.edit_changes import Changes, input_symbols
from ortstudio.services.reading import read_model
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS

LOADED = [CORPUS / row["file"] for row in corpus_files() if row["in_1.32.0"]["load"] == "ok"]
SOURCES = sorted((CORPUS / "sources").glob("*.onnx"))
ACCEPTED = {"features": 3}
"""Sizes that are open and yet have one value that a model accepts."""


def changed(path: Path, folder: Path) -> Edited:
    """Everything that can be: new names, sizes that are open fixed, no texts, new metadata."""
    model = read_model(path)
    graph = model.main
    names = graph.value_names([*graph.inputs.tolist(), *graph.outputs.tolist()])
    inputs = names[: len(graph.inputs)]
    changes = Changes(
        inputs={name: f"in.{i}" for i, name in enumerate(inputs)},
        outputs={
            name: f"out.{i}" for i, name in enumerate(names[len(inputs) :]) if name not in inputs
        },
        sizes={symbol: ACCEPTED.get(symbol, 2) for symbol in input_symbols(model)},
        metadata={"by": "test"} if has_metadata(model) else {},
        strip_doc_strings=True,
        strip_names=True,
    )
    return edit(path, EditSettings(folder / path.name, changes))


def has_metadata(model: Model) -> bool:
    return model.ort is None or (model.ort.format_version or 0) >= 4


@pytest.mark.parametrize("path", [*LOADED[::9], *SOURCES[::7]], ids=lambda path: path.name)
def test_a_spread_of_models_computes_the_same(path: Path, tmp_path: Path) -> None:
    check(changed(path, tmp_path))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_all_models_compute_the_same(tmp_path: Path) -> None:
    for path in [*LOADED, *SOURCES]:
        check(changed(path, tmp_path))


def check(done: Edited) -> None:
    name = done.source.name
    assert done.error is None, (name, str(done.error))
    assert done.verified is not None, (name, done.verify_skipped)
    assert done.verified.agrees, name
