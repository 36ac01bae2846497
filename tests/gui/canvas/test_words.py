from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ortstudio.ui.canvas.fonts import Role, make_font
from ortstudio.ui.canvas.measure import printable
from ortstudio.ui.canvas.texts import KEPT, Texts
from ortstudio.ui.canvas.words import Placed, Words
from ortstudio.ui.theme import FAMILY_MARKS
from tests.gui.canvas.graphs import FAMILY, Builder

MARKS = tuple(FAMILY_MARKS.values())
TEXT = st.text(max_size=40)


def place_of(placed: Placed) -> QRectF:
    """Where a text is, its pill included."""
    text = QRectF(placed.at.x(), placed.at.y() + 2, placed.text.width, placed.text.height - 4)
    return text if placed.pill is None else placed.pill


@given(st.sampled_from(sorted(FAMILY)), TEXT, TEXT, TEXT, st.sampled_from(["", "2 graphs"]))
def test_texts_stay_in_their_node_and_do_not_overlap(
    family: str, label: str, detail: str, tag: str, badge: str
) -> None:
    made = Builder()
    made.add(label, detail=detail, tag=tag, badge=badge, port=family == "port")
    made.families[0] = FAMILY[family]
    scene = made.scene()
    words = Words(scene, MARKS, Texts())
    places = [place_of(placed) for placed in words.all(0)]
    node = scene.rect(0).adjusted(0, 0, 1, 1)
    for i, place in enumerate(places):
        assert node.contains(place)
        assert not any(place.intersects(other) for other in places[:i])
    assert node.contains(place_of(words.label(0))) or not words.label(0).text.width


@given(TEXT, st.floats(0, 200))
def test_a_text_is_whole_or_ends_in_an_ellipsis(text: str, room: float) -> None:
    made = Texts().get(Role.LABEL, text, room)
    shown = made.static.text()
    assert made.width <= room
    if made.width < QFontMetricsF(make_font(Role.LABEL)).horizontalAdvance(shown) - 0.01:
        raise AssertionError("wider than it says")
    assert shown in (printable(text), "") or shown.endswith("…")


def test_what_nodes_are_measured_for_is_not_cut() -> None:
    made, operators = Builder(), [label for label in FAMILY if label != "port"]
    for label in operators:
        made.add(label, detail="3×3 · 16→32", tag="com.microsoft", badge="2 graphs")
    words = Words(made.scene(), MARKS, Texts())
    for row, label in enumerate(operators):
        shown = {placed.text.static.text() for placed in words.all(row)}
        assert {label, "3×3 · 16→32", "com.microsoft", "2 graphs"} <= shown


def test_no_more_texts_are_kept_than_is_said() -> None:
    texts = Texts()
    first = texts.get(Role.LABEL, "first", 100.0)
    assert texts.get(Role.LABEL, "first", 100.0) is first
    for number in range(KEPT):
        texts.get(Role.LABEL, str(number), 100.0)
    assert texts.get(Role.LABEL, "first", 100.0) is not first


def test_domains_keep_what_tells_them_apart() -> None:
    texts = Texts()
    room = texts.width(Role.SMALL, "com.microsoft")
    shown = {
        domain: texts.get(Role.SMALL, domain, room).static.text()
        for domain in ("com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc")
    }
    assert shown["com.microsoft"] == "com.microsoft"
    assert shown["com.microsoft.nchwc"].startswith("…")
    assert shown["com.microsoft.nchwc"].endswith(".nchwc")
    assert shown["com.ms.internal.nhwc"].endswith(".nhwc")
    long = "scope/" * 60 + "weight"
    assert texts.get(Role.SMALL, long, 1e9).static.text().endswith("weight")
