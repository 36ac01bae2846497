"""What is measured says how code would load it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.services.lab.modes import PATH, Mode, mode
from ortstudio.services.sessions import Level
from tests.unit.services.lab.made import measured


@pytest.mark.parametrize(
    ("way", "level", "optimized"),
    [
        (PATH, Level.ALL, True),
        (PATH, Level.DISABLE, False),
        (mode("path-level-disable"), Level.ALL, False),
    ],
)
def test_code_for_it_optimizes_no_more_than_was_measured(
    way: Mode, level: Level, optimized: bool
) -> None:
    subject = replace(measured(mode=way).subject, level=level)
    assert subject.as_loaded().loading.optimized is optimized
    assert subject.as_loaded().name == way.name
