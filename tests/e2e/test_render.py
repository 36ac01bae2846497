"""The graph as a picture: what stands in it, where it goes, and what is refused."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtGui import QColor, QImage

from ortstudio.ui.theme import DARK, LIGHT, Theme
from tests.e2e.command import ortstudio

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["a<b>&\"c'", "重み", "שלום", "line\nbreak\x01", "wide  spaces"]
LONG = 3000
NO_DISPLAY = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def chain(path: Path, names: list[str]) -> Path:
    """A Relu after the other, by these names."""
    values = ["入<&>", *(f"v{i}" for i in range(len(names)))]
    nodes = [
        helper.make_node("Relu", [values[i]], [values[i + 1]], name=name)
        for i, name in enumerate(names)
    ]
    ends = [helper.make_tensor_value_info(v, TensorProto.FLOAT, [2]) for v in values]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[-1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def nodes(path: Path, family: str = "") -> list[ET.Element]:
    """The groups of nodes in a drawing, those of a family or all but the ports."""
    groups = ET.parse(path).getroot().iter(f"{SVG}g")
    kinds = [(group, group.get("class", "").split()) for group in groups]
    return [
        group
        for group, kind in kinds
        if kind[0] == "node" and (family in kind if family else "port" not in kind)
    ]


def said(group: ET.Element, kind: str) -> list[str]:
    return [text.text or "" for text in group.iter(f"{SVG}text") if text.get("class") == kind]


def test_every_node_stands_in_the_drawing_by_its_operator(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.svg"
    done = ortstudio(
        "render",
        corpus / "v5_ort1.14.1_cnn_fixed_all.ort",
        "-o",
        out,
        "--json",
        environment=NO_DISPLAY,
    )
    assert (done.code, done.err) == (0, "")
    answer = done.json
    assert answer["schema"] == "ortstudio/render@1"
    assert (answer["path"], answer["size_bytes"]) == (str(out), out.stat().st_size)
    drawn = nodes(out)
    assert len(drawn) == answer["nodes"] == 6
    labels = [label for group in drawn for label in said(group, "label")]
    assert labels.count("FusedConv") == 2
    root = ET.parse(out).getroot()
    assert (root.get("width"), root.get("height")) == (str(answer["width"]), str(answer["height"]))


@pytest.mark.parametrize(
    ("path", "labels"), [("/", {"If", "Loop", "Scan"}), ("/top_if/then_branch", {"Add"})]
)
def test_a_subgraph_is_drawn_by_its_path(
    path: str, labels: set[str], corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.svg"
    model = corpus / "v5_ort1.14.1_control_fixed_disable.ort"
    assert ortstudio("render", model, "-o", out, "--graph", path).code == 0
    assert labels <= {label for group in nodes(out) for label in said(group, "label")}


def test_a_graph_that_is_not_there_is_named(corpus: Path, tmp_path: Path) -> None:
    model = corpus / "v5_ort1.14.1_control_fixed_disable.ort"
    done = ortstudio("render", model, "-o", tmp_path / "m.svg", "--graph", "/no")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "'/no'" in done.err
    assert "/top_if/then_branch" in done.err


def test_names_of_any_letters_are_text(tmp_path: Path) -> None:
    out = tmp_path / "m.svg"
    assert ortstudio("render", chain(tmp_path / "m.onnx", NAMES), "-o", out).code == 0
    details = [said(group, "detail") for group in nodes(out)]
    assert details == [[n] for n in [*NAMES[:3], "line\\nbreak\\x01", NAMES[4]]]
    assert said(nodes(out, "port")[0], "label") == ["入<&>"]


def test_a_value_that_is_read_far_away_is_named_at_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    model = onnx.load(chain(path, [f"n{i}" for i in range(200)]))
    for node in model.graph.node[20::20]:
        node.op_type = "Add"
        node.input.append("入<&>")
    onnx.save(model, path)
    assert ortstudio("render", path, "-o", tmp_path / "m.svg").code == 0
    groups = ET.parse(tmp_path / "m.svg").getroot().iter(f"{SVG}g")
    stubs = [group for group in groups if group.get("class") == "stub"]
    (start, *ends) = [said(stub, "small")[0] for stub in stubs]
    assert start == f"{len(ends)} × 入<&>"
    assert set(ends) == {"入<&>"}


@pytest.mark.parametrize("name", ["m.svg", "m.png"])
def test_a_graph_without_nodes_is_a_picture_too(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    graph = helper.make_graph([], "g", [], [])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    done = ortstudio("render", path, "-o", tmp_path / name, "--json")
    assert (done.code, done.json["nodes"]) == (0, 0)


def test_far_down_everything_still_meets(tmp_path: Path) -> None:
    out = tmp_path / "m.svg"
    model = chain(tmp_path / "m.onnx", [f"n{i}" for i in range(LONG)])
    assert ortstudio("render", model, "-o", out).code == 0
    last = nodes(out)[-1]
    box, text = last.find(f"{SVG}rect"), last.find(f"{SVG}text[@class='label']")
    assert box is not None
    assert text is not None
    top, base = float(box.get("y", "")), float(text.get("y", ""))
    assert top > 100_000
    assert 10 < base - top < 30
    assert f"V{box.get('y')}" in out.read_text(encoding="utf-8")


def test_equal_models_give_equal_drawings(corpus: Path, tmp_path: Path) -> None:
    model = corpus / "v5_ort1.15.1_encoder_fixed_extended.ort"
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for out in files:
        assert ortstudio("render", model, "-o", out).code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(("name", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_a_png_holds_the_drawing_in_its_theme(
    name: str, theme: Theme, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.PNG"
    model = corpus / "v5_ort1.14.1_cnn_fixed_all.ort"
    done = ortstudio("render", model, "-o", out, "--theme", name, "--json")
    image = QImage(str(out)).convertToFormat(QImage.Format.Format_RGB32)
    assert (image.width(), image.height()) == (done.json["width"], done.json["height"])
    pixels = np.frombuffer(image.constBits(), np.uint32)
    for colour in (theme.canvas, theme.families["convolution"].fill):
        assert np.count_nonzero(pixels == QColor(colour).rgb()) > 1000


def test_a_png_of_a_large_graph_is_smaller_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "m.png"
    model = chain(tmp_path / "m.onnx", [f"n{i}" for i in range(LONG)])
    done = ortstudio("render", model, "-o", out)
    image = QImage(str(out))
    assert max(image.width(), image.height()) <= 16_384
    assert f"{image.height():,} pixels, at " in done.out


def test_a_picture_is_replaced_only_when_asked(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.svg"
    out.write_text("mine")
    model = corpus / "v5_ort1.14.1_cnn_fixed_all.ort"
    assert ortstudio("render", model, "-o", out).code == 1
    assert out.read_text() == "mine"
    assert ortstudio("render", model, "-o", out, "--overwrite").code == 0
    assert out.read_text(encoding="utf-8").startswith("<?xml")
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("verb", ["render", "screenshot"])
@pytest.mark.parametrize("name", ["m.bmp", "m", "m.jpg"])
def test_another_kind_of_picture_is_a_wrong_command_line(
    verb: str, name: str, corpus: Path, tmp_path: Path
) -> None:
    done = ortstudio(verb, corpus / "v5_ort1.14.1_cnn_fixed_all.ort", "-o", tmp_path / name)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert ".png" in done.err
    assert list(tmp_path.iterdir()) == []


def test_the_model_is_never_replaced(corpus: Path, tmp_path: Path) -> None:
    model = Path(shutil.copy(corpus / "v5_ort1.14.1_cnn_fixed_all.ort", tmp_path / "m.svg"))
    done = ortstudio("render", model, "-o", model, "--overwrite")
    assert (done.code, "-o names a model" in done.err) == (2, True)


@pytest.mark.parametrize("damage", ["cut", "no model"])
def test_what_cannot_be_drawn_is_one_line(damage: str, corpus: Path, tmp_path: Path) -> None:
    content = (corpus / "v5_ort1.14.1_cnn_fixed_all.ort").read_bytes()
    model = tmp_path / "m.ort"
    model.write_bytes(content[: len(content) // 2] if damage == "cut" else b"hello")
    done = ortstudio("render", model, "-o", tmp_path / "m.svg", "--json")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert done.json["schema"] == "ortstudio/error@1"
    assert not (tmp_path / "m.svg").exists()
