"""All planted faults are found, and no sound conversion is blamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.compare import CompareSettings
from ortstudio.services.inputs import InputSettings
from tests.builders.faults import FAULTS
from tests.e2e.layers import layers_of, looked, named
from tests.pairing_truth.pairs import CASES, Pairs

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

ATTENTION = ("attention", "attention_of_fixed_batch")
MASKED = CompareSettings(inputs=InputSettings(ranges={"mask": (0, 1)}))
"""What a mask hides is only the same on both sides where it is a mask."""


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with agent_child() as made:
        yield made


def test_thirty_planted_faults_are_all_found_at_their_nodes(child: Child, tmp_path: Path) -> None:
    missed = []
    for number, fault in enumerate(FAULTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        if fault.node not in named(looked(child, *fault.written(folder)))[0]:
            missed.append(fault.name)
    assert (missed, len(FAULTS)) == ([], 30)


def test_no_node_of_a_sound_conversion_is_called_wrong(child: Child, tmp_path: Path) -> None:
    pairs, causes, blamed = Pairs.made(tmp_path), Counter[str](), []
    for case in CASES:
        settings = MASKED if case.model in ATTENTION else CompareSettings()
        a, b = pairs.source_path(case.model), pairs.result_path(case)
        layers = layers_of(looked(child, a, b, settings))
        causes[layers.first.cause if layers.first else "none"] += 1
        if layers.first is not None and layers.first.cause != "types":
            blamed.append(case.name)
    assert blamed == []
    assert causes["none"] >= 0.95 * len(CASES)
