"""What each choice does to a model, found by converting it."""

from __future__ import annotations

import platform
from pathlib import Path

import onnx
import pytest

from ortstudio.errors import StudioError
from ortstudio.services.conversion import CancelledError
from ortstudio.services.document import open_document
from ortstudio.services.effects import CHOICES, RUNTIME, RUNTIME_ARM, Effect, effects
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.trials import Choice, cost_of, trials
from tests.builders.knowledge import CORPUS
from tests.builders.small_graphs import (
    FLOAT,
    Node,
    Values,
    floats,
    model,
    signed_convolution,
)

SOURCES = CORPUS / "sources"
IMAGE: Values = {"x": (FLOAT, ["batch", 16, 8, 8])}
X64 = platform.machine().lower() in ("x86_64", "amd64")


def tried(path: Path) -> dict[Choice, Effect]:
    with trials(open_document(path)) as made:
        return {effect.choice: effect for effect in effects(made)}


@pytest.fixture(scope="module")
def fused(tmp_path_factory: pytest.TempPathFactory) -> dict[Choice, Effect]:
    path = tmp_path_factory.mktemp("fused") / "m.onnx"
    nodes: list[Node] = [("Conv", "x w", "a"), ("Relu", "a", "y")]
    onnx.save(model(nodes, IMAGE, arrays={"w": floats(8, 16, 3, 3)}), path)
    return tried(path)


@pytest.fixture(scope="module")
def quantized(tmp_path_factory: pytest.TempPathFactory) -> dict[Choice, Effect]:
    path = tmp_path_factory.mktemp("quantized") / "m.onnx"
    onnx.save(signed_convolution("batch"), path)
    return tried(path)


def test_a_fusion_is_told_with_who_can_run_it(fused: dict[Choice, Effect]) -> None:
    found = fused[Choice(Level.EXTENDED)]
    assert found.text == (
        "Conv and Relu become FusedConv. 1 node fewer. Only ONNX Runtime can run it."
    )
    assert (found.nodes, found.verdict) == (1, "onnxruntime-only")
    assert found.against == Choice(Level.BASIC)
    assert fused[Choice(Level.BASIC)].verdict == "portable"


def test_what_is_the_same_is_told_by_the_first_that_is(fused: dict[Choice, Effect]) -> None:
    assert fused[Choice(Level.ALL)].same_as == Choice(Level.EXTENDED)
    assert fused[Choice(Level.ALL)].text == "The same as level extended."
    assert fused[Choice(target=Target.ARM)].text == "The same as without a target."


def test_the_runtime_style_keeps_the_nodes_and_counts_what_is_saved(
    fused: dict[Choice, Effect],
) -> None:
    found = fused[RUNTIME]
    assert (found.nodes, found.saved, found.unreplayable) == (2, 1, 0)
    assert found.text == (
        "The nodes of level basic: 1 optimization is saved beside them (FusedConv)."
    )


@pytest.mark.skipif(not X64, reason="only these processors have the blocked layout")
def test_the_blocked_layout_is_told_with_where_it_loads(fused: dict[Choice, Effect]) -> None:
    found = fused[Choice(target=Target.AMD64)]
    assert "FusedConv becomes blocked Conv" in found.text
    assert "loads only on x64 processors of the kind that made it" in found.text
    assert found.verdict == "this-cpu-family"


def test_signs_of_activations_are_told_by_target(quantized: dict[Choice, Effect]) -> None:
    assert "Int8 activations become uint8." in quantized[Choice(Level.EXTENDED)].text
    arm = quantized[Choice(target=Target.ARM)].text
    assert arm.startswith("Activations are int8, without a target uint8.")
    assert quantized[Choice(target=Target.AMD64)].text == "The same as without a target."


def test_the_runtime_style_saves_signed_nodes_for_arm_only(
    quantized: dict[Choice, Effect],
) -> None:
    assert quantized[RUNTIME].saved == 0
    found = quantized[RUNTIME_ARM]
    assert (found.saved, found.same_as) == (1, None)
    assert "1 optimization is saved beside them (QLinearConv)" in found.text


def test_records_that_stop_the_load_are_told() -> None:
    found = tried(SOURCES / "qdq.onnx")[RUNTIME]
    assert found.unreplayable == 1
    assert "1 cannot be replayed (MatMul)" in found.text
    assert "the file does not load" in found.text


def test_constants_and_functions_are_told_as_what_they_become() -> None:
    first = Choice(Level.DISABLE)
    assert "3 Constant nodes become initializers. 3 nodes fewer." in (
        tried(SOURCES / "consts.onnx")[first].text
    )
    assert "2 local.fn.Block are inlined. 6 nodes more." in (
        tried(SOURCES / "functions.onnx")[first].text
    )


def test_every_choice_has_a_row_with_its_size(fused: dict[Choice, Effect]) -> None:
    assert tuple(fused) == CHOICES
    assert all(effect.size_bytes > 1000 for effect in fused.values())
    assert [choice.name for choice in CHOICES[-5:]] == [
        "level all",
        "runtime style",
        "runtime style, target arm",
        "target arm",
        "target amd64",
    ]


def test_a_model_that_converts_in_no_way_says_why() -> None:
    with pytest.raises(StudioError, match="optional type"):
        tried(SOURCES / "optional.onnx")


def test_nothing_is_left_of_trials_and_they_can_be_cancelled() -> None:
    source = open_document(SOURCES / "cnn.onnx")
    asked: list[Choice] = []

    def cancelled() -> bool:
        return len(asked) > 2

    with trials(source, cancelled=cancelled) as made:
        with pytest.raises(CancelledError):
            effects(made, lambda choice, _done, _of: asked.append(choice))
        folder = made.folder
    assert len(asked) == 3
    assert not folder.exists()


def test_results_go_once_nothing_is_told_against_them() -> None:
    most = 0
    with trials(open_document(SOURCES / "cnn.onnx")) as made:

        def count(_choice: Choice, _done: int, _of: int) -> None:
            nonlocal most
            most = max(most, len(list(made.folder.glob("*.ort"))))

        effects(made, count)
    assert 0 < most <= 3


def test_the_cost_is_known_before() -> None:
    found = cost_of(open_document(SOURCES / "extdata.onnx"), 8)
    weights = (SOURCES / "extdata.bin").stat().st_size
    assert found.disk_bytes >= 3 * weights
    assert found.text.startswith("8 conversions in a temporary folder: up to ")


def test_a_choice_is_named_by_what_is_not_the_default() -> None:
    assert Choice().name == "level all"
    assert Choice(Level.BASIC, Style.RUNTIME, Target.ARM).name == (
        "level basic, runtime style, target arm"
    )
