"""The tree at the left: what stands in it, how it follows the selection, what its filter leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent

import onnx
import pytest
from onnx import TensorProto, helper
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import Ref, RefKind
from ortstudio.ui.contents_tree import LONGEST
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.navigator import Navigator
from tests.gui.dumps import dump
from tests.gui.window.test_looking import every_ref

Open = Callable[[MainWindow, Sequence[Path]], None]

CONTROL = dedent("""\
    control.onnx
      Opset imports | 1
      Graph | 3
        Inputs | 4
          x
          flag
          n
          rows
        Outputs | 3
          v_trace
          acc_final
          cumsum
        Nodes | 3
          If  top_if
          Loop  loop
          Scan  scan
        Initializers | 1
          go | scalar
      Subgraphs | 6
        else_branch of If 'top_if' | 1
          Outputs | 1
            else_y
          Nodes | 1
            Mul  else_mul
          Initializers | 1
            else_c | 4
        then_branch of If 'top_if' | 1
          Outputs | 1
            then_y
          Nodes | 1
            Add  then_add
          Initializers | 1
            then_c | 4
        body of Loop 'loop' | 4
          Inputs | 3
            it
            lc
            lv
          Outputs | 3
            lc_out
            lv_next
            trace
          Nodes | 4
            Greater  is_late
            If  inner_if
            Identity  trace_out
            Identity  keep_going
          Initializers | 2
            two | scalar
            half | 1
        body of Scan 'scan' | 2
          Inputs | 2
            acc
            row
          Outputs | 2
            acc_next
            cum
          Nodes | 2
            Add  scan_add
            Identity  scan_emit
        else_branch of If 'inner_if' | 1
          Outputs | 1
            ie_y
          Nodes | 1
            Add  inner_add_outer
        then_branch of If 'inner_if' | 1
          Outputs | 1
            it_y
          Nodes | 1
            Mul  inner_half""")

RESULT = dedent("""\
    v6_ort1.32.0_cnn_runtime_all.ort
      Opset imports | 9
      Graph | 9
        Inputs | 1
          image
        Outputs | 1
          scores
        Nodes | 9
          Conv  conv1
          Relu  relu1
          MaxPool  pool1
          Conv  conv2
          Add  residual
          Relu  relu2
          GlobalAveragePool  gap
          Flatten  flatten
          Gemm  fc
        Initializers | 6
          ConvBnFusion_BN_B_n2_b | 16
          ConvBnFusion_BN_B_n1_b | 16
          ConvBnFusion_W_c2w | 16×16×3×3
          ConvBnFusion_W_c1w | 16×3×3×3
          fw | 10×16
          fb | 10
      Kernel type resolver | 8
        :Add:7 | 1
        :Conv:11 | 2
        :Flatten:11 | 1
        :Gemm:11 | 1
        :GlobalAveragePool:1 | 1
        :MaxPool:12 | 1
        :Relu:6 | 2
        com.microsoft:FusedConv:1
      Saved optimizations | 1
        Conv and Relu become com.microsoft.FusedConv""")


def navigator(window: MainWindow) -> Navigator:
    return window.studio.navigator


def test_a_source_with_control_flow(window: MainWindow, open_in: Open, corpus: Path) -> None:
    open_in(window, [corpus / "sources" / "control.onnx"])
    assert dump(navigator(window).model) == CONTROL


def test_a_result_with_what_only_the_runtime_needs(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    assert dump(navigator(window).model) == RESULT


def test_bodies_of_functions_stand_apart(window: MainWindow, open_in: Open, corpus: Path) -> None:
    open_in(window, [corpus / "sources" / "functions.onnx"])
    functions = dump(navigator(window).model).split("  Functions | 2\n")[1]
    assert functions.split("\n")[0] == "    local.fn:ScaleShift | 2"
    assert "      Nodes | 3\n        MatMul  fn_mm\n        local.fn.ScaleShift  fn_ss" in functions


@pytest.mark.parametrize(
    "name",
    [
        "v6_ort1.32.0_qdq_conv_runtime_all.ort",
        "v6_ort1.32.0_control_fixed_disable.ort",
        "v6_ort1.32.0_sparse_init_fixed_disable.ort",
        "sources/functions.onnx",
        "sources/meta.onnx",
    ],
)
def test_everything_that_has_a_row_leads_to_it(
    window: MainWindow, open_in: Open, corpus: Path, name: str
) -> None:
    open_in(window, [corpus / name])
    document = window.studio.workspace.document(0)
    assert document is not None
    model, tree = navigator(window).model, navigator(window).tree
    for ref in every_ref(document):
        window.studio.workspace.select(0, ref)
        current = tree.currentIndex()
        graph = document.graphs[ref.graph]
        inner = ref.kind is RefKind.VALUE and ref.row not in (*graph.inputs, *graph.outputs)
        none = (ref.kind is RefKind.METADATA and not document.model.metadata) or inner
        if none:
            assert not current.isValid()
            assert not tree.selectionModel().hasSelection()
        else:
            assert model.item(current).ref == (0, ref)
            assert tree.selectionModel().isSelected(current)


def test_a_heading_shows_what_it_belongs_to(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_control_fixed_disable.ort"])
    model, tree = navigator(window).model, navigator(window).tree
    workspace = window.studio.workspace
    workspace.select(0, Ref(RefKind.NODE, 0, 1))
    top = model.index(0, 0)
    for row in range(model.rowCount(top)):
        index = model.index(row, 0, top)
        tree.setCurrentIndex(index)
        assert tree.currentIndex().data() == index.data()
        selected = workspace.selection(0)
        assert selected is not None
        assert selected.kind in (RefKind.MODEL, RefKind.OPSETS, RefKind.METADATA, RefKind.GRAPH)


@pytest.fixture
def long_chain(tmp_path: Path) -> Path:
    """More nodes in a row than a list shows at once."""
    count = 2 * LONGEST + 345
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], f"n{i}") for i in range(count)]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("v0", f"v{count}")
    ]
    path = tmp_path / "chain.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])), path)
    return path


def test_a_long_list_opens_in_parts(window: MainWindow, open_in: Open, long_chain: Path) -> None:
    open_in(window, [long_chain])
    model, tree = navigator(window).model, navigator(window).tree
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 2 * LONGEST + 1))
    current = tree.currentIndex()
    assert current.data() == "Relu  n2001"
    part = current.parent()
    assert part.data() == "2,000 to 2,344"
    assert model.rowCount(part) == 345
    nodes = part.parent()
    assert nodes.data() == "Nodes"
    parts = [model.index(row, 0, nodes).data() for row in range(model.rowCount(nodes))]
    assert parts == ["0 to 999", "1,000 to 1,999", "2,000 to 2,344"]


def test_a_filter_shows_its_hits_and_the_way_to_them(
    window: MainWindow, open_in: Open, long_chain: Path, qtbot: QtBot
) -> None:
    open_in(window, [long_chain])
    model, tree = navigator(window).model, navigator(window).tree
    navigator(window).filter.setText("RELU n123")
    expected = dedent("""\
        chain.onnx
          Graph | 2,345
            Nodes | 2,345
              0 to 999
                Relu  n123
              1,000 to 1,999
        """) + "\n".join(f"        Relu  n123{digit}" for digit in range(10))
    qtbot.waitUntil(lambda: dump(model) == expected)
    shown = [model.index_at(way) for way in ([0], [0, 0], [0, 0, 0], [0, 0, 0, 1])]
    assert all(tree.isExpanded(index) for index in shown)
    tree.setCurrentIndex(model.index_at([0, 0, 0, 0, 0]))
    assert window.studio.workspace.selection(0) == Ref(RefKind.NODE, 0, 123)
    navigator(window).filter.clear()
    qtbot.waitUntil(lambda: model.rowCount(model.index_at([0, 1])) == 3)
    assert tree.currentIndex().data() == "Relu  n123"


def test_headings_are_no_hits(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "sources" / "cnn.onnx"])
    navigator(window).filter.setText("initializers")
    qtbot.waitUntil(lambda: navigator(window).model.rowCount() == 0)
