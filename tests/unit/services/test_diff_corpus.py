"""Comparisons of all files that released runtimes wrote: with themselves and with their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.services.diff import compare_files
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS

FILES = [row["file"] for row in corpus_files()]


def source_of(file: str) -> Path | None:
    """What a plain conversion was made from."""
    name = file.split("_", 2)[2].removesuffix("_fixed_disable.ort")
    source = CORPUS / "sources" / f"{name}.onnx"
    return source if source.exists() else None


PLAIN = [file for file in FILES if file.endswith("_fixed_disable.ort") and source_of(file)]

LOST = {
    "v1_ort1.5.2_types_fixed_disable.ort": "nodes",  # Casts for kernels that were missing.
    "v2_ort1.6.0_bf16_fixed_disable.ort": "nodes",  # Casts that the writer took out.
    "v4_ort1.8.0_meta_fixed_disable.ort": "model",  # Metadata, which 1.9 was first to write.
    "v6_ort1.23.2_types_fixed_disable.ort": "nodes initializers",  # The strings of a tensor.
}
"""What these conversions at level disable did lose or add."""


@pytest.mark.parametrize("file", FILES)
def test_a_file_does_not_differ_from_itself(file: str) -> None:
    found = compare_files(CORPUS / file, CORPUS / file)
    assert found.differs_in == ()
    for counts in found.diff.summary().values():
        assert {kind for kind, number in counts.items() if number} <= {"kept"}


@pytest.mark.parametrize("file", PLAIN)
def test_a_plain_conversion_differs_in_nothing_but_what_the_format_loses(file: str) -> None:
    source = source_of(file)
    assert source is not None
    found = compare_files(source, CORPUS / file)
    assert " ".join(found.differs_in) == LOST.get(file, "")


@pytest.mark.parametrize("file", FILES)
def test_every_initializer_of_both_sides_stands_in_a_row(file: str) -> None:
    sources = [p for p in (CORPUS / "sources").glob("*.onnx") if f"_{p.stem}_" in file]
    for source in sources:
        found = compare_files(source, CORPUS / file)
        for side, model in (("a", found.a.model), ("b", found.b.model)):
            ends = [getattr(row, side) for row in found.diff.initializers]
            told = {(end.graph, end.name) for end in ends if end is not None}
            for graph in model.graphs:
                assert {(graph.path, name) for name in graph.initializers.names} <= told
