from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.columns import Columns
from ortstudio.ui.canvas.fonts import Role, make_font
from ortstudio.ui.canvas.measure import TEXT_LIMIT, Measures, measure_fonts, node_sizes, printable


@pytest.fixture(scope="module")
def measures(qapp: QApplication) -> Measures:  # noqa: ARG001
    return measure_fonts()


LATIN = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=60)


@given(texts=st.lists(LATIN, max_size=8))
def test_widths_are_what_qt_measures(measures: Measures, texts: list[str]) -> None:
    metrics = QFontMetricsF(make_font(Role.LABEL))
    expected = [metrics.horizontalAdvance(text) for text in texts]
    assert np.allclose(measures.label.of(texts), expected, atol=0.6)


@given(texts=st.lists(st.text(max_size=300), max_size=8))
def test_any_text_has_a_width(measures: Measures, texts: list[str]) -> None:
    widths = measures.detail.of(texts)
    assert widths.shape == (len(texts),)
    assert (widths >= 0).all()
    assert np.isfinite(widths).all()


def test_sizes_follow_what_a_node_says(measures: Measures) -> None:
    columns = Columns(
        labels=["Relu", "Relu", "Relu", "Relu", "BatchNormalization"],
        families=["activation", "activation", "other", "activation", "normalization"],
        details=["", "a_long_detail_of_a_node", "", "", ""],
        tags=["", "", "", "com.microsoft", ""],
        badges=["", "", "2 graphs", "", ""],
    )
    width, height = node_sizes(columns, measures)
    plain, detailed, opened, tagged, long = width.tolist()
    assert plain < tagged < dim.MAX_WIDTH
    assert detailed > plain
    assert long > plain
    assert opened >= dim.MIN_WIDTH
    one, two = dim.ONE_LINE, dim.TWO_LINES
    assert height.tolist() == [one, two, two, one, one]
    assert not (width % dim.WIDTH_STEP).any()


def test_no_name_makes_a_node_wider_than_allowed(measures: Measures) -> None:
    columns = Columns(["x" * 10_000], ["other"], ["y" * 10_000], ["z" * 500], ["w" * 500])
    width, _ = node_sizes(columns, measures)
    assert width.tolist() == [dim.MAX_WIDTH]


def test_no_nodes_have_no_sizes(measures: Measures) -> None:
    width, height = node_sizes(Columns([], []), measures)
    assert len(width) == len(height) == 0


def test_controls_are_shown_as_such() -> None:
    assert printable("a\nb\u202ec\ud800") == r"a\nb\u202ec\ud800"
    assert len(printable("x" * 1000)) == TEXT_LIMIT
