"""`ortstudio diff` on what conversions really make, as text, JSON and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper

from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.command import Answer, Done, ortstudio


def converted(model: ModelProto, folder: Path, level: str = "disable") -> tuple[Path, Path]:
    """The model on disk, and its `.ort` of that level."""
    source = folder / "model.onnx"
    onnx.save(model, source)
    done = ortstudio("convert", source, "--level", level)
    assert done.code == 0, done.err
    (result,) = folder.glob("*.ort")
    return source, result


def diff(pair: Sequence[Path], *options: str) -> Done:
    return ortstudio("diff", *pair, *options)


def rows(found: Answer, part: str, kind: str) -> list[Answer]:
    return [row for row in found[part] if row["kind"] == kind]


def ops(row: Answer, side: str) -> list[str]:
    return [node["op"] for node in row[side]]


def model_row(found: Answer, name: str) -> Answer:
    (row,) = [row for row in found["model"] if row["name"] == name]
    return row


def conv_relu() -> ModelProto:
    kernel = np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node("Relu", ["c"], ["y"], "relu"),
    ]
    return onnx_model(
        nodes, [value("x", shape=(1, 3, 8, 8))], [value("y", shape=(1, 4, 6, 6))],
        [weight("w", kernel)], opset=17,
    )  # fmt: skip


def gelu() -> ModelProto:
    def scalar(name: str, number: float) -> TensorProto:
        return weight(name, np.array(number, np.float32))

    nodes: list[NodeProto] = [
        helper.make_node("Div", ["x", "root"], ["d"], "div"),
        helper.make_node("Erf", ["d"], ["e"], "erf"),
        helper.make_node("Add", ["e", "one"], ["a"], "add"),
        helper.make_node("Mul", ["x", "a"], ["m"], "mul"),
        helper.make_node("Mul", ["m", "half"], ["y"], "halve"),
    ]
    constants = [scalar("root", 2**0.5), scalar("one", 1), scalar("half", 0.5)]
    return onnx_model(
        nodes, [value("x", shape=(2, 8))], [value("y", shape=(2, 8))], constants, opset=17
    )


@pytest.mark.parametrize(
    ("model", "fused", "sources"),
    [
        (conv_relu(), "com.microsoft.FusedConv", ["Conv", "Relu"]),
        (gelu(), "com.microsoft.Gelu", ["Div", "Erf", "Add", "Mul", "Mul"]),
    ],
)
def test_a_vendor_node_stands_with_the_nodes_it_replaced(
    tmp_path: Path, model: ModelProto, fused: str, sources: list[str]
) -> None:
    done = diff(converted(model, tmp_path, "all"), "--json")
    assert done.code == 1
    (row,) = rows(done.json, "nodes", "fused")
    assert ops(row, "b") == [fused]
    assert sorted(ops(row, "a")) == sorted(sources)
    assert row["rewrite"]
    assert done.json["portability"]["verdict"] == "onnxruntime-only"
    text = diff([tmp_path / "model.onnx", *tmp_path.glob("*.ort")]).out
    assert f"→ {fused}" in text
    assert "Runs in ONNX Runtime only." in text


def test_at_level_basic_all_of_it_stays_portable(tmp_path: Path) -> None:
    done = diff(converted(gelu(), tmp_path, "basic"), "--json")
    assert done.json["portability"]["verdict"] == "portable"
    assert done.json["overview"].endswith("Portable.")


def test_a_folded_constant_is_told_with_the_bytes_it_added(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["filled"], "fill"),
        helper.make_node("Add", ["x", "filled"], ["y"], "add"),
    ]
    ends = [value("x", shape=(512, 512))], [value("y", shape=(512, 512))]
    shape = weight("shape", np.array([512, 512], np.int64))
    pair = converted(onnx_model(nodes, *ends, [shape], opset=17), tmp_path, "all")
    done = diff(pair, "--json")
    assert done.code == 1
    (node,) = rows(done.json, "nodes", "folded")
    assert (ops(node, "a"), node["b"]) == (["ConstantOfShape"], [])
    gone, made = rows(done.json, "initializers", "folded")
    assert (gone["a"]["name"], gone["b"]) == ("shape", None)
    assert made["a"] is None
    assert made["reason"] == (
        "Computed ahead from ConstantOfShape 'fill': 1.05 MB that the source had not"
    )
    assert "1 folded" in done.json["overview"]


def rich_model() -> ModelProto:
    """A local function, a large constant nobody uses, an input with a default, and remarks."""
    body = [helper.make_node("Add", ["a", "a"], ["b"], "sum")]
    imports = [helper.make_opsetid("", 17)]
    function = helper.make_function("my.f", "Twice", ["a"], ["b"], body, imports)
    nodes = [
        helper.make_node("Twice", ["x"], ["t"], "twice", domain="my.f"),
        helper.make_node("Add", ["t", "bias"], ["y"], "add"),
    ]
    model = onnx_model(
        nodes,
        [value("x"), value("bias")],
        [value("y")],
        [weight("bias", np.ones(2, np.float32)), weight("unused", np.zeros(50_000, np.float32))],
        opset=17,
        domains=["my.f"],
    )
    model.functions.append(function)
    model.graph.input[0].doc_string = "what goes in"
    model.graph.node[1].metadata_props.add(key="layer", value="last")
    model.graph.quantization_annotation.add(tensor_name="x")
    model.metadata_props.add(key="author", value="nobody")
    return model


def test_a_plain_conversion_is_no_difference_and_tells_all_that_is_lost(tmp_path: Path) -> None:
    done = diff(converted(rich_model(), tmp_path), "--json")
    found = done.json
    assert (done.code, found["differs"]) == (0, False)
    (inlined,) = rows(found, "nodes", "inlined")
    assert (ops(inlined, "a"), ops(inlined, "b")) == (["my.f.Twice"], ["Add"])
    (dropped,) = rows(found, "initializers", "removed")
    assert dropped["a"]["name"] == "unused"
    assert dropped["reason"] == "No node used it: dropped, 200 kB less"
    default = model_row(found, "input bias")
    assert default["kind"] == "kept"
    assert default["reason"] == "The same; callers can still override it"
    lost = ["graph name", "metadata of nodes", "doc strings of values", "quantization annotations"]
    for name in [*lost, "function my.f.Twice"]:
        assert model_row(found, name)["kind"] == "removed"
    assert model_row(found, "metadata author")["kind"] == "kept"
    added = model_row(found, "opset com.microsoft.nchwc")
    assert added["reason"] == "No node uses it: the runtime writes every domain that it knows"
    assert found["a"]["size_bytes"] > 200_000 > 4_000 > found["b"]["size_bytes"]


def test_the_text_says_so_too(tmp_path: Path) -> None:
    pair = converted(rich_model(), tmp_path)
    text = " ".join(diff(pair).out.split())
    assert "They differ in no more than names, defaults and form." in text
    assert "my.f.Twice → Add" in text
    assert "No node used it: dropped, 200 kB less" in text
    assert "callers can still override it" in text
    assert "Same operator, attributes and inputs" not in text


def test_all_lists_what_was_kept(tmp_path: Path) -> None:
    pair = converted(rich_model(), tmp_path)
    short, whole = diff(pair), diff(pair, "--all")
    assert "metadata author" in whole.out
    assert "metadata author" not in short.out
    assert len(whole.out.splitlines()) > len(short.out.splitlines())


def test_a_flipped_bit_in_a_result_is_found(tmp_path: Path) -> None:
    _, result = converted(conv_relu(), tmp_path)
    content = bytearray(result.read_bytes())
    kernel = np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype("<f4").tobytes()
    place = content.index(kernel)
    content[place + 4 * 31 + 3] ^= 0x80
    flipped = tmp_path / "flipped.ort"
    flipped.write_bytes(content)
    assert diff([result, result]).code == 0
    done = diff([result, flipped], "--json")
    assert done.code == 1
    (row,) = rows(done.json, "initializers", "changed")
    assert row["reason"].startswith("1 of 108 elements differs, at most by")
    assert row["changes"][0]["what"] == "element [1, 0, 1, 1]"


def test_the_page_is_written_whole_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    pair = converted(conv_relu(), tmp_path, "all")
    out = tmp_path / "page.html"
    done = diff(pair, "--html", str(out))
    assert (done.code, f"Written: {out}" in done.out) == (1, True)
    html = out.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert html.endswith("</html>\n")
    assert "FusedConv" in html
    refused = diff(pair, "--html", str(out), "--json")
    assert (refused.code, refused.json["kind"]) == (1, "refused")
    assert out.read_text(encoding="utf-8") == html
    assert diff(pair, "--html", str(out), "--overwrite").code == 1
    assert not list(tmp_path.glob(".ortstudio-*"))


def test_a_page_never_takes_the_place_of_a_model(tmp_path: Path) -> None:
    pair = converted(conv_relu(), tmp_path)
    before = pair[0].read_bytes()
    done = diff(pair, "--html", str(pair[0]), "--overwrite")
    assert done.code == 2
    assert pair[0].read_bytes() == before


def test_what_is_no_model_ends_with_3(tmp_path: Path) -> None:
    source = tmp_path / "model.onnx"
    onnx.save(conv_relu(), source)
    notes = tmp_path / "notes.onnx"
    notes.write_text("not a model")
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(source.read_bytes()[:-9])
    for other in (notes, cut, tmp_path / "missing.onnx"):
        done = diff([source, other], "--json")
        assert done.code == 3
        assert done.json["schema"] == "ortstudio/error@1"
        assert len(done.err.splitlines()) == 1


def test_overwrite_alone_is_a_mistake(tmp_path: Path) -> None:
    source = tmp_path / "model.onnx"
    onnx.save(conv_relu(), source)
    assert diff([source, source], "--overwrite").code == 2


def test_names_out_of_a_file_cannot_command_a_terminal(tmp_path: Path) -> None:
    a, b = tmp_path / "a.onnx", tmp_path / "b.onnx"
    evil = "\x1b[2J\nfused  \u202e"
    for path, name, op in ((a, "n", "Relu"), (b, evil, "Abs")):
        made = onnx_model(
            [helper.make_node(op, ["x"], [name], name)], [value("x")], [value(name, FLOAT)]
        )
        made.producer_name = name
        onnx.save(made, path)
    done = diff([a, b], "--all")
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "\\x1b[2J\\nfused" in done.out
