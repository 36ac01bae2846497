"""Makes `keyword_spotting.onnx`, the sample that ORT Studio opens on request.

    python resources/samples/make_sample.py [FOLDER]

A small network with the structure of real ones: one second of speech goes in as a spectrogram, the
scores of twelve words come out. Its weights are drawn, not trained. Every run makes the same bytes:
the seed is fixed, and no call is used whose result depends on the processor.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

FILE_NAME = "keyword_spotting.onnx"
SEED = 20240229

LABELS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go", "other", "none")
FRAMES, BANDS = 50, 40
QUIET_LEVEL = 0.05

Array = NDArray[np.generic]
Floats = NDArray[np.float32]


class GraphBuilder:
    """Nodes and weights of one graph, in the order in which they are added.

    Scopes are written as exporters write them: the node `/stem/conv/Conv` gives the value
    `/stem/conv/Conv_output_0` and reads the weight `stem.conv.weight`.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(
        self,
        scope: str,
        op_type: str,
        inputs: list[str],
        doc_string: str | None = None,
        **attributes: object,
    ) -> str:
        """Add a node with one output, whose name is returned."""
        name = f"{scope}/{op_type}"
        output = f"{name}_output_0"
        node = helper.make_node(op_type, inputs, [output], name, doc_string)
        node.attribute.extend(helper.make_attribute(*pair) for pair in attributes.items())
        self.nodes.append(node)
        return output

    def weight(self, scope: str, role: str, values: Array | float) -> str:
        """Add an initializer; a plain number becomes a float scalar."""
        array = np.asarray(values, np.float32) if isinstance(values, float) else values
        name = scope.strip("/").replace("/", ".") + f".{role}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def draw(self, low: float, high: float, *shape: int) -> Floats:
        """Evenly distributed numbers."""
        return (low + (high - low) * self.random.random(shape)).astype(np.float32)

    def kernel(self, outputs: int, inputs: int, size: int) -> Floats:
        """Convolution weights that keep the variance of what they read."""
        bound = math.sqrt(3 / (inputs * size * size))
        return self.draw(-bound, bound, outputs, inputs, size, size)


def conv(
    graph: GraphBuilder,
    scope: str,
    x: str,
    channels: tuple[int, int],
    size: int = 3,
    stride: int = 1,
) -> str:
    """A convolution and its batch norm, which conversion folds into one."""
    inputs, outputs = channels
    pads = [size // 2] * 4
    weight = graph.weight(f"{scope}/conv", "weight", graph.kernel(outputs, inputs, size))
    y = graph.node(
        f"{scope}/conv",
        "Conv",
        [x, weight],
        kernel_shape=[size] * 2,
        strides=[stride] * 2,
        pads=pads,
    )
    statistics = [
        graph.weight(f"{scope}/norm", role, graph.draw(low, high, outputs))
        for role, low, high in (
            ("weight", 0.8, 1.2),
            ("bias", -0.1, 0.1),
            ("running_mean", -0.1, 0.1),
            ("running_var", 0.8, 1.2),
        )
    ]
    return graph.node(f"{scope}/norm", "BatchNormalization", [y, *statistics], epsilon=1e-5)


def residual_block(graph: GraphBuilder, scope: str, x: str, inputs: int, outputs: int) -> str:
    """Two convolutions beside a shortcut, which is a convolution itself where the width changes."""
    stride = 1 if inputs == outputs else 2
    y = conv(graph, f"{scope}/conv1", x, (inputs, outputs), stride=stride)
    y = graph.node(f"{scope}/conv1", "Relu", [y])
    y = conv(graph, f"{scope}/conv2", y, (outputs, outputs))
    if inputs != outputs:
        y = squeeze_and_excite(graph, f"{scope}/gate", y, outputs)
        x = conv(graph, f"{scope}/shortcut", x, (inputs, outputs), size=1, stride=stride)
    return graph.node(scope, "Relu", [graph.node(scope, "Add", [y, x])])


def squeeze_and_excite(graph: GraphBuilder, scope: str, x: str, channels: int) -> str:
    """Scale each channel by what a small network makes of all channels' means."""
    y = graph.node(f"{scope}/pool", "GlobalAveragePool", [x])
    for part, shape, activation in (
        ("squeeze", (channels // 4, channels), "Relu"),
        ("excite", (channels, channels // 4), "Sigmoid"),
    ):
        here = f"{scope}/{part}"
        weight = graph.weight(here, "weight", graph.kernel(*shape, 1))
        bias = graph.weight(here, "bias", graph.draw(-0.1, 0.1, shape[0]))
        y = graph.node(here, "Conv", [y, weight, bias], kernel_shape=[1, 1])
        y = graph.node(here, activation, [y])
    return graph.node(scope, "Mul", [x, y])


class Rounded(NamedTuple):
    """A value of 0 or more that is held in unsigned eight-bit steps of `scale`."""

    name: str
    scale: float


def cut(graph: GraphBuilder, scope: str, x: str, scale: float) -> Rounded:
    """Round a value, by a pair of nodes as quantizers put it after every operator."""
    parameters = [
        graph.weight(scope, "scale", scale),
        graph.weight(scope, "zero_point", np.array(0, np.uint8)),
    ]
    steps = graph.node(scope, "QuantizeLinear", [x, *parameters])
    return Rounded(graph.node(scope, "DequantizeLinear", [steps, *parameters]), scale)


def rounded_weights(graph: GraphBuilder, scope: str, x: Rounded, values: Floats) -> list[str]:
    """Signed weights with a scale for each output channel, and a bias that goes with them.

    Seven of the eight bits: two products then fit the 16 bits in which some x64 processors add
    them up, so that all compute the same.
    """
    axes = tuple(range(1, values.ndim))
    scales = (np.abs(values).max(axes) / np.float32(63)).astype(np.float32)
    steps = np.round(values / scales.reshape(-1, *[1] * len(axes))).astype(np.int8)
    # Integer kernels add the bias to sums of products, so it has their scale.
    bias_scales = scales * np.float32(x.scale)
    bias_steps = np.round(graph.draw(-0.2, 0.2, len(values)) / bias_scales).astype(np.int32)
    return [
        stored(graph, f"{scope}/weight", steps, scales),
        stored(graph, f"{scope}/bias", bias_steps, bias_scales),
    ]


def stored(graph: GraphBuilder, scope: str, steps: Array, scales: Floats) -> str:
    """Integers, and the node that turns them into the numbers they stand for."""
    inputs = [
        graph.weight(scope, "quantized", steps),
        graph.weight(scope, "scale", scales),
        graph.weight(scope, "zero_point", np.zeros(scales.shape, steps.dtype)),
    ]
    return graph.node(scope, "DequantizeLinear", inputs, axis=0)


def rounded_conv(
    graph: GraphBuilder, scope: str, x: Rounded, kernel: Floats, scale: float, group: int = 1
) -> Rounded:
    """A convolution on steps; rounding what is below 0 to 0 is its activation."""
    size = kernel.shape[2]
    inputs = [x.name, *rounded_weights(graph, scope, x, kernel)]
    pads = [size // 2] * 4
    y = graph.node(scope, "Conv", inputs, kernel_shape=[size] * 2, pads=pads, group=group)
    return cut(graph, f"{scope}/output", y, scale)


def rounded_dense(
    graph: GraphBuilder, scope: str, x: Rounded, matrix: Floats, scale: float
) -> Rounded:
    """A dense layer on steps."""
    inputs = [x.name, *rounded_weights(graph, scope, x, matrix)]
    y = graph.node(scope, "Gemm", inputs, transB=1)
    return cut(graph, f"{scope}/output", y, scale)


def level_gain(graph: GraphBuilder, features: str) -> str:
    """Bring quiet clips to a common level, and even out the bands of all others."""
    scope = "/gain"
    level = graph.node(scope, "Abs", [features])
    level = graph.node(
        scope, "ReduceMean", [level], "Mean level of the whole batch, a scalar.", keepdims=0
    )
    limit = graph.weight(scope, "quiet_level", QUIET_LEVEL)
    is_quiet = graph.node(scope, "Less", [level, limit])
    return graph.node(
        scope,
        "If",
        [is_quiet],
        "Quiet clips are standardized; others get a gain for each band.",
        then_branch=standardize(graph.random, features),
        else_branch=band_gain(graph.random, features),
    )


def standardize(random: np.random.Generator, features: str) -> onnx.GraphProto:
    """The branch for quiet clips: mean 0 and deviation 1 for each clip."""
    scope = "/gain/quiet"
    graph = GraphBuilder(random)
    mean = graph.node(f"{scope}/mean", "ReduceMean", [features], axes=[1, 2, 3])
    centred = graph.node(f"{scope}/centred", "Sub", [features, mean])
    square = graph.node(f"{scope}/variance", "Mul", [centred, centred])
    variance = graph.node(f"{scope}/variance", "ReduceMean", [square], axes=[1, 2, 3])
    epsilon = graph.weight(scope, "epsilon", 1e-9)
    variance = graph.node(f"{scope}/deviation", "Add", [variance, epsilon])
    deviation = graph.node(f"{scope}/deviation", "Sqrt", [variance])
    result = graph.node(scope, "Div", [centred, deviation])
    return branch(graph, "quiet", result)


def band_gain(random: np.random.Generator, features: str) -> onnx.GraphProto:
    """The branch for all other clips: clip outliers, then scale and shift each band."""
    scope = "/gain/loud"
    graph = GraphBuilder(random)
    bounds = [graph.weight(scope, "low", -8.0), graph.weight(scope, "high", 8.0)]
    clipped = graph.node(scope, "Clip", [features, *bounds])
    gain = graph.weight(scope, "band_gain", graph.draw(0.7, 1.3, 1, 1, 1, BANDS))
    shift = graph.weight(scope, "band_shift", graph.draw(-0.1, 0.1, 1, 1, 1, BANDS))
    scaled = graph.node(scope, "Mul", [clipped, gain])
    return branch(graph, "loud", graph.node(scope, "Add", [scaled, shift]))


def branch(graph: GraphBuilder, name: str, result: str) -> onnx.GraphProto:
    """One branch of the `If`; it reads the features from the graph around it."""
    output = helper.make_tensor_value_info(result, TensorProto.FLOAT, ["batch", 1, FRAMES, BANDS])
    return helper.make_graph(graph.nodes, name, [], [output], graph.weights)


def separable_block(graph: GraphBuilder, scope: str, x: str) -> str:
    """The quantized part: two convolutions beside a shortcut, the means, a dense layer.

    No scale is a simple fraction of another: sums would then lie half-way between two steps, where
    integer and float kernels round to different sides.
    """
    start = cut(graph, f"{scope}/input", x, 0.0293)
    kernels = graph.kernel(48, 1, 3), graph.kernel(48, 48, 1)
    y = rounded_conv(graph, f"{scope}/depthwise", start, kernels[0], 0.0271, group=48)
    y = rounded_conv(graph, f"{scope}/pointwise", y, kernels[1], 0.0187)
    total = graph.node(scope, "Add", [y.name, start.name])
    y = cut(graph, f"{scope}/sum", total, 0.0307)
    means = graph.node(scope, "GlobalAveragePool", [y.name])
    y = cut(graph, f"{scope}/means", means, 0.0131)
    flat = graph.node(scope, "Flatten", [y.name])
    y = cut(graph, f"{scope}/flat", flat, y.scale)
    matrix = graph.draw(-0.25, 0.25, 32, 48)
    return rounded_dense(graph, f"{scope}/dense", y, matrix, 0.0113).name


def classifier(graph: GraphBuilder, scope: str, x: str) -> str:
    """Scores of the words, in floats again."""
    weight = graph.weight(scope, "weight", graph.draw(-0.5, 0.5, len(LABELS), 32))
    bias = graph.weight(scope, "bias", graph.draw(-0.1, 0.1, len(LABELS)))
    logits = graph.node(scope, "Gemm", [x, weight, bias], "One logit for each word.", transB=1)
    graph.nodes.append(
        helper.make_node("Softmax", [logits], ["scores"], f"{scope}/Softmax", axis=1)
    )
    return "scores"


def make_graph() -> onnx.GraphProto:
    """The whole network."""
    graph = GraphBuilder(np.random.Generator(np.random.PCG64(SEED)))
    x = level_gain(graph, "features")
    x = graph.node("/stem", "Relu", [conv(graph, "/stem", x, (1, 24), stride=2)])
    x = residual_block(graph, "/stage1/block1", x, 24, 24)
    x = residual_block(graph, "/stage1/block2", x, 24, 24)
    x = residual_block(graph, "/stage2/block1", x, 24, 48)
    x = separable_block(graph, "/stage3", x)
    classifier(graph, "/classifier", x)
    features = helper.make_tensor_value_info(
        "features",
        TensorProto.FLOAT,
        ["batch", 1, FRAMES, BANDS],
        f"{FRAMES} frames of {BANDS} logarithmic mel bands, 20 ms apart.",
    )
    scores = helper.make_tensor_value_info(
        "scores", TensorProto.FLOAT, ["batch", len(LABELS)], "The probability of each label."
    )
    return helper.make_graph(
        graph.nodes,
        "keyword_spotting",
        [features],
        [scores],
        graph.weights,
        "A residual network with a gated stage, a quantized stage and a dense classifier.",
    )


def make_model() -> onnx.ModelProto:
    """The network with everything that a model says about itself."""
    model = helper.make_model(
        make_graph(),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 17)],
        producer_name="ortstudio-sample",
        producer_version="1.0",
        domain="org.ortstudio.samples",
        model_version=3,
        doc_string="Tells which of twelve words was spoken. Weights are drawn, not trained.",
    )
    metadata = {"labels": ",".join(LABELS), "sample_rate_hz": "16000", "frame_step_ms": "20"}
    helper.set_model_props(model, metadata)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def main() -> None:
    """Write the sample beside this script, or into the folder that is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    (folder / FILE_NAME).write_bytes(make_model().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
