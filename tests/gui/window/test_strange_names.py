"""Names that look like markup, run over lines, turn the direction of writing or never end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import Ref, RefKind
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.rich_text import RichText

Open = Callable[[MainWindow, Sequence[Path]], None]

NAMES = [
    "<b>bold</b> & <img src='https://example.org/x.png'>",
    "two\nlines\tand a tab",
    "right \u202eto left",
    "重み/畳み込み層/バイアス",
    "משקל/שכבה",
    "long_" * 60,
    "&File",
    "%n %1 {0}",
]
DOC = "<h1>Huge</h1> **not bold** [link](https://example.org)\n" + "word " * 200


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A chain of nodes with those names."""
    ends = [f"v{i}" for i in range(len(NAMES) + 1)]
    nodes = [
        helper.make_node("Relu", [a], [b], name, doc_string=DOC)
        for name, a, b in zip(NAMES, ends, ends[1:], strict=False)
    ]
    values = [helper.make_tensor_value_info(e, TensorProto.FLOAT, ["<i>N</i>"]) for e in ends]
    graph = helper.make_graph(nodes, "<u>g</u>", values[:1], values[-1:], doc_string=DOC)
    model = helper.make_model(graph, producer_name="<s>maker</s>", doc_string=DOC)
    model.metadata_props.add(key="<b>key</b>", value="<b>value</b>" * 40)
    path = tmp_path / "a &amp; b.onnx"
    onnx.save(model, path)
    return path


def is_shown(window: MainWindow, name: str) -> bool:
    return window.studio.inspector.view.sheet.title == name


def shown(window: MainWindow) -> str:
    texts = window.studio.inspector.findChildren(RichText)
    return "\n".join(text.toPlainText() for text in texts)


def test_names_stand_as_they_are_everywhere(
    window: MainWindow, open_in: Open, strange: Path, qtbot: QtBot
) -> None:
    open_in(window, [strange])
    studio = window.studio
    for row, name in enumerate(NAMES):
        studio.workspace.select(0, Ref(RefKind.NODE, 0, row))
        qtbot.waitUntil(partial(is_shown, window, name))
        assert "**not bold** [link](https://example.org)" in shown(window)
        assert "<h1>Huge</h1>" in shown(window)
        index = studio.navigator.tree.currentIndex()
        text, tip = index.data(), index.data(Qt.ItemDataRole.ToolTipRole)
        assert text.startswith("Relu  ")
        assert "\n" not in text
        assert "\u202e" not in text
        assert "<b>" not in tip
    studio.workspace.select(0, Ref(RefKind.MODEL))
    qtbot.waitUntil(lambda: "<s>maker</s>" in shown(window))
    studio.workspace.select(0, Ref(RefKind.METADATA))
    qtbot.waitUntil(lambda: "<b>value</b>" * 40 in shown(window))


def test_labels_of_the_window_take_no_name_for_markup(
    window: MainWindow, open_in: Open, strange: Path
) -> None:
    open_in(window, [strange])
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 0))
    labels = [label for label in window.findChildren(QLabel) if "<b>" in label.text()]
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
