"""The corpus as flatc decodes it by our schema, a reader that shares nothing with ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.ort_json import Json, decode


@pytest.fixture(scope="session")
def decoded(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """Every file of the corpus as flatc reads it by ort.fbs; defaults are left out."""
    return decode(sorted(corpus.glob("*.ort")), tmp_path_factory.mktemp("decoded"))
