"""The page on which releases load what is open, and the chip that sums it up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import onnxruntime
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.model.refs import RefKind
from ortstudio.services.compatibility import BUILDS
from ortstudio.ui.compatibility.page import CompatibilityPage
from ortstudio.ui.compatibility.sheet import Act
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.runtimes.dialog import RuntimesDialog
from ortstudio.ui.upgrade.dialog import UpgradeDialog
from ortstudio.ui.views.facts import Fact, Link
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
NEW = "v6_ort1.32.0_cnn_runtime_all.ort"
INT4 = "v6_ort1.19.2_int4_fixed_disable.ort"
OLD = "v4_ort1.12.1_mlp_fixed_basic.ort"
OWN = Release.parse(onnxruntime.__version__)


@pytest.fixture(autouse=True)
def nothing_else_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the own runtime is at hand."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "config"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))


@pytest.fixture
def look(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> Callable[..., CompatibilityPage]:
    """Opens files of the corpus and brings the page to the front."""

    def act(*files: str | Path) -> CompatibilityPage:
        open_in(window, [corpus / file for file in files])
        window.studio.show_page("compatibility")
        page = window.studio.pages.judging.page
        qtbot.waitUntil(lambda: bool(window.choosing.all), timeout=PATIENCE_MS)
        qtbot.waitUntil(page.facts.isVisible, timeout=PATIENCE_MS)
        return page

    return act


def chip(window: MainWindow) -> tuple[str, str]:
    """Its words and its tone."""
    (found,) = [one for one in window.studio.verdicts.chips() if one.key == "releases"]
    return found.text, found.tone


def row(page: CompatibilityPage, key: str) -> Fact:
    """The first fact under a key."""
    rows = [r for section in page.facts.sheet.sections for r in section.rows]
    return next(r for r in rows if isinstance(r, Fact) and r.key == key)


def links(fact: Fact) -> list[Link]:
    return [run for run in fact.runs() if isinstance(run, Link)]


def follow(page: CompatibilityPage, key: str, place: int = 0) -> None:
    page.facts.link_activated.emit(links(row(page, key))[place].target)


@pytest.mark.parametrize(
    ("file", "words", "tone"),
    [
        ("v6_ort1.18.1_modern_fixed_disable.ort", "loads on 1.18+", "good"),
        (NEW, "loads on 1.16+", "text"),
        (INT4, "loads on 1.19 to 1.27", "warning"),
        ("v1_ort1.5.1_mlp_fixed_extended.ort", "loading not known", "muted"),
    ],
)
def test_the_chip_is_green_only_where_newest_releases_load_all_of_the_file(
    window: MainWindow, open_in: Open, corpus: Path, file: str, words: str, tone: str
) -> None:
    open_in(window, [corpus / file])
    assert chip(window) == (words, tone)


def test_the_chip_is_grey_while_nothing_is_known_and_leads_to_the_page(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    seen: list[tuple[str, str]] = []

    def watch() -> None:
        chips = window.studio.verdicts.chips()
        seen.extend((one.text, one.tone) for one in chips if one.key == "releases")

    window.studio.workspace.changed.connect(watch)
    open_in(window, [corpus / NEW])
    assert seen == [("loading", "muted")]
    assert window.studio.docks["compatibility"].widget() is None
    window.studio.verdicts.page_requested.emit("compatibility")
    facts = window.studio.pages.judging.page.facts
    qtbot.waitUntil(facts.isVisible, timeout=PATIENCE_MS)


def test_a_damaged_file_loads_nowhere(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.ort"
    cut.write_bytes((corpus / NEW).read_bytes()[:3000])
    open_in(window, [cut])
    assert chip(window) == ("loads nowhere", "error")


def test_a_release_that_refuses_says_why_and_what_to_do(
    look: Callable[..., CompatibilityPage],
) -> None:
    page = look(NEW)
    page.pick(Release(1, 15, 1))
    assert page.facts.sheet.title == "ONNX Runtime 1.15.1: refuses"
    assert row(page, "why").whole() == (
        "Format version 6 is too new for 1.15.1: it needs 1.16 or later."
    )
    assert "[6] is not supported in this build 1.15.1" in row(page, "it will say").whole()
    assert "measurements" in row(page, "from").whole()
    ways = [
        r
        for s in page.facts.sheet.sections
        for r in s.rows
        if isinstance(r, Fact) and r.key == "way out"
    ]
    assert ways[0].whole() == "Ship a newer runtime that loads this file: 1.16 or later."
    assert ways[1].detail == "ortstudio convert MODEL.onnx --runtime 1.15.1"
    assert "too old" not in page.facts.sheet.text()


def test_what_it_is_about_leads_to_the_place(
    window: MainWindow, look: Callable[..., CompatibilityPage]
) -> None:
    page = look(INT4)
    page.pick(Release(1, 16, 3))
    assert "does not know the element type uint4" in row(page, "why").whole()
    follow(page, "about", 1)
    ref = window.studio.workspace.selection(0)
    document = window.studio.workspace.document(0)
    assert ref is not None
    assert document is not None
    assert ref.kind is RefKind.VALUE
    assert document.graphs[0].values.names[ref.row] == "w_i4"


def test_another_build_is_asked_about(look: Callable[..., CompatibilityPage], qtbot: QtBot) -> None:
    page = look(OLD)
    assert "loads" in page.facts.sheet.title
    page.builds.setCurrentIndex(BUILDS.index("minimal"))
    qtbot.waitUntil(
        lambda: page.facts.sheet.title == "ONNX Runtime 1.32.0, minimal build: refuses",
        timeout=PATIENCE_MS,
    )
    assert "need format version 5" in row(page, "why").whole()
    assert row(page, "tried").whole() == "no: releases at hand are full builds"


def test_the_arrow_keys_go_from_release_to_release(
    look: Callable[..., CompatibilityPage], qtbot: QtBot
) -> None:
    page = look(NEW)
    qtbot.keyClick(page.strip.cells, Qt.Key.Key_Home)
    assert page.facts.sheet.title == "ONNX Runtime 1.4.0: refuses"
    qtbot.keyClick(page.strip.cells, Qt.Key.Key_Right)
    assert page.facts.sheet.title == "ONNX Runtime 1.5.1: refuses"


def test_of_a_pair_both_are_shown_one_below_the_other(
    look: Callable[..., CompatibilityPage],
) -> None:
    page = look("sources/cnn.onnx", NEW)
    page.pick(Release(1, 20, 1))
    titles = [section.title for section in page.facts.sheet.sections]
    assert titles == ["cnn.onnx: loads", f"{NEW}: loads"]
    page.copy.click()
    first = QApplication.clipboard().text().splitlines()[0]
    assert first == f"release\tcnn.onnx\t{NEW}"


def test_a_release_at_hand_is_tried_for_real_and_what_came_of_it_is_kept(
    window: MainWindow, look: Callable[..., CompatibilityPage], open_in: Open, qtbot: QtBot,
    corpus: Path,
) -> None:  # fmt: skip
    page = look(INT4)
    assert OWN is not None
    page.pick(OWN)
    follow(page, "tried")
    assert row(page, "tried").whole() == "Loading it… Cancel"
    qtbot.waitUntil(lambda: "expected" in page.facts.sheet.text(), timeout=PATIENCE_MS)
    assert row(page, "tried").whole() == "it refuses, as expected. Try it again"
    said = page.facts.sheet.sections[-1]
    assert (said.title, said.folded) == (f"What {OWN} said of {INT4}", True)
    assert "Unsupported tensor data type" in page.facts.sheet.text()
    open_in(window, [corpus / NEW])
    assert row(page, "tried").whole() == "not yet. Try it"
    open_in(window, [corpus / INT4])
    assert row(page, "tried").whole() == "it refuses, as expected. Try it again"


def test_what_keeps_a_file_from_being_tried_is_told(
    window: MainWindow, look: Callable[..., CompatibilityPage], qtbot: QtBot, tmp_path: Path
) -> None:
    page = look(NEW)
    window.choosing.use(replace(window.choosing.current, where=str(tmp_path / "gone")))
    follow(page, "tried")
    words = "Loading it"
    qtbot.waitUntil(lambda: words not in row(page, "tried").whole(), timeout=PATIENCE_MS)
    assert row(page, "tried").whole().startswith("The child process did not start")
    assert links(row(page, "tried"))[0].target == Act("try")


def test_a_trial_is_cancelled(look: Callable[..., CompatibilityPage]) -> None:
    page = look(NEW)
    follow(page, "tried")
    follow(page, "tried")
    assert row(page, "tried").whole() == "not yet. Try it"


def test_a_release_that_is_not_at_hand_is_to_be_installed(
    window: MainWindow, look: Callable[..., CompatibilityPage]
) -> None:
    page = look(NEW)
    page.pick(Release(1, 15, 1))
    assert links(row(page, "tried"))[0].target == Act("install")
    follow(page, "tried")
    dialog = window.findChild(RuntimesDialog)
    assert dialog is not None
    assert dialog.release.currentText() == "1.15.1"
    dialog.reject()


def test_a_file_too_old_is_upgraded_in_the_wizard(
    window: MainWindow, look: Callable[..., CompatibilityPage]
) -> None:
    page = look(OLD)
    page.pick(Release(1, 13, 1))
    ways = [r for s in page.facts.sheet.sections for r in s.rows if isinstance(r, Fact)]
    (target,) = [link.target for fact in ways for link in links(fact) if link.text == "Upgrade…"]
    page.facts.link_activated.emit(target)
    dialog = window.findChild(UpgradeDialog)
    assert dialog is not None
    dialog.reject()


def test_an_onnx_model_is_asked_of_too(look: Callable[..., CompatibilityPage]) -> None:
    page = look("sources/modern.onnx")
    page.pick(Release(1, 16, 3))
    assert page.facts.sheet.title == "ONNX Runtime 1.16.3: refuses"
    assert "opset 20" in row(page, "why").whole()


def test_what_is_no_model_has_no_releases(
    window: MainWindow, open_in: Open, tmp_path: Path
) -> None:
    from tests.builders.siblings import write_checkpoint

    path = tmp_path / "checkpoint"
    write_checkpoint(path)
    open_in(window, [path])
    window.studio.show_page("compatibility")
    page = window.studio.pages.judging.page
    assert "no graph that a release could load" in page.words.text()
    assert not page.builds.isEnabled()
    assert [one.key for one in window.studio.verdicts.chips()] == ["version", "findings"]


@pytest.mark.parametrize("size", [(640, 480), (1024, 700), (1900, 1100)])
def test_it_fits(
    window: MainWindow, look: Callable[..., CompatibilityPage], size: tuple[int, int]
) -> None:
    page = look("sources/cnn.onnx", NEW)
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    assert cut_texts(page) == []
    assert cut_texts(page.tools) == []
