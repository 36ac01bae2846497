"""Files that will not load elsewhere, and false alarms about them: as told in the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.model.refs import RefKind
from ortstudio.services.sessions import Style, Target
from ortstudio.ui.compatibility.page import CompatibilityPage
from ortstudio.ui.compatibility.sheet import Act
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.places import Place
from ortstudio.ui.views.facts import Fact, Link
from tests.builders.field_models import converted, convolution, four_bits, with_version
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture(autouse=True)
def nothing_else_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the own runtime is at hand."""
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))


def chips(window: MainWindow) -> dict[str, tuple[str, str]]:
    """Words and tone by key."""
    return {one.key: (one.text, one.tone) for one in window.studio.verdicts.chips()}


def page(window: MainWindow, qtbot: QtBot) -> CompatibilityPage:
    window.studio.show_page("compatibility")
    found = window.studio.pages.judging.page
    qtbot.waitUntil(found.facts.isVisible, timeout=PATIENCE_MS)
    return found


def links(shown: CompatibilityPage) -> list[Link]:
    rows = [row for section in shown.facts.sheet.sections for row in section.rows]
    return [
        run for row in rows if isinstance(row, Fact) for run in row.runs() if isinstance(run, Link)
    ]


def test_a_format_of_the_future_is_shown_and_its_load_fails_in_the_runtimes_own_words(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    path = with_version(converted(convolution(), tmp_path / "plain.ort"), "7")
    open_in(window, [path])
    assert window.last_error is None
    assert chips(window)["version"] == ("ORT v7", "warning")
    assert chips(window)["releases"] == ("loads nowhere", "error")
    shown = page(window, qtbot)
    assert "Format version 7 is newer than any release" in shown.facts.sheet.text()
    shown.facts.link_activated.emit(Act("try"))
    qtbot.waitUntil(lambda: "as expected" in shown.facts.sheet.text(), timeout=PATIENCE_MS)
    said = shown.facts.sheet.sections[-1]
    assert said.folded
    assert "ORT format model version [7] is not supported" in shown.facts.sheet.text()


def test_the_same_format_number_is_no_promise_and_the_tensor_is_a_click_away(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [converted(four_bits(), tmp_path / "narrow.ort", Style.RUNTIME)])
    assert chips(window)["releases"] == ("loads on 1.19 to 1.27", "warning")
    shown = page(window, qtbot)
    shown.pick(Release(1, 16, 3))
    assert "1.16.3 reads format version 6, but not this file" in shown.facts.sheet.text()
    (target,) = [link.target for link in links(shown) if link.text == "w"]
    assert isinstance(target, Place)
    shown.facts.link_activated.emit(target)
    assert window.studio.workspace.selection(0) == target.ref


def test_imported_domains_raise_no_alarm_and_blocked_nodes_do(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [converted(convolution(), tmp_path / "plain.ort")])
    qtbot.waitUntil(lambda: chips(window)["portability"][1] != "muted", timeout=PATIENCE_MS)
    assert chips(window)["portability"] == ("ONNX Runtime only", "text")
    (chip,) = [one for one in window.studio.verdicts.chips() if one.key == "portability"]
    assert "Portable between CPUs: no node is tied to a CPU family" in chip.tip
    open_in(window, [converted(convolution(), tmp_path / "tied.ort", processor=Target.AMD64)])
    qtbot.waitUntil(lambda: chips(window)["portability"][1] != "muted", timeout=PATIENCE_MS)
    assert chips(window)["portability"] == ("tied to a CPU family", "warning")
    findings = window.studio.findings
    (row,) = [one for one in findings.model.rows if one.finding.code == "blocked-layout"]
    findings.table.activated.emit(findings.model.find(row))
    ref, document = window.studio.workspace.selection(0), window.studio.workspace.document(0)
    assert ref is not None
    assert document is not None
    assert ref.kind is RefKind.NODE
    assert document.graphs[0].nodes.domains[ref.row] == "com.microsoft.nchwc"
