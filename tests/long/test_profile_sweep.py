"""Profiles of every file of the corpus: they add up, and every node is found or said to be new."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.compare_sides import opened
from ortstudio.services.profile import ProfileSettings, profile
from ortstudio.services.sessions import Level
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS
from tests.e2e.layers import Lent

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

FILES = [CORPUS / row["file"] for row in corpus_files() if row["in_1.32.0"]["load"] == "ok"]
LAYOUT = {"Transpose", "ReorderInput", "ReorderOutput", "Reshape"}
"""What only lays values out for others came of no node."""


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with agent_child() as made:
        yield made


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_profile_as_stored_adds_up_on_the_nodes_of_the_file(child: Child, file: Path) -> None:
    settings = ProfileSettings(level=Level.DISABLE, runs=4, budget_s=0.1)
    times = profile(opened(file), settings, make_child=lambda: Lent(child)).file.times
    assert all(node.in_file for node in times.nodes)
    assert sum(node.ns for node in times.nodes) + times.between_ns == times.run_ns
    assert times.between_ns >= 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_is_made_at_load_came_of_nodes_of_the_file(child: Child, file: Path) -> None:
    settings = ProfileSettings(runs=4, budget_s=0.1)
    found = profile(opened(file), settings, make_child=lambda: Lent(child)).file
    unknown = {node.op.rpartition(".")[2] for node in found.times.nodes if not found.in_file(node)}
    assert unknown <= LAYOUT
