"""Operator configs of many converted models equal upstream's, alone and all in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ortstudio.analysis.config_coverage import coverage
from ortstudio.analysis.required_operators import (
    merged,
    required_operators,
)
from ortstudio.services.operator_config import config_text
from ortstudio.services.operator_config_reader import parse_config
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level
from tests.builders.backend_cases import KINDS, Case, backend_cases
from tests.builders.conversions import to_ort
from tests.builders.knowledge import operators
from tests.oracles import upstream_config

BEYOND = range(21, 27)
"""ONNX types that upstream's scripts do not know."""


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("level", [Level.DISABLE, Level.ALL])
def test_all_backend_models_that_convert_have_upstreams_configs(
    level: Level, tmp_path: Path
) -> None:
    cases = list(backend_cases(KINDS, tmp_path))
    assert check(cases, level, tmp_path) > 0.9 * len(cases)


def test_a_spread_of_backend_models_has_upstreams_configs(tmp_path: Path) -> None:
    cases = list(backend_cases(["simple", "pytorch-operator"], tmp_path))[::2]
    assert check(cases, Level.ALL, tmp_path) > len(cases) / 2


def check(cases: Sequence[Case], level: Level, folder: Path) -> int:
    """How many models convert; each is compared with and without types, and all together."""
    compared, parts = [], []
    models = list(converted(cases, level, folder))
    for path in models:
        model = read_model(path)
        for types in (False, True):
            required = required_operators(model, types=types)
            assert parse_config(config_text(required)).built().operators == required.operators
            assert coverage(model, required, operators()).covered is not False
            if theirs := upstream([path], folder, types=types):
                assert upstream_config.lines(config_text(required)) == theirs, path.name
                if types:
                    compared.append(path)
                    parts.append(required)
    assert len(compared) > 0.9 * len(models)
    assert upstream_config.lines(config_text(merged(parts))) == upstream(
        compared, folder, types=True
    )
    return len(models)


def converted(cases: Sequence[Case], level: Level, folder: Path) -> Iterator[Path]:
    for case in cases:
        target = folder / f"{case.name}.ort"
        try:
            to_ort(case.path, target, level)
        except Exception:  # noqa: BLE001  (the runtime's exceptions share no base of their own)
            continue
        yield target


def upstream(models: Sequence[Path], folder: Path, *, types: bool) -> list[str] | None:
    """The lines that upstream writes; None where it stops at a type or a value left out."""
    try:
        return upstream_config.written(models, folder, types=types)
    except KeyError as error:
        if error.args[0] not in BEYOND:
            raise
    except AttributeError as error:
        if "ValueType" not in str(error) and "'MapType'" not in str(error):
            raise
    return None
