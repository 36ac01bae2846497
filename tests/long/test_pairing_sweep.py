"""Every backend model against what ONNX Runtime makes of it: each node stands in one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import onnx.backend.test
import pytest

from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Style
from tests.builders.backend_cases import KINDS, Case, backend_cases
from tests.builders.conversions import to_ort
from tests.unit.analysis.pairing.everywhere import paired

Way = tuple[Level, Style]

WAYS: tuple[Way, ...] = (
    (Level.DISABLE, Style.FIXED),
    (Level.BASIC, Style.FIXED),
    (Level.EXTENDED, Style.FIXED),
    (Level.LAYOUT, Style.FIXED),
    (Level.ALL, Style.FIXED),
    (Level.ALL, Style.RUNTIME),
)

NETWORKS = ("densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet")
"""Those that the `onnx` package holds, their weights left to nodes; two more are all weights."""


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_backend_models_pair_at_every_level_and_in_both_styles(tmp_path: Path) -> None:
    check(backend_cases(KINDS, tmp_path), WAYS, tmp_path / "result.ort", at_least=1500)


def test_a_spread_of_backend_models_pairs(tmp_path: Path) -> None:
    cases = list(backend_cases(["simple", "pytorch-converted", "pytorch-operator"], tmp_path))
    ways = (WAYS[0], WAYS[4])
    check(cases[::6], ways, tmp_path / "result.ort", at_least=10)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_well_known_networks_pair_at_every_level_and_in_both_styles(tmp_path: Path) -> None:
    folder = Path(onnx.backend.test.__file__).parent / "data" / "light"
    paths = [folder / f"light_{name}.onnx" for name in NETWORKS]
    cases = [Case(path.stem, path, None) for path in paths]
    check(cases, WAYS, tmp_path / "result.ort", at_least=len(NETWORKS))


def check(cases: Iterable[Case], ways: Sequence[Way], target: Path, at_least: int) -> None:
    """Each node is in one row; at level disable nearly each node of the result has a source.

    The rest there are nodes of functions that ONNX Runtime has no code of its own for, and casts.
    """
    found: Counter[str] = Counter()
    for case in cases:
        for way in ways:
            rows = converted(case, way, target)
            if rows is not None and way[0] is Level.DISABLE:
                found["models"] += 1
                found["nodes"] += sum(len(row.b) for row in rows)
                found["with a source"] += sum(len(row.b) for row in rows if row.a)
    assert found["models"] >= at_least
    assert found["with a source"] >= 0.95 * found["nodes"]


def converted(case: Case, way: Way, target: Path) -> Sequence[NodeRow] | None:
    """The rows; None where ONNX Runtime does not convert the model."""
    try:
        to_ort(case.path, target, *way)
    except Exception:  # noqa: BLE001  # The runtime's own, of many classes; not what is tested.
        return None
    return paired(read_model(case.path), read_model(target))
