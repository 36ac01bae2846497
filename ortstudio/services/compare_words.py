"""What a comparison of two models found, in sentences for both faces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import Graph
from ortstudio.services.compare_found import Compared
from ortstudio.services.layers_found import FirstDifference, Layers
from ortstudio.services.verify_words import differs_text


def verdict_text(compared: Compared) -> str:
    """Whether the outputs agree, as a sentence."""
    outputs = compared.found.outputs
    wrong = sum(not output.agrees for output in outputs)
    if wrong and len(outputs) == 1:
        return "The only output differs."
    if wrong:
        return f"{wrong:,} of {len(outputs):,} outputs differ."
    if all(output.equal for output in outputs):
        return "All outputs are equal."
    return "The outputs agree, though not to the last bit."


def layers_text(compared: Compared, layers: Layers) -> Iterator[str]:
    """Where the difference begins, in a line or two."""
    if layers.first is not None:
        yield _first_text(compared, layers.first)
    elif not layers.values:
        yield "No value between their inputs and outputs could be compared."
    elif layers.agree:
        yield "All values agree."


def _first_text(compared: Compared, first: FirstDifference) -> str:
    nodes = _nodes_text(compared, first)
    value, how = first.value, differs_text(first.figures)
    if first.cause == "node":
        return f"Wrong from {nodes} on: on the same inputs {value.a} {how}."
    if first.cause == "types":
        return (
            f"Different from {nodes} on: on the same inputs {value.a} {how}. That is no"
            " more than its types explain, which are narrow or quantized, and the other nodes add"
            " little to it."
        )
    if first.cause == "small":
        return (
            f"Wrong from {nodes} on: on the same inputs {value.a} {how}. That is within the"
            " tolerance and far more than at any other node, and grows from there."
        )
    return (
        "No node is wrong by itself: small differences add up. The first value beyond the tolerance"
        f" is {value.a}, which {nodes} makes: it {how}."
    )


def _nodes_text(compared: Compared, first: FirstDifference) -> str:
    """`Conv 'conv1' and Relu 'relu1', in B com.microsoft.FusedConv 'conv1'`."""
    ours = _named(compared.a.model.main, first.row.a)
    theirs = _named(compared.b.model.main, first.row.b)
    if not ours or not theirs:
        return ours or f"{theirs} in B"
    return ours if ours == theirs else f"{ours}, in B {theirs}"


def _named(graph: Graph, refs: Sequence[NodeRef]) -> str:
    rows = graph.nodes.rows_by_index
    nodes = [node_text(graph, rows[ref.index]) for ref in refs if ref.graph == graph.path]
    return listed(nodes)


def count_text(layers: Layers) -> str:
    """How many values there are, and how many of them differ."""
    differing = sum(value.differs for value in layers.values)
    return f"{count(len(layers.values), 'value')} compared, {differing:,} beyond the tolerance"
