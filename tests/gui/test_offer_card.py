"""The choices of a conversion: what they give, how they follow settings, what they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from ortstudio.services.agreement import Tolerance
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.questions import IndexInput, OpenSize, Questions
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.uses import Use
from ortstudio.services.uses_in_general import TEXTS
from ortstudio.ui.offer.graph_options import GraphOptions
from ortstudio.ui.offer.offer_card import OfferCard
from ortstudio.ui.views.labels import PlainLabel

ALL_OTHERWISE = ConvertSettings(
    level=Level.BASIC,
    styles=(Style.FIXED, Style.RUNTIME),
    target=Target.ARM,
    custom_ops="lib.so",
    disabled_optimizers=("ConvActivationFusion", "GeluFusion"),
    fixed_dims={"batch": 1},
    opset=19,
    providers=("CoreMLExecutionProvider",),
    optimized_onnx=True,
    write_config=False,
    type_reduction=True,
    reproducible=True,
    stamp=True,
    output_dir="elsewhere",
    keep_going=True,
    jobs=3,
    memory=2_500_000_000,
    resume=True,
    inputs=InputSettings(seed=7, dims={"seq": 0}, ranges={"ids": (0.0, 9.0)}, file="in.npz"),
    tolerance=Tolerance(rtol=0.5, atol=0.25),
)
QUESTIONS = Questions(
    (OpenSize("batch", ("ids[0]",)), OpenSize("seq", ("ids[1]",))),
    (IndexInput("ids", "tensor(int64)[batch,seq]"),),
)


@pytest.fixture
def card(qtbot: QtBot) -> OfferCard:
    made = OfferCard()
    qtbot.addWidget(made)
    made.offer([Path("m.onnx")])
    made.ask(QUESTIONS)
    return made


def unfold(card: OfferCard) -> None:
    for section in (card.sizes, card.graph, card.result, card.verification, card.several):
        section.title.setChecked(True)


def test_what_nobody_touched_is_as_usual(card: OfferCard) -> None:
    assert card.settings == ConvertSettings()
    unfold(card)
    assert card.settings == ConvertSettings()


@pytest.mark.parametrize("before", [True, False])
def test_every_choice_follows_settings_whether_unfolded_before_or_after(
    card: OfferCard, before: bool
) -> None:
    if before:
        unfold(card)
    card.show_settings(ALL_OTHERWISE)
    assert card.settings == ALL_OTHERWISE
    unfold(card)
    assert card.settings == ALL_OTHERWISE


def test_folded_choices_say_what_is_unusual(card: OfferCard) -> None:
    def said() -> list[str]:
        sections = (card.sizes, card.graph, card.result, card.verification)
        return [section.title.accessibleName() for section in sections]

    assert said() == ["Sizes and ranges", "The graph", "What is written", "Verification"]
    card.show_settings(ALL_OTHERWISE)
    assert said() == [
        "Sizes and ranges, 3 chosen",
        "The graph, custom operators, opset 19, 2 disabled, providers",
        "What is written, no config, types, ONNX, reproducible, stamp",
        "Verification, own inputs, seed 7, other tolerance",
    ]
    card.show_settings(replace(ALL_OTHERWISE, verify=False))
    assert said()[-1] == "Verification, off"


def test_another_model_forgets_the_sizes_of_the_last(card: OfferCard) -> None:
    card.show_settings(ALL_OTHERWISE)
    card.offer([Path("other.onnx")])
    inputs = replace(ALL_OTHERWISE.inputs, dims={}, ranges={}, file=None)
    assert card.settings == replace(ALL_OTHERWISE, fixed_dims={}, inputs=inputs)
    assert card.sizes.isHidden()


def test_a_range_counts_only_where_it_is_one(card: OfferCard) -> None:
    unfold(card)
    low, high = card.sizes.content.ranges["ids"]
    low.setValue(3)
    assert card.settings.inputs.ranges == {}
    high.setValue(2)
    assert card.settings.inputs.ranges == {}
    high.setValue(9)
    assert card.settings.inputs.ranges == {"ids": (3.0, 9.0)}


def test_a_number_that_is_none_falls_back_to_the_usual(card: OfferCard) -> None:
    unfold(card)
    box = card.verification.content.rtol
    for text in ("", "much", "-1", "inf", "nan"):
        box.setText(text)
        assert card.settings.tolerance == Tolerance()
        assert box.text() == f"{Tolerance().rtol:g}"


def test_a_use_chooses_for_several_models_and_a_choice_of_ones_own_is_none(qtbot: QtBot) -> None:
    card = OfferCard()
    qtbot.addWidget(card)
    card.offer([Path("a.onnx"), Path("b.onnx")])
    use = card.guidance.use
    use.choose(Use.MOBILE_CPU)
    assert card.settings.target is Target.ARM
    assert use.effect.text() == TEXTS[Use.MOBILE_CPU]
    use.choose(Use.NNAPI)
    assert card.settings == replace(ConvertSettings(), styles=(Style.RUNTIME,))
    assert use.value is Use.NNAPI
    card.first.level.choose(Level.BASIC)
    assert use.value is None
    assert card.settings.level is Level.BASIC


def test_only_several_models_are_asked_how_they_are_worked_on(card: OfferCard) -> None:
    assert card.several.isHidden()
    assert not card.guidance.try_all.isHidden()
    card.offer([Path("a.onnx"), Path("b.onnx")])
    assert not card.several.isHidden()
    assert card.guidance.try_all.isHidden()


def test_the_wheel_scrolls_the_page_and_changes_no_choice(card: OfferCard) -> None:
    unfold(card)
    for box in (card.first.level, card.verification.content.seed):
        place = QPointF(box.rect().center())
        turned = QWheelEvent(
            place,
            QPointF(box.mapToGlobal(place.toPoint())),
            QPoint(0, 0),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(box, turned)
        assert not turned.isAccepted()
    assert card.settings == ConvertSettings()


def test_providers_stand_beside_their_name_and_what_is_said_of_them_below(qtbot: QtBot) -> None:
    options = GraphOptions()
    qtbot.addWidget(options)
    boxes = options.providers
    boxes.show_names(["CPUExecutionProvider", "AzureExecutionProvider"])
    options.grab()
    (name,) = [label for label in options.findChildren(QLabel) if label.buddy() is boxes]
    (box,) = boxes.findChildren(QCheckBox)
    (note,) = [label for label in boxes.findChildren(PlainLabel) if label.text()]
    top = box.mapTo(options, QPoint()).y()
    assert abs(name.y() - top) <= 2
    assert note.mapTo(options, QPoint()).y() > top
