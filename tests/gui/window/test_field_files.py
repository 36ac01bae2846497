"""What people really open: who made a file, damage, wrong names, data that is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import Ref, RefKind
from ortstudio.services import describe
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.facts import Fact, Prose
from tests.builders.siblings import write_adapter, write_checkpoint
from tests.e2e.test_cli_damage import GOOD, ONNX, UNREADABLE
from tests.gui.dumps import dump

Open = Callable[[MainWindow, Sequence[Path]], None]
Say = Callable[[Ref], dict[str, dict[str, str]]]


@pytest.fixture
def say(window: MainWindow, qtbot: QtBot) -> Say:
    """What the inspector says of something: section → name → text with its note."""

    def act(ref: Ref) -> dict[str, dict[str, str]]:
        inspector, workspace = window.studio.inspector, window.studio.workspace
        document = workspace.document(0)
        assert document is not None
        title, subtitle = describe.heading(document, ref)
        workspace.select(0, ref)
        inspector.refresh()
        sheet = inspector.view
        qtbot.waitUntil(lambda: (sheet.sheet.title, sheet.sheet.subtitle) == (title, (subtitle,)))
        found: dict[str, dict[str, str]] = {}
        for section in inspector.view.sheet.sections:
            rows = found.setdefault(section.title, {})
            for row in section.rows:
                if isinstance(row, Prose):
                    rows[""] = row.text
                elif isinstance(row, Fact):
                    rows[str(row.key)] = f"{row.whole()} {row.note}".strip()
        return found

    return act


def chips(window: MainWindow) -> dict[str, str]:
    """The chips' texts and tones."""
    return {chip.text: chip.tone for chip in window.studio.verdicts.chips()}


@pytest.mark.parametrize(
    ("name", "version", "releases"),
    [
        ("v5_ort1.14.1_meta_fixed_disable.ort", "5", "1.13 to 1.15"),
        ("v6_ort1.32.0_meta_fixed_disable.ort", "6", "1.16 and newer"),
    ],
)
def test_versions_are_three_numbers_and_the_release_is_not_claimed(
    window: MainWindow,
    open_in: Open,
    corpus: Path,
    say: Say,
    name: str,
    version: str,
    releases: str,
) -> None:
    open_in(window, [corpus / name])
    said = say(Ref(RefKind.MODEL))
    versions = said["Versions"]
    assert versions["ORT format version"] == version
    assert versions["ONNX IR version"] == "7"
    assert versions["ONNX opset"] == "12"
    written_by = f"ONNX Runtime {releases} the file does not say which of them"
    assert versions["Written by"] == written_by
    assert versions["Model version"] == "1234567890123"
    assert said["Made by"] == {
        "Producer": "corpus maker ✓",
        "Producer version": "9.8.7-rc1",
        "Domain": "org.example.corpus",
    }
    assert said["Description"][""] == "the model's doc string"
    assert said["Graph description"][""] == "the graph's doc string\nsecond line"
    assert say(Ref(RefKind.METADATA))["Metadata"]["clé"] == "värde 値"


def test_a_guess_of_the_release_is_marked_as_one(
    window: MainWindow, open_in: Open, corpus: Path, say: Say
) -> None:
    open_in(window, [corpus / "v5_ort1.14.1_meta_fixed_disable.ort"])
    guess = say(Ref(RefKind.MODEL))["Versions"]["Perhaps by"]
    assert guess == "1.14 a guess from the imported domains"


def test_a_model_version_that_was_never_set_reads_so(
    window: MainWindow, open_in: Open, corpus: Path, say: Say
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    assert say(Ref(RefKind.MODEL))["Versions"]["Model version"] == "not set"


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_model_says_what_it_is_and_leaves_the_window(
    window: MainWindow, open_in: Open, tmp_path: Path, name: str
) -> None:
    content, words = UNREADABLE[name]
    path = tmp_path / "broken.ort"
    path.write_bytes(content)
    open_in(window, [path])
    assert window.last_error is not None
    assert words in window.last_error.message
    assert window.last_error.hint
    assert not window.studio.workspace.open_sides


@pytest.mark.parametrize("content", [GOOD, ONNX], ids=["ort", "onnx"])
def test_a_damaged_file_shows_its_damage_and_the_rest(
    window: MainWindow, open_in: Open, tmp_path: Path, say: Say, content: bytes
) -> None:
    path = tmp_path / "half.ort"
    path.write_bytes(content[: len(content) // 2])
    open_in(window, [path])
    assert window.last_error is None
    damage = say(Ref(RefKind.MODEL))["Damaged"][""]
    assert damage.startswith("The file is cut short")
    assert damage.endswith("\nWhat can still be read is shown.")
    assert ".." not in damage
    assert chips(window)["damaged"] == "error"
    assert "good" not in chips(window).values()
    assert window.studio.pair.panes[0].pictured is not None


@pytest.mark.parametrize(
    ("version", "problem"),
    [("7", "Format 7 is newer than this tool knows"), ("x", "'x' is no format version")],
)
def test_an_unknown_format_version_is_said_and_the_rest_shown(
    window: MainWindow, open_in: Open, tmp_path: Path, say: Say, version: str, problem: str
) -> None:
    path = tmp_path / "newer.ort"
    path.write_bytes(GOOD.replace(b"\x01\0\0\x006\0", b"\x01\0\0\0" + version.encode() + b"\0"))
    open_in(window, [path])
    versions = say(Ref(RefKind.MODEL))["Versions"]
    assert versions["ORT format version"] == version
    assert versions[""] == problem
    assert "Written by" not in versions
    assert chips(window)[f"ORT v{version}"] == "warning"
    assert window.studio.pair.panes[0].pictured is not None


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.onnx", GOOD, "ORT format model"),
        ("a.ort", ONNX, "ONNX model"),
        ("a", GOOD, "ORT format model"),
        ("a.ORT", GOOD, "ORT format model"),
    ],
)
def test_the_content_decides_what_a_file_is(
    window: MainWindow,
    open_in: Open,
    tmp_path: Path,
    say: Say,
    name: str,
    content: bytes,
    kind: str,
) -> None:
    (tmp_path / name).write_bytes(content)
    open_in(window, [tmp_path / name])
    assert say(Ref(RefKind.MODEL))["File"]["Kind"] == kind
    assert bool(window.studio.convertible) == (kind == "ONNX model")
    findings = window.studio.findings.model
    said = [findings.row(findings.index(row, 0)).finding for row in range(findings.rowCount())]
    about_names = [f for f in said if "session.load_model_format" in f.message]
    assert len(about_names) == (name != "a.ORT")


@pytest.fixture
def with_data(tmp_path: Path) -> Path:
    """A product with a weight of 256 by 256 that stands in a file of its own."""
    weight = numpy_helper.from_array(np.ones((256, 256), np.float32), "W")
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 256]) for n in ("x", "y")]
    node = helper.make_node("MatMul", ["x", "W"], ["y"], "product")
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], [weight])
    path = tmp_path / "model.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save_model(model, path, save_as_external_data=True, location="ext.bin", size_threshold=0)
    return path


def test_sizes_count_the_data_in_other_files(
    window: MainWindow, open_in: Open, with_data: Path, say: Say, qtbot: QtBot
) -> None:
    open_in(window, [with_data])
    said = say(Ref(RefKind.MODEL))
    whole = with_data.stat().st_size + 256 * 256 * 4
    assert said["File"]["With external data"] == f"262 kB ({whole:,} bytes)"
    assert said["External data"]["ext.bin"] == "262 kB"
    texts: list[str] = []
    window.studio.summary.connect(texts.append)
    open_in(window, [with_data])
    qtbot.waitUntil(lambda: texts == ["1 node, 65,536 parameters, 262 kB in 2 files"])


@pytest.mark.parametrize("length", [None, 1000], ids=["missing", "cut short"])
def test_lost_data_is_named_before_and_after_asking_for_a_conversion(
    window: MainWindow, open_in: Open, with_data: Path, say: Say, qtbot: QtBot, length: int | None
) -> None:
    data = with_data.with_name("ext.bin")
    if length is None:
        data.unlink()
    else:
        os.truncate(data, length)
    open_in(window, [with_data])
    assert window.studio.pair.panes[0].pictured is not None
    type_of_weight = say(Ref(RefKind.INITIALIZER, 0, 0))["Initializer"]
    assert type_of_weight["Shape"] == "[256, 256]"
    finding = window.studio.findings.model.row(window.studio.findings.model.index(0, 0)).finding
    assert "'W'" in finding.message
    assert "ext.bin" in finding.message
    offer = window.studio.converting.offer_pane
    with qtbot.waitSignal(window.stopped, timeout=60_000):
        window.studio.converting.start(ConvertSettings())
    assert offer.shows_outcome
    job = window.studio.converting.conversions.jobs[-1]
    assert "ext.bin" in job.text
    assert "W" in job.text
    assert not list(with_data.parent.glob("*.ort"))


@pytest.mark.parametrize("write", [write_adapter, write_checkpoint])
def test_files_without_a_graph_show_their_tensors(
    window: MainWindow, open_in: Open, tmp_path: Path, say: Say, write: Callable[[Path], Path]
) -> None:
    open_in(window, [write(tmp_path / "file")])
    shown = dump(window.studio.navigator.model)
    assert "Graph" not in shown
    assert shown.split("\n")[1].startswith("  Tensors | ")
    assert "Portability" not in say(Ref(RefKind.MODEL))
    assert "portable" not in chips(window)
    window.studio.workspace.select(0, Ref(RefKind.INITIALIZER, 0, 1))
    current = window.studio.navigator.tree.currentIndex()
    assert current.parent().data() == "Tensors"
