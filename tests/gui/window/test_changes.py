"""What changed between source and result: colours, the page, crossing over, linked views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.crossing import Crossing
from ortstudio.ui import theme
from ortstudio.ui.diff_overlay import diff_overlay
from ortstudio.ui.items import RefRole
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.small_picture import SmallPicture

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture
def pair(window: MainWindow, open_in: Open, corpus: Path) -> MainWindow:
    """A convolutional net beside what level all made of it."""
    open_in(window, [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"])
    window.studio.show_page("changes")
    return window


def crossing(window: MainWindow) -> Crossing:
    found = window.studio.comparing.crossing
    assert found is not None
    return found


def fused(window: MainWindow) -> NodeRow:
    rows = crossing(window).comparison.diff.nodes
    return next(row for row in rows if row.kind == "fused" and len(row.a) > 1)


def test_a_pair_is_compared_when_it_is_open(pair: MainWindow) -> None:
    page = pair.studio.comparing.page
    assert page.sentence.text() == crossing(pair).comparison.overview
    rows = crossing(pair).comparison.diff.nodes
    assert {kind: button.text() for kind, button in page.kinds.items()} == {
        kind: f"{kind} {sum(row.kind == kind for row in rows)}"
        for kind in {row.kind for row in rows}
    }


def test_counts_filter_the_list(pair: MainWindow) -> None:
    page = pair.studio.comparing.page
    for kind, button in page.kinds.items():
        button.setChecked(kind == "fused")
    model = page.model
    shown = [model.index(row, 0).data(RefRole) for row in range(model.rowCount())]
    assert shown
    assert {row.kind for row in shown} == {"fused"}


def test_a_fused_node_selects_what_it_was_made_of_and_back(pair: MainWindow) -> None:
    found = crossing(pair)
    row = fused(pair)
    result = found.nodes_of(1, row)[0]
    pair.studio.workspace.select(1, result)
    assert pair.studio.workspace.selection(0) in found.nodes_of(0, row)
    for source in found.nodes_of(0, row):
        pair.studio.workspace.select(0, source)
        assert pair.studio.workspace.selection(1) == result


def test_what_was_selected_stays_selected_while_the_list_follows(pair: MainWindow) -> None:
    workspace, page = pair.studio.workspace, pair.studio.comparing.page
    row = fused(pair)
    for source in crossing(pair).nodes_of(0, row):
        workspace.select(0, source)
        assert workspace.active == 0
        assert workspace.selection(0) == source
        assert page.model.row(page.table.currentIndex()) is row


def test_both_pictures_take_the_colours_of_change(pair: MainWindow) -> None:
    found = crossing(pair)
    for side, pane in enumerate(pair.studio.pair.panes):
        assert pane.pictured is not None
        picture = pane.pictured.picture
        overlay = diff_overlay(found, side, 0, picture)
        assert overlay is not None
        texts = [entry.text for entry in overlay.entries]
        for row in range(len(picture.graph.nodes)):
            here = found.row_of(side, Ref(RefKind.NODE, 0, row))
            assert here is not None
            place = int(overlay.classes[picture.box_of(row)])
            assert (texts[place] if place >= 0 else "kept") == here.kind
    pair.actions_.changes.setChecked(False)
    pair.actions_.changes.setChecked(True)


def test_what_did_not_change_keeps_its_colours(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    names = "sources/qdq_conv.onnx", "v6_ort1.32.0_qdq_conv_runtime_all.ort"
    open_in(window, [corpus / name for name in names])
    for side, pane in enumerate(window.studio.pair.panes):
        assert pane.pictured is not None
        assert diff_overlay(crossing(window), side, 0, pane.pictured.picture) is None


def test_the_kinds_take_the_colours_of_another_theme(pair: MainWindow, qapp: QApplication) -> None:
    button = pair.studio.comparing.page.kinds["fused"]
    for look, scheme in ((theme.LIGHT, "light"), (theme.DARK, "dark")):
        pair.choose_theme(scheme)
        QApplication.processEvents()
        image = button.icon().pixmap(16, 16).toImage()
        inks = {image.pixelColor(x, y).name() for x in range(16) for y in range(16)}
        assert look.diff["fused"].fill.name() in inks
    theme.apply(qapp, "light")


def test_a_panel_is_closed_at_its_title(pair: MainWindow, qtbot: QtBot) -> None:
    dock = pair.studio.docks["changes"]
    close = dock.titleBarWidget().findChild(QToolButton)
    assert close is not None
    assert close.accessibleName() == "Close Changes"
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not dock.isVisible()
    pair.studio.show_page("changes")
    assert dock.isVisible()


def test_next_change_goes_round_all_of_them(pair: MainWindow) -> None:
    page = pair.studio.comparing.page
    seen = []
    for _ in range(page.model.rowCount()):
        pair.step_change(1)
        seen.append(page.table.currentIndex().row())
    assert sorted(seen) == list(range(page.model.rowCount()))
    pair.step_change(1)
    assert page.table.currentIndex().row() == seen[0]


def test_the_inspector_pictures_what_a_node_was_made_of(pair: MainWindow, qtbot: QtBot) -> None:
    row = fused(pair)
    pair.studio.workspace.select(1, crossing(pair).nodes_of(1, row)[0])
    inspector = pair.studio.inspector
    qtbot.waitUntil(lambda: bool(inspector.findChildren(SmallPicture)))
    picture = inspector.findChildren(SmallPicture)[0]
    assert picture.scene is not None
    assert len(picture.scene) == len(row.a)
    assert row.reason in inspector.view.sheet.text()


def test_linked_views_show_the_counterpart_at_the_same_place(
    pair: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (pane.canvas for pane in pair.studio.pair.panes)
    monkeypatch.setattr(first, "underMouse", lambda: True)
    first.actual_size()
    first.pan_by(0, -200)
    assert second.camera.scale == first.camera.scale
    lead, follow = (pane.pictured for pane in pair.studio.pair.panes)
    assert lead is not None
    assert follow is not None
    partners = crossing(pair).partners(0, 0)
    offsets = [
        middle(follow.scene.rects[follow.picture.box_of(ref.row)])
        - middle(lead.scene.rects[lead.picture.box_of(row)])
        for row, ref in partners.items()
    ]
    moved = np.array([second.camera.x - first.camera.x, second.camera.y - first.camera.y])
    assert min(float(np.abs(moved - offset).max()) for offset in offsets) < 1e-6
    before = second.camera
    pair.actions_.links.setChecked(False)
    first.pan_by(0, -50)
    assert second.camera == before


def middle(rect: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = rect[:2] + rect[2:] / 2
    return found


def test_a_damaged_side_is_said_instead_of_compared(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path
) -> None:
    whole = (corpus / "v6_ort1.22.1_cnn_fixed_all.ort").read_bytes()
    half = tmp_path / "half.ort"
    half.write_bytes(whole[: len(whole) // 2])
    open_in(window, [corpus / "sources" / "cnn.onnx", half])
    assert window.studio.comparing.crossing is None
    assert window.studio.comparing.page.sentence.text()
    assert len(window.studio.pair.panes) == 2
