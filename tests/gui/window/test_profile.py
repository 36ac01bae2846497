"""The page that says where the time of a run goes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.jobs.runner import Child
from ortstudio.services.sessions import Level
from ortstudio.ui import theme
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.profile.heat import STEPS, look
from ortstudio.ui.profile.page import ProfilePage
from ortstudio.ui.profile.profiling import Profiling
from ortstudio.ui.theme import DARK, LIGHT, Theme
from ortstudio.ui.workspace import Workspace
from tests.gui.colours import EYES, contrast, difference
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
Profile = Callable[[MainWindow, Sequence[Path]], ProfilePage]


@pytest.fixture
def profile(qtbot: QtBot, open_in: Open) -> Profile:
    """Opens files, has them profiled and waits for the answer."""

    def act(window: MainWindow, paths: Sequence[Path]) -> ProfilePage:
        open_in(window, paths)
        window.studio.show_page("profile")
        page = window.studio.pages.profiling.page
        page.start.click()
        qtbot.waitUntil(lambda: window.studio.pages.profiling.is_idle, timeout=PATIENCE_MS)
        return page

    return act


@pytest.fixture
def pair(corpus: Path) -> list[Path]:
    return [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"]


@pytest.fixture
def page(window: MainWindow, profile: Profile, pair: list[Path]) -> ProfilePage:
    return profile(window, pair)


def test_nothing_runs_before_it_is_asked_for(
    window: MainWindow, open_in: Open, pair: list[Path]
) -> None:
    open_in(window, pair[:1])
    assert window.studio.docks["profile"].widget() is None
    window.studio.show_page("profile")
    page = window.studio.pages.profiling.page
    assert page.about.text().startswith("Nothing was profiled yet")
    assert page.start.isEnabled()


def test_times_stand_by_node_operator_and_fusion(page: ProfilePage) -> None:
    lines = page.nodes.model().rows
    times = [line.time.ns for line in lines]
    assert times == sorted(times, reverse=True)
    assert {line.time.op for line in lines} >= {"com.microsoft.FusedConv", "Gemm"}
    assert sum(part.ns for part in page.operators.model().rows) == sum(times)
    fused = {line.after: line.before for line in page.fusions.model().rows}
    assert fused["com.microsoft.FusedConv 'conv1'"] == (
        "Conv 'conv1', BatchNormalization 'bn1' and Relu 'relu1'"
    )
    assert "with the profile on" in page.words.text()
    assert [page.parts.isTabVisible(place) for place in range(4)] == [True, True, False, True]


def test_both_pictures_are_coloured_by_time(window: MainWindow, page: ProfilePage) -> None:
    assert page.isVisible()
    for pane in window.studio.pair.panes:
        laid = pane.overlay
        assert laid is not None
        assert laid.title == "Share of a run"
        assert pane.pictured is not None
        graph = pane.pictured.picture.graph
        coloured = int((laid.classes >= 0).sum())
        assert coloured == len(graph.nodes)


def test_a_row_leads_to_its_node_and_a_node_of_either_side_to_its_row(
    window: MainWindow, page: ProfilePage
) -> None:
    workspace = window.studio.workspace
    names = [line.time.name for line in page.nodes.model().rows]
    page.nodes.selectRow(names.index("conv2"))
    ref, document = workspace.selection(1), workspace.document(1)
    assert ref is not None
    assert document is not None
    assert document.graphs[0].nodes.names[ref.row] == "conv2"
    source = workspace.document(0)
    assert source is not None
    line = next(line for line in page.nodes.model().rows if line.time.name == "conv1")
    workspace.select(0, source.find_node(line.source[-1]))
    assert page.nodes.model().row(page.nodes.currentIndex()) is line


def test_the_graph_can_run_as_it_is_stored(
    window: MainWindow, open_in: Open, pair: list[Path], qtbot: QtBot
) -> None:
    open_in(window, pair[:1])
    window.studio.show_page("profile")
    page = window.studio.pages.profiling.page
    page.level.setCurrentIndex(page.level.findData(Level.DISABLE))
    page.start.click()
    qtbot.waitUntil(lambda: window.studio.pages.profiling.is_idle, timeout=PATIENCE_MS)
    assert all(line.time.in_file for line in page.nodes.model().rows)
    assert len(page.nodes.model().rows) == 11


def test_profile_and_trace_are_saved(
    window: MainWindow, page: ProfilePage, tmp_path: Path, qtbot: QtBot
) -> None:
    assert page.isVisible()
    work = window.studio.pages.profiling
    for kind in ("json", "trace"):
        with qtbot.waitSignal(work.saved, timeout=PATIENCE_MS):
            work.save(tmp_path / f"{kind}.json", kind)
    assert json.loads((tmp_path / "json.json").read_text())["schema"] == "ortstudio/profile@1"
    assert {event["ph"] for event in json.loads((tmp_path / "trace.json").read_text())} == {"X"}


def test_it_can_be_cancelled(
    window: MainWindow, open_in: Open, pair: list[Path], qtbot: QtBot
) -> None:
    open_in(window, pair[:1])
    window.studio.show_page("profile")
    work = window.studio.pages.profiling
    work.page.start.click()
    work.page.start.click()
    qtbot.waitUntil(lambda: work.is_idle, timeout=PATIENCE_MS)
    assert work.page.state.text() == "Cancelled"
    assert work.page.start.text() == "Profile"


def test_what_does_not_run_is_said(window: MainWindow, profile: Profile, corpus: Path) -> None:
    page = profile(window, [corpus / "v1_ort1.5.1_mlp_fixed_extended.ort"])
    assert "The structure of the ORT-format file is broken" in page.about.text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1360, 860), (760, 600)])
def test_no_text_is_cut(
    window: MainWindow,
    page: ProfilePage,
    qapp: QApplication,
    scheme: theme.Scheme,
    size: tuple[int, int],
) -> None:
    theme.apply(qapp, scheme)
    window.resize(*size)
    qapp.processEvents()
    assert cut_texts(page) == []
    assert cut_texts(page.tools) == []


@pytest.mark.parametrize("ground", [LIGHT, DARK], ids=["light", "dark"])
def test_heat_is_readable_and_its_steps_are_told_apart(ground: Theme) -> None:
    steps = [look(ground, step) for step in range(len(STEPS))]
    assert len({step.mark for step in steps}) == len(steps)
    for step in steps:
        assert contrast(step.ink, step.fill) >= 4.5
        assert contrast(step.border, ground.canvas) >= 3
    for a, b in combinations(steps, 2):
        assert min(difference(a.fill, b.fill, eyes) for eyes in EYES) >= 7


def test_the_folder_of_the_trace_goes_with_who_made_it(qtbot: QtBot) -> None:
    workspace = Workspace()
    work = Profiling(workspace, workspace, lambda: Child([]))
    folder = work.trace.parent
    qtbot.addWidget(work.page)
    assert folder.is_dir()
    shiboken6.delete(workspace)
    del work
    gc.collect()
    assert not folder.exists()
