"""What disturbs a measurement is noticed."""

from __future__ import annotations

import pytest

from ortstudio.errors import UsageError
from ortstudio.services.lab import environment
from ortstudio.services.lab.environment import Disturbance, check_cpus


def watched(
    monkeypatch: pytest.MonkeyPatch,
    *,
    cpus: int = 8,
    loads: list[float | None],
    speeds: list[float | None],
) -> list[str]:
    """The notes after one look for each load and speed."""
    monkeypatch.setattr(environment, "usable_cpus", lambda: cpus)
    monkeypatch.setattr(environment, "load_average", lambda: loads.pop(0))
    monkeypatch.setattr(environment, "frequency_mhz", lambda: speeds.pop(0))
    disturbance = Disturbance()
    for _ in range(len(loads)):
        disturbance.look()
    return disturbance.notes()


def test_a_quiet_machine_has_no_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not watched(monkeypatch, loads=[1.0, 8.0], speeds=[3000.0, 2600.0])


def test_other_work_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    (note,) = watched(monkeypatch, loads=[1.0, 9.25, 2.0], speeds=[None, None, None])
    assert note == "Other work was going on: up to 9.2 processes wanted 8 processors"


def test_a_processor_that_changes_its_speed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    (note,) = watched(monkeypatch, loads=[None, None], speeds=[3000.0, 1200.0])
    assert note == "The processor's speed changed: 1200 to 3000 MHz"


def test_the_processors_that_children_keep_to_must_be_there() -> None:
    with pytest.raises(UsageError, match="no such processors"):
        check_cpus([1023])
    check_cpus([])


def test_few_processors_are_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (note,) = watched(monkeypatch, cpus=2, loads=[1.0], speeds=[None])
    assert note.startswith("Only 2 processors")
