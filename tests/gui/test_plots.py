"""Plots: round ticks for any range, bins that can be pointed at, read and copied."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from ortstudio.ui.theme import DARK, LIGHT, apply
from ortstudio.ui.views.plots import HistogramPlot
from ortstudio.ui.views.ticks import ticks

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE, st.integers(1, 12))
@example(1.7976931348623155e308, -2.9937604643020797e292, 1)
@example(5.000000000000002e298, 1.0000000005000001e308, 1)
def test_ticks_are_round_few_and_inside(a: float, b: float, most: int) -> None:
    low, high = min(a, b), max(a, b)
    if high / 2 - low / 2 <= abs(high) * 1e-12 or high - low < 1e-300:
        return
    made = ticks(low, high, most)
    values = made.values()
    assert len(values) <= most + 1
    assert values == sorted(set(values))
    slack = (high / 2 - low / 2) * 1e-9
    assert all(low - slack <= value <= high + slack for value in values)
    texts = [text.replace("\N{MINUS SIGN}", "-").replace(",", "") for text in made.texts()]
    assert [float(text) for text in texts] == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0, 1, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-1.3, 1.3, 4, ["−1", "0", "1"]),
        (0, 98_000, 4, ["0", "50,000"]),
        (0, 7, 4, ["0", "2", "4", "6"]),
        (0, 3e9, 3, ["0", "1e9", "2e9", "3e9"]),
        (-2.1e-8, 2.1e-8, 4, ["−2e−8", "0", "2e−8"]),
    ],
)
def test_ticks_say_just_enough(low: float, high: float, most: int, texts: list[str]) -> None:
    assert ticks(low, high, most).texts() == texts


@pytest.fixture
def plot(qtbot: QtBot) -> HistogramPlot:
    made = HistogramPlot()
    qtbot.addWidget(made)
    made.resize(320, 180)
    made.show_bins([-1.0, -0.5, 0.0, 0.5, 1.0], [10, 0, 30, 1], title="weight")
    made.show()
    return made


def test_pointing_at_a_bin_says_it(plot: HistogramPlot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: said.append(text))
    place = plot.place(0.25, 5).toPoint()
    help_event = QHelpEvent(QHelpEvent.Type.ToolTip, place, plot.mapToGlobal(place))
    QApplication.sendEvent(plot, help_event)
    assert said == ["0 to 0.5: 30 (73.2%)"]


def test_bins_are_read_with_the_keyboard(plot: HistogramPlot, qtbot: QtBot) -> None:
    said = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right):
        qtbot.keyClick(plot, key)
        said.append(plot.accessibleDescription())
    assert said == ["−1 to −0.5: 10 (24.4%)", "−0.5 to 0: 0 (0.0%)", *["0.5 to 1: 1 (2.4%)"] * 2]
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    assert plot.selected() == 0


def test_plot_is_copied_as_a_table(plot: HistogramPlot, qtbot: QtBot, qapp: QApplication) -> None:
    qtbot.keyClick(plot, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = qapp.clipboard().text().split("\n")
    assert lines[:2] == ["from\tto\telements", "-1.0\t-0.5\t10"]
    assert len(lines) == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_are_where_their_values_are(
    plot: HistogramPlot, qapp: QApplication, scheme: str
) -> None:
    look = DARK if scheme == "dark" else LIGHT
    apply(qapp, "dark" if scheme == "dark" else "light")
    image = plot.grab().toImage()
    assert colour(image, plot, 0.25, 20) == look.families["other"].border.name()
    assert colour(image, plot, -0.25, 5) == look.chrome.name()
    assert colour(image, plot, -0.75, 23) == look.chrome.name()
    # One of forty-one is still seen.
    foot = plot.place(0.75, 0).toPoint() - QPoint(0, 1)
    assert image.pixelColor(foot).name() == look.families["other"].border.name()
    plot.select(2)
    assert colour(plot.grab().toImage(), plot, 0.25, 20) == look.accent.name()


def colour(image: QImage, plot: HistogramPlot, across: float, upward: float) -> str:
    return image.pixelColor(plot.place(across, upward).toPoint()).name()


def test_no_bins_and_one_bin_can_be_shown(plot: HistogramPlot, qtbot: QtBot) -> None:
    plot.show_bins([], [])
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert plot.selected() == -1
    assert not plot.grab().isNull()
    plot.show_bins([2.0, 3.0], [7])
    qtbot.mouseMove(plot, QPoint(plot.width() // 2, plot.height() // 2))
    assert plot.mark_at(2.5, 0) == 0
    assert math.isclose(plot.area().right(), plot.place(3.0, 0).x())


def test_whole_numbers_with_bins_of_their_own_are_named(plot: HistogramPlot) -> None:
    plot.show_bins([-1.5, -0.5, 0.5, 1.5], [2, 0, 1])
    assert [plot.mark_text(mark) for mark in range(3)] == [
        "−1: 2 (66.7%)",
        "0: 0 (0.0%)",
        "1: 1 (33.3%)",
    ]


@pytest.mark.parametrize(("counts", "texts"), [([1], ["0", "1"]), ([3], ["0", "1", "2", "3"])])
def test_few_elements_are_counted_in_whole_numbers(
    plot: HistogramPlot, counts: list[int], texts: list[str]
) -> None:
    plot.resize(320, 400)
    plot.show_bins([0.0, 1.0], counts)
    assert ticks(0, plot.upward.high, counts[0]).texts() == texts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FINITE, FINITE)
@example(0.1, 0.1)
@example(0.0, 5e-324)
@example(1e308, 1.7976931348623157e308)
@example(-1.7976931348623157e308, -1.7976931348623157e308)
def test_bins_of_any_width_are_painted(plot: HistogramPlot, a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    middle = low / 2 + high / 2
    plot.show_bins([low, middle, high], [3, 1])
    assert plot.across.low <= low <= high <= plot.across.high
    bar = plot.place(middle, 1)
    assert plot.area().left() <= bar.x() <= plot.area().right()
    assert not plot.grab().isNull()
