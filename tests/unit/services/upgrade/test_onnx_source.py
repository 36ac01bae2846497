"""The ONNX model behind an old file, told from others by what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.errors import StudioError
from ortstudio.services.document import open_document
from ortstudio.services.upgrade.onnx_source import given_source
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS
from tests.builders.upgrades import OLD

SOURCES = sorted((CORPUS / "sources").glob("*.onnx"))
NPZ = {row["file"]: Path(row["npz"]).stem for row in corpus_files()}
QUICK = ("v1_ort1.5.2_extdata_fixed_basic.ort", "v4_ort1.12.1_qdq_fixed_all.ort")


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(
            pytest.param(row["file"], marks=pytest.mark.long)
            for row in OLD
            if row["file"] not in QUICK
        ),
    ],
)
def test_of_all_models_only_the_one_it_was_made_from_fits(name: str) -> None:
    document = open_document(CORPUS / name)
    fitting = []
    for path in SOURCES:
        try:
            found = given_source(document, path, lambda: False)
        except StudioError:
            continue
        if found.fits:
            fitting.append(path.stem)
    assert fitting == [NPZ[name]]
