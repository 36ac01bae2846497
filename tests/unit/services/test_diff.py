"""Comparing two files: the answer, progress and cancelling, the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.errors import DONE_NO, DONE_YES, FormatError, MissingError, RefusedError
from ortstudio.services.conversion import CancelledError
from ortstudio.services.diff import Comparison, answer, compare_documents, compare_files
from ortstudio.services.diff_groups import gist
from ortstudio.services.diff_page import page
from ortstudio.services.diff_pictures import picture
from ortstudio.services.document import open_document
from ortstudio.services.whole_file import write_text
from tests.builders.onnx_files import onnx_model, value, weight
from tests.builders.siblings import write_adapter, write_checkpoint

ONES: NDArray[np.float32] = np.ones((2, 3), np.float32)


def product(array: NDArray[np.float32] = ONES, name: str = "mm") -> ModelProto:
    """A product with a constant."""
    return onnx_model(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name)],
        [value("x", shape=(4, 2))],
        [value("y", shape=(4, 3))],
        [weight("w", array)],
    )


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two files for a test to fill."""
    return tmp_path / "a.onnx", tmp_path / "b.onnx"


def compared(pair: tuple[Path, Path], a: ModelProto, b: ModelProto) -> Comparison:
    onnx.save(a, pair[0])
    onnx.save(b, pair[1])
    return compare_files(*pair)


def only(rows: object) -> dict[str, Any]:
    """The one row."""
    assert isinstance(rows, list)
    (row,) = rows
    assert isinstance(row, dict)
    return row


def test_the_answer_of_two_files_that_are_the_same(pair: tuple[Path, Path]) -> None:
    found = compared(pair, product(), product())
    size = pair[0].stat().st_size
    kinds = ("kept", "changed", "fused", "split", "added", "removed", "folded", "inlined")
    none = dict.fromkeys(kinds, 0)
    assert found.exit_code == DONE_YES
    made = answer(found)
    model = made.pop("model")
    assert isinstance(model, list)
    assert {row["kind"] for row in model} == {"kept"}
    node = only(made.pop("nodes"))
    assert node.pop("reason")
    assert node == {
        "kind": "kept",
        "a": [{"graph": "/", "index": 0, "name": "mm", "op": "MatMul"}],
        "b": [{"graph": "/", "index": 0, "name": "mm", "op": "MatMul"}],
        "changes": [],
        "rewrite": None,
        "portability": None,
    }
    values = made.pop("values")
    assert isinstance(values, list)
    assert [row["a"] for row in values] == [
        {"graph": "/", "name": "x"}, {"graph": "/", "name": "y"}
    ]  # fmt: skip
    assert made == {
        "schema": "ortstudio/diff@1",
        "a": {"path": str(pair[0]), "size_bytes": size, "kind": "onnx"},
        "b": {"path": str(pair[1]), "size_bytes": size, "kind": "onnx"},
        "differs": False,
        "differs_in": [],
        "overview": "1 node, kept as it is. Portable.",
        "portability": {"verdict": "portable", "reasons": ["Every node is an ONNX operator"]},
        "summary": {
            "nodes": none | {"kept": 1},
            "values": none | {"kept": 2},
            "initializers": none | {"kept": 1},
            "model": none | {"kept": len(model)},
        },
        "initializers": [
            {
                "kind": "kept",
                "a": {"graph": "/", "name": "w"},
                "b": {"graph": "/", "name": "w"},
                "reason": "The same elements",
                "changes": [],
            }
        ],
    }


def test_one_flipped_bit_makes_two_files_differ(pair: tuple[Path, Path]) -> None:
    flipped = ONES.copy()
    flipped.view(np.uint32)[1, 2] ^= 1 << 31
    found = compared(pair, product(), product(flipped))
    assert found.exit_code == DONE_NO
    assert found.differs_in == ("nodes", "initializers")
    row = only(answer(found)["initializers"])
    assert row["kind"] == "changed"
    assert row["reason"] == "1 of 6 elements differs, at most by 2 at [1, 2]"
    assert row["changes"] == [{"what": "element [1, 2]", "before": "1.0", "after": "-1.0"}]
    node = only(answer(found)["nodes"])
    assert node["kind"] == "changed"


def test_other_names_are_no_difference(pair: tuple[Path, Path]) -> None:
    renamed = product(name="other")
    renamed.graph.node[0].input[1] = renamed.graph.initializer[0].name = "v"
    renamed.graph.name = "another"
    found = compared(pair, product(), renamed)
    assert found.exit_code == DONE_YES
    row = only(answer(found)["initializers"])
    assert row["reason"] == "Renamed: the same elements"


@pytest.mark.parametrize("field", ["doc_string", "producer_name", "domain"])
def test_another_fact_is_a_difference(pair: tuple[Path, Path], field: str) -> None:
    other = product()
    setattr(other, field, "another")
    found = compared(pair, product(), other)
    assert (found.exit_code, found.differs_in) == (DONE_NO, ("model",))
    assert found.verdict == "They differ in what is said of the model."


def test_progress_counts_all_constants_once(pair: tuple[Path, Path]) -> None:
    for path in pair:
        onnx.save(product(), path)
    told: list[tuple[int, int]] = []
    compare_files(*pair, on_progress=lambda *step: told.append(step))
    assert told == [(24, 48), (48, 48)]


def test_a_comparison_can_be_cancelled(pair: tuple[Path, Path]) -> None:
    for path in pair:
        onnx.save(product(), path)
    with pytest.raises(CancelledError):
        compare_files(*pair, cancelled=lambda: True)


def test_what_cannot_be_read_is_not_compared(pair: tuple[Path, Path]) -> None:
    onnx.save(product(), pair[0])
    with pytest.raises(MissingError):
        compare_files(*pair)
    pair[1].write_bytes(pair[0].read_bytes()[:-20])
    cut = open_document(pair[1])
    assert cut.model.error is not None
    with pytest.raises(FormatError):
        compare_documents(open_document(pair[0]), cut)


def test_checkpoints_and_adapters_are_compared_by_what_they_hold(tmp_path: Path) -> None:
    checkpoint = write_checkpoint(tmp_path / "c.ckpt")
    adapter = write_adapter(tmp_path / "a.onnx_adapter")
    same = compare_files(checkpoint, checkpoint)
    assert (same.exit_code, same.overview) == (DONE_YES, "3 initializers kept.")
    other = compare_files(checkpoint, adapter)
    assert other.differs_in == ("initializers", "model")
    rows = {row.name: row for row in other.diff.model}
    assert (rows["property epoch"].kind, rows["property epoch"].a) == ("removed", "3")
    assert (rows["adapter version"].kind, rows["adapter version"].b) == ("added", "7")
    reasons = {row.reason for row in other.diff.initializers if row.b is None}
    assert reasons == {"It is not in the result (8 bytes)"}


@pytest.mark.parametrize(
    ("reason", "common"),
    [
        ("Taken up when Conv 'a b' and Relu #3 became FusedConv 'c' (4 bytes)",
         "Taken up when Conv and Relu became FusedConv"),
        ("Made when Conv 'a' became Conv 'b': 1.05 MB that the source had not",
         "Made when Conv became Conv"),
        ("Recomputed when Conv 'a' became Conv 'b': 4 of 4 elements differ",
         "Recomputed when Conv became Conv"),
        ("1 of 4 elements differs, at most by 2 at [1, 2]",
         "1 of 4 elements differs, at most by 2 at [1, 2]"),
    ],
)  # fmt: skip
def test_reasons_are_told_together_where_only_names_and_sizes_differ(
    reason: str, common: str
) -> None:
    assert gist(reason) == common


class Checker(HTMLParser):
    """Balanced tags, and every place from which a page could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [str(text) for name, text in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("meta", "input", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<rect/>` and its like close themselves."""

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def test_the_page_is_whole_and_loads_nothing(pair: tuple[Path, Path]) -> None:
    html = page(compared(pair, product(), product(ONES * 2)))
    checker = checked(html)
    assert checker.links == []
    assert not re.search(r"url\(|@import|https?:|<link|<img|<iframe", html)
    words = " ".join(checker.words)
    assert "a.onnx → b.onnx" in words
    assert "6 of 6 elements differ, at most by 1 at [0, 0]" in words


def test_the_page_escapes_all_that_files_say(pair: tuple[Path, Path]) -> None:
    evil = "</script><b onload=x>&\"'\x1b[31m\u202e\n"
    other = product(ONES * 2, name=evil)
    other.graph.node[0].input[1] = other.graph.initializer[0].name = evil
    other.producer_name = other.doc_string = evil
    other.metadata_props.add(key=evil, value=evil)
    html = page(compared(pair, product(), other))
    checker = checked(html)
    assert "b" not in checker.tags
    assert not any(c in html for c in "\x1b\u202e")
    assert any("</script><b onload=x>&\"'\\x1b[31m\\u202e\\n" in text for text in checker.words)


def test_a_rewrite_is_drawn_with_its_sources(pair: tuple[Path, Path]) -> None:
    source = onnx_model(
        [
            helper.make_node("MatMul", ["x", "w"], ["t"], "mm"),
            helper.make_node("Add", ["t", "c"], ["y"], "add"),
        ],
        [value("x", shape=(4, 2))],
        [value("y", shape=(4, 3))],
        [weight("w", ONES), weight("c", np.ones(3, np.float32))],
    )
    result = onnx_model(
        [helper.make_node("Gemm", ["x", "w", "c"], ["y"], "gemm")],
        source.graph.input,
        source.graph.output,
        source.graph.initializer,
    )
    html = page(compared(pair, source, result))
    (drawing,) = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    tree = ET.fromstring(drawing)
    assert [text.text for text in tree.iter("text")] == ["MatMul", "Add", "Gemm"]
    assert [g.get("class") for g in tree.iter("g")] == ["source", "source", "result"]
    titles = [title.text for title in tree.iter("title")]
    assert titles == ["MatMul and Add became Gemm", "MatMul 'mm'", "Add 'add'", "Gemm 'gemm'"]
    tops = [float(rect.get("y", "")) for rect in tree.iter("rect")]
    assert tops[0] < tops[2] < tops[1], "sources from top to bottom, the result beside them"


def test_nodes_that_do_not_feed_each_other_are_drawn_below_each_other(
    pair: tuple[Path, Path],
) -> None:
    ends = ["r", "s", "t"]
    source = onnx_model(
        [
            helper.make_node(op, ["x"], [y])
            for op, y in zip(["Relu", "Abs", "Neg"], ends, strict=True)
        ],
        [value("x", shape=(4, 2))],
        [value(y, shape=(4, 2)) for y in ends],
        [],
    )
    onnx.save(source, pair[0])
    graphs = {graph.path: graph for graph in open_document(pair[0]).model.graphs}
    (path,) = graphs
    refs = tuple(NodeRef(path, i) for i in range(3))
    drawn = picture(NodeRow("split", refs[:1], refs, "apart"), graphs, graphs)
    left, *right = ET.fromstring(drawn).iter("rect")
    tops = [float(rect.get("y", "")) for rect in right]
    assert len(tops) == 3
    assert tops == sorted(set(tops))
    assert float(left.get("y", "")) == tops[1], "the source stands at the middle"


def test_a_page_is_never_written_over_unasked(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_text(path, "one")
    with pytest.raises(RefusedError, match="exists already"):
        write_text(path, "two")
    assert path.read_text() == "one"
    write_text(path, "three \ud800", overwrite=True)
    assert path.read_text() == "three \\ud800"
    assert [child.name for child in tmp_path.iterdir()] == ["page.html"]


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be written"):
        write_text(tmp_path / "missing" / "page.html", "text")
    assert list(tmp_path.iterdir()) == []
