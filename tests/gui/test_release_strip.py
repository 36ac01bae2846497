"""The releases as a strip: pointed at, read with the keyboard, told without colour, copied."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Said
from ortstudio.services.compatibility import releases
from ortstudio.services.release_strip import Standing, standing
from ortstudio.ui import theme
from ortstudio.ui.theme import DARK, LIGHT, apply
from ortstudio.ui.views.release_cells import StripRow, sentence
from ortstudio.ui.views.release_marks import LOOKS, look_of
from ortstudio.ui.views.release_strip import ReleaseStrip


def answers(loads: Callable[[Release], str]) -> list[Compatibility]:
    return [
        Compatibility(one, "full", loads(one), f"{one} says so", "rule")  # type: ignore[arg-type]
        for one in releases().all
    ]


OLD = StripRow("old file", answers(lambda one: "yes" if one.minor < 16 else "not known"))
NEW = StripRow("new file", answers(lambda one: "yes" if one.minor >= 16 else "no"))


@pytest.fixture
def strip(qtbot: QtBot) -> ReleaseStrip:
    made = ReleaseStrip()
    qtbot.addWidget(made)
    made.resize(800, 260)
    made.set_rows([OLD, NEW])
    made.show()
    return made


def place_of(release: str) -> int:
    return [str(answer.release) for answer in OLD.answers].index(release)


def test_the_arrow_keys_go_from_release_to_release(strip: ReleaseStrip, qtbot: QtBot) -> None:
    strip.cells.setFocus()
    assert strip.current is not None
    assert strip.current.release == releases().newest
    qtbot.keyClick(strip.cells, Qt.Key.Key_Left)
    assert str(strip.current.release) == str(releases().all[-2])
    qtbot.keyClick(strip.cells, Qt.Key.Key_Down)
    assert strip.current is NEW.answers[-2]
    qtbot.keyClick(strip.cells, Qt.Key.Key_Home)
    qtbot.keyClick(strip.cells, Qt.Key.Key_Left)
    assert strip.said.text() == "1.4.0 (new file): refuses. 1.4.0 says so."
    assert strip.cells.accessibleDescription() == strip.said.text()
    qtbot.keyClick(strip.cells, Qt.Key.Key_End)
    qtbot.keyClick(strip.cells, Qt.Key.Key_Up)
    assert strip.current is OLD.answers[-1]


def test_enter_and_a_double_click_choose_a_release(strip: ReleaseStrip, qtbot: QtBot) -> None:
    strip.cells.look_at(1, place_of("1.16.3"))
    with qtbot.waitSignal(strip.activated) as chosen:
        qtbot.keyClick(strip.cells, Qt.Key.Key_Return)
    assert chosen.args == [NEW.answers[place_of("1.16.3")]]
    at = center(strip, 0, place_of("1.14.1"))
    with qtbot.waitSignal(strip.activated) as chosen:
        qtbot.mouseClick(strip.cells, Qt.MouseButton.LeftButton, pos=at)
        qtbot.mouseDClick(strip.cells, Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [OLD.answers[place_of("1.14.1")]]


def center(strip: ReleaseStrip, row: int, place: int) -> QPoint:
    return dict(strip.cells._rects(row))[place].center().toPoint()


def test_a_tool_tip_says_what_is_pointed_at(
    strip: ReleaseStrip, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: said.append(text))
    at = center(strip, 1, place_of("1.20.1"))
    event = QHelpEvent(QHelpEvent.Type.ToolTip, at, strip.cells.mapToGlobal(at))
    QApplication.sendEvent(strip.cells, event)
    assert said == ["<qt>1.20.1 (new file): loads. 1.20.1 says so.</qt>"]


def test_each_patch_of_a_minor_release_has_its_part(strip: ReleaseStrip) -> None:
    rects = dict(strip.cells._rects(0))
    first, last = rects[place_of("1.16.0")], rects[place_of("1.16.3")]
    one = rects[place_of("1.13.1")]
    assert first.left() < last.left()
    assert last.right() - first.left() == pytest.approx(one.width(), abs=0.01)


def test_all_of_it_can_be_copied(strip: ReleaseStrip, qtbot: QtBot) -> None:
    strip.cells.setFocus()
    qtbot.keyClick(strip.cells, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "release\told file\tnew file"
    assert "1.14.1\tloads\trefuses" in lines
    assert len(lines) == 1 + len(releases().all)


@pytest.mark.parametrize("width", [220, 330, 480, 900, 1600])
def test_it_fits_any_width(width: int, strip: ReleaseStrip, qtbot: QtBot) -> None:
    strip.resize(width, 300)
    qtbot.wait(1)
    cells = strip.cells
    room = cells.rect().adjusted(0, 0, 1, 1)
    for row in range(2):
        assert all(room.contains(rect.toRect()) for _, rect in cells._rects(row))
    metrics = QFontMetricsF(theme.font(theme.SMALL))
    named = sorted(cells._named(metrics), key=lambda one: one[1].left())
    assert named[-1][0] == "1.32"
    assert all(a[1].right() < b[1].left() for a, b in pairwise(named))


def test_standings_differ_by_height_and_mark_and_not_by_colour_alone() -> None:
    told = {(share, mark) for _, share, mark in LOOKS.values()}
    assert len(told) == len(Standing)
    assert LOOKS.keys() == set(Standing)


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_it_is_painted_in_the_colours_of_the_theme(
    look: object, strip: ReleaseStrip, qapp: QApplication
) -> None:
    apply(qapp, "dark" if look is DARK else "light")
    image: QImage = strip.cells.grab().toImage()
    at = center(strip, 1, place_of("1.32.0"))
    fill = look_of(Standing.LOADS).fill
    near = [image.pixelColor(at.x() + dx, at.y() + 9) for dx in (-6, 6)]
    assert fill in near


def test_the_key_names_only_what_is_shown(strip: ReleaseStrip) -> None:
    entries = [child.accessibleName() for child in strip._key.children() if child.isWidgetType()]  # type: ignore[attr-defined]
    assert entries == ["loads", "refuses", "not known"]
    strip.set_rows([NEW])
    strip.set_rows([])
    assert strip.current is None
    assert strip.said.text().startswith("Point at a release")


def test_a_warning_is_part_of_the_sentence() -> None:
    said = (Said("warning", "It computes wrong numbers"),)
    one = Compatibility(Release(1, 9, 0), "full", "yes", "1.9.0 reads it", "rule", said)
    assert standing(one) is Standing.WARNED
    row = StripRow("m.ort", [one])
    assert sentence(row, one) == (
        "1.9.0 (m.ort): loads, with a warning. 1.9.0 reads it. It computes wrong numbers."
    )
