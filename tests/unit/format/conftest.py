"""The corpus as flatc decodes it by our schema, a reader that shares nothing with ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from schema.generate import SCHEMAS, flatc

Json = dict[str, Any]


@pytest.fixture(scope="session")
def decoded(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """Every file of the corpus as flatc reads it by ort.fbs; defaults are left out."""
    folder = tmp_path_factory.mktemp("decoded")
    options = ("--json", "--strict-json", "--raw-binary", "--allow-non-utf8")
    flatc(*options, "-o", folder, SCHEMAS / "ort.fbs", "--", *sorted(corpus.glob("*.ort")))
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"), strict=False)
        for path in sorted(folder.glob("*.json"))
    }
