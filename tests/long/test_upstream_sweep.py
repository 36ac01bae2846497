"""Our conversions and the upstream converter's, over everything: all options, real models."""

from __future__ import annotations

from pathlib import Path

import onnx.backend.test
import pytest

from ortstudio.services.sessions import Level, Target
from tests.builders.real_models import real_models
from tests.oracles.upstream_converter import Options
from tests.oracles.upstream_equality import EVERY, unequal

NETWORKS = ("densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet")
"""Of those that the `onnx` package has: the weights of the others come to gigabytes."""

MAIN = tuple(
    Options(level, target=target, types=True, twin=True)
    for level in Level
    for target in (None, Target.ARM, Target.AMD64)
)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_corpus_comes_to_the_same_with_every_combination(tmp_path: Path, corpus: Path) -> None:
    models = sorted((corpus / "sources").glob("*.onnx"))
    assert len(EVERY) == 60
    assert list(unequal(models, EVERY, tmp_path)) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_networks_of_the_onnx_package_come_to_the_same(tmp_path: Path) -> None:
    folder = Path(onnx.backend.test.__file__).parent / "data" / "light"
    models = [folder / f"light_{name}.onnx" for name in NETWORKS]
    assert list(unequal(models, MAIN, tmp_path)) == []


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_models_that_are_shipped_come_to_the_same(tmp_path: Path) -> None:
    models = real_models()
    assert len(models) >= 10
    assert list(unequal(models, MAIN, tmp_path)) == []
