"""Help with choosing: settings for a use, and what each choice does to the model at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ortstudio.services.sessions import Level, Style
from ortstudio.services.uses import Use
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.offer.offer_card import OfferCard

PATIENCE_MS = 60_000
Open = Callable[[MainWindow, Sequence[Path]], None]


def offered(window: MainWindow, open_in: Open, path: Path) -> OfferCard:
    open_in(window, [path])
    return window.studio.converting.offer_pane.card


def words_of(card: OfferCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


def test_a_use_gets_settings_for_this_model_with_reasons(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    card = offered(window, open_in, source)
    guidance = card.guidance
    with qtbot.waitSignal(guidance.advised.found, timeout=PATIENCE_MS):
        guidance.use.choose(Use.NNAPI)
        assert card.settings.styles == (Style.RUNTIME,)
        assert guidance.use.effect.text().endswith("Looking at what that means for this model…")
    said = guidance.use.effect.text()
    assert "NNAPI" in said
    assert "(estimate)" in said
    assert guidance.use.value is Use.NNAPI
    assert card.settings.styles == (Style.RUNTIME,)
    assert card.settings.fixed_dims == {"batch": 1}
    assert card.sizes.title.accessibleName() == "Sizes and ranges, 1 chosen"
    guidance.reasons.click()
    assert window.studio.docks["advice"].isVisible()


def test_every_choice_says_what_it_does_to_this_model_once_it_was_tried(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    card = offered(window, open_in, source)
    guidance, level = card.guidance, card.first.level
    with qtbot.waitSignal(guidance.tried, timeout=PATIENCE_MS):
        guidance.try_all.click()
        assert not guidance.try_all.isEnabled()
        assert guidance.cancel.isVisible()
    assert not guidance.cancel.isVisible()
    names = [level.itemText(place) for place in range(level.count())]
    assert all(" nodes, " in name for name in names), names
    level.choose(Level.EXTENDED)
    (told,) = [text for text in words_of(card) if text.startswith("Here, against level basic: ")]
    assert "FusedConv" in told
    card.graph.content.opset.setValue(18)
    assert not any(text.startswith("Here") for text in words_of(card))
    assert level.itemText(0) == "All"


def test_trying_can_be_cancelled(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    guidance = offered(window, open_in, source).guidance
    guidance.try_all.click()
    guidance.cancel.click()
    qtbot.waitUntil(guidance.try_all.isEnabled, timeout=PATIENCE_MS)
    assert guidance.advised.advice is None
