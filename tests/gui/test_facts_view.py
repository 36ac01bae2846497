"""The inspector's building block: links, folding, copying, and that nothing is cut."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.ui import theme
from ortstudio.ui.plain import shortened
from ortstudio.ui.views.facts import (
    LONGEST,
    Embed,
    Fact,
    Link,
    Prose,
    Section,
    Sheet,
)
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.rich_text import RichText
from ortstudio.ui.views.section_title import SectionTitle

LONG = "weight_" * 60
SHEET = Sheet(
    "Conv_12",
    ("FusedConv · ", Link("/if_0/then_branch", "graph")),
    [
        Section(
            "Inputs",
            [
                Fact("X", Link("input", 7, tip="the only one"), detail="tensor(float)[1,3]"),
                Fact("W", (Link(LONG, 8), " + ", Link("bias", 9)), "12 bytes"),
            ],
            count=2,
        ),
        Section(
            "Documentation", [Prose("**Convolves**, see [it](https://example.org).", markdown=True)]
        ),
        Section("Notes", [Prose("Only in ONNX Runtime.", "warning")], folded=True),
    ],
)


@pytest.fixture
def view(qtbot: QtBot) -> FactsView:
    made = FactsView()
    qtbot.addWidget(made)
    made.resize(300, 500)
    made.show_sheet(SHEET)
    made.show()
    QApplication.processEvents()
    return made


def texts(view: FactsView) -> list[RichText]:
    return [text for text in view.findChildren(RichText) if text.isVisible()]


def title(view: FactsView, name: str) -> SectionTitle:
    return next(t for t in view.findChildren(SectionTitle) if t.text() == name)


def place_of(text: RichText, words: str) -> QPoint:
    cursor = text.document().find(words)
    assert not cursor.isNull()
    cursor.setPosition(cursor.selectionStart() + 1)
    return text.cursorRect(cursor).center()


def test_sheet_says_everything_in_words(view: FactsView) -> None:
    shown = "\n".join(text.toPlainText() for text in texts(view))
    for words in ("Conv_12", "FusedConv · /if_0/then_branch", "tensor(float)[1,3]", "12 bytes"):
        assert words in shown
    assert "Only in" not in shown


@pytest.mark.parametrize("width", [140, 240, 600])
def test_nothing_is_cut_at_any_width(view: FactsView, width: int) -> None:
    view.resize(width, 500)
    QApplication.processEvents()
    for text in texts(view):
        size = text.document().size()
        assert size.width() <= text.viewport().width()
        assert size.height() <= text.viewport().height()
    page = cast(QWidget, view.widget())
    assert page.width() <= view.viewport().width()


@pytest.mark.parametrize("markdown", [False, True])
def test_a_long_paragraph_wraps_as_often_as_it_must(view: FactsView, markdown: bool) -> None:
    words = " ".join(f"word{i}" for i in range(400)) + f" {LONG}"
    view.show_sheet(Sheet("A", (), [Section("Text", [Prose(words, markdown=markdown)])]))
    for width in (150, 400, 260):
        view.resize(width, 300)
        QApplication.processEvents()
        text = texts(view)[-1]
        assert text.document().size().height() <= text.viewport().height()
        assert text.toPlainText().endswith("weight_")
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
        last = text.mapTo(view.viewport(), QPoint(0, text.height()))
        assert last.y() <= view.viewport().height()


def test_measuring_for_another_width_leaves_the_text_as_wide_as_it_is_shown(
    view: FactsView,
) -> None:
    text = texts(view)[-1]
    text.heightForWidth(80)
    view.grab()
    assert text.document().textWidth() == text.viewport().width()


def test_more_about_a_thing_goes_below_what_is_there(view: FactsView) -> None:
    before = texts(view)
    view.add_sections([Section("More", [Prose("late")])])
    QApplication.processEvents()
    assert texts(view)[: len(before)] == before
    assert texts(view)[-1].toPlainText() == "late"
    assert view.sheet.text().endswith("More\nlate")
    assert texts(view)[-1].mapTo(view, QPoint()).y() > before[-1].mapTo(view, QPoint()).y()


def test_click_on_a_name_activates_its_target(view: FactsView, qtbot: QtBot) -> None:
    text = next(text for text in texts(view) if "input" in text.toPlainText())
    with qtbot.waitSignal(view.link_activated) as heard:
        qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place_of(text, "input"))
    assert heard.args == [7]
    with qtbot.waitSignal(view.link_activated) as heard:
        qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place_of(text, "bias"))
    assert heard.args == [9]


def test_address_in_markdown_is_a_link(view: FactsView, qtbot: QtBot) -> None:
    text = next(text for text in texts(view) if "Convolves" in text.toPlainText())
    with qtbot.waitSignal(view.link_activated) as heard:
        qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place_of(text, "it"))
    assert heard.args == ["https://example.org"]


def test_names_are_reached_and_opened_with_the_keyboard(view: FactsView, qtbot: QtBot) -> None:
    targets: list[object] = []
    view.link_activated.connect(targets.append)
    view.activateWindow()
    view.setFocus()
    for _ in range(20):
        focused = QApplication.focusWidget()
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert {"graph", 7, 8, 9} <= set(targets)


def test_long_value_shows_both_ends_and_keeps_the_whole(
    view: FactsView, qapp: QApplication
) -> None:
    assert (
        shortened(LONG, LONGEST)
        == LONG[: LONGEST - LONGEST // 3 - 1] + "…" + LONG[-(LONGEST // 3) :]
    )
    assert shortened("short", LONGEST) == "short"
    text = next(text for text in texts(view) if "bias" in text.toPlainText())
    assert LONG not in text.toPlainText()
    place = place_of(text, "weight_")
    assert text.cursorForPosition(place).charFormat().toolTip() == LONG
    menu = text.menu(place)
    copy = next(action for action in menu.actions() if action.text() == "Copy Value")
    copy.trigger()
    assert qapp.clipboard().text() == f"{LONG} + bias"
    assert "Copy All" in [action.text() for action in menu.actions()]


def test_a_value_can_say_more(view: FactsView) -> None:
    rows = [Fact("Since version", "11", tip="Which opset brought it")]
    view.show_sheet(Sheet("A", (), [Section("Node", rows)]))
    QApplication.processEvents()
    text = texts(view)[-1]
    said = text.cursorForPosition(place_of(text, "11")).charFormat().toolTip()
    assert said == "Which opset brought it"


def test_cells_of_a_row_share_their_base_line(view: FactsView) -> None:
    rows = [Fact("Name", "a"), Fact("Kind", "b", mono=False), Fact("Shape", "c")]
    view.show_sheet(Sheet("A", (), [Section("Node", rows)]))
    QApplication.processEvents()
    text = texts(view)[-1]
    tops = []
    for key, value in (("Name", "a"), ("Kind", "b"), ("Shape", "c")):
        cursors = [text.document().find(words) for words in (key, value)]
        lines = [c.block().layout().lineAt(0) for c in cursors]
        places = [
            text.document().documentLayout().blockBoundingRect(cursor.block()).top() + line.ascent()
            for cursor, line in zip(cursors, lines, strict=True)
        ]
        assert places[0] == places[1]
        tops.append(places[0])
    assert tops[1] - tops[0] == tops[2] - tops[1]


def test_words_are_not_cut_where_a_name_would_be(view: FactsView) -> None:
    words = "The kernel, of shape (M x C/group x kH x kW). " * 20
    rows = [Fact("W", "tensor(float)", words), Fact("labels", words, mono=False), Fact("n", LONG)]
    view.show_sheet(Sheet("A", (), [Section("Formal inputs", rows)]))
    QApplication.processEvents()
    shown = texts(view)[-1].toPlainText()
    assert shown.count(words) == 2
    assert LONG not in shown


def test_text_can_be_selected_and_copied(view: FactsView, qapp: QApplication) -> None:
    text = texts(view)[0]
    text.moveCursor(QTextCursor.MoveOperation.Start)
    text.moveCursor(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    text.copy()
    assert qapp.clipboard().text() == "Conv_12"


def test_copy_all_gives_every_row_with_tabs(view: FactsView, qapp: QApplication) -> None:
    view.copy_all()
    copied = qapp.clipboard().text().split("\n")
    assert copied[:5] == [
        "Conv_12",
        "FusedConv · /if_0/then_branch",
        "",
        "Inputs",
        "X\tinput\ttensor(float)[1,3]",
    ]
    assert copied[-1] == "Only in ONNX Runtime."


def test_a_section_stays_as_the_person_left_it(view: FactsView, qtbot: QtBot) -> None:
    qtbot.mouseClick(title(view, "Notes"), Qt.MouseButton.LeftButton)
    qtbot.keyClick(title(view, "Inputs"), Qt.Key.Key_Space)
    for _ in range(2):
        shown = "\n".join(text.toPlainText() for text in texts(view))
        assert "Only in ONNX Runtime." in shown
        assert "12 bytes" not in shown
        view.show_sheet(SHEET)
        QApplication.processEvents()


def test_a_widget_in_a_folded_section_is_made_when_unfolded(view: FactsView, qtbot: QtBot) -> None:
    made: list[QLabel] = []

    def make() -> QWidget:
        made.append(QLabel("plot"))
        return made[-1]

    view.show_sheet(Sheet("W", (), [Section("Histogram", [Embed(make)], folded=True)]))
    assert made == []
    for _ in range(3):
        qtbot.mouseClick(title(view, "Histogram"), Qt.MouseButton.LeftButton)
    assert len(made) == 1
    assert made[0].isVisible()


def test_change_of_theme_recolours_the_text(view: FactsView, qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    QApplication.processEvents()
    text = next(text for text in texts(view) if "input" in text.toPlainText())
    cursor = text.document().find("input")
    assert cursor.charFormat().foreground().color() == theme.DARK.accent


def test_wheel_over_text_is_left_to_the_whole(view: FactsView) -> None:
    target = texts(view)[0].viewport()
    at = QPointF(5, 5)
    no = Qt.KeyboardModifier.NoModifier
    wheel = QWheelEvent(
        at,
        target.mapToGlobal(at),
        QPoint(0, 0),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        no,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(target, wheel)
    assert not wheel.isAccepted()  # Qt passes a real one on to what holds the text.
