"""Models with one fault planted: a weight changed, an attribute wrong, a rewrite gone wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, helper, numpy_helper

from ortstudio.services.sessions import Level
from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.pairing_truth.models import MODELS

Plant = Callable[[ModelProto], None]


@dataclass(frozen=True)
class Fault:
    """A model, how B differs from it, and the node of A that computes something else in B.

    With a `level` B is what the runtime makes of the faulty model.
    """

    model: str
    node: str
    plant: Plant
    level: Level | None = None

    @property
    def name(self) -> str:
        """For the list of tests."""
        return f"{self.model}-{self.node}-{self.level.value if self.level else 'onnx'}"

    def written(self, folder: Path) -> tuple[Path, Path]:
        """A and B as files."""
        a, b = folder / "a.onnx", folder / "b.onnx"
        source = self._source()
        onnx.save(source, a)
        self.plant(source)
        onnx.save(source, b)
        return a, b if self.level is None else to_ort(b, folder / "b.ort", self.level)

    def _source(self) -> ModelProto:
        if self.model in MODELS:
            return MODELS[self.model]()
        return onnx.load(CORPUS / "sources" / f"{self.model}.onnx")


def find(model: ModelProto, name: str) -> NodeProto:
    """A node by its name."""
    found: list[NodeProto] = [node for node in model.graph.node if node.name == name]
    return found[0]


def weight(name: str, change: float = 0.3) -> Plant:
    """One element of an initializer is another number."""

    def plant(model: ModelProto) -> None:
        (tensor,) = (one for one in model.graph.initializer if one.name == name)
        array = numpy_helper.to_array(tensor).copy()
        array.reshape(-1)[array.size // 2] += np.asarray(change, array.dtype)
        tensor.CopyFrom(numpy_helper.from_array(array, name))

    return plant


def attribute(node: str, **values: object) -> Plant:
    """Attributes have other values."""

    def plant(model: ModelProto) -> None:
        found = find(model, node)
        kept = [one for one in found.attribute if one.name not in values]
        del found.attribute[:]
        found.attribute.extend([*kept, *(helper.make_attribute(k, v) for k, v in values.items())])

    return plant


def operator(node: str, op_type: str, **values: object) -> Plant:
    """The node does something else."""

    def plant(model: ModelProto) -> None:
        found = find(model, node)
        found.op_type = op_type
        del found.attribute[:]
        found.attribute.extend(helper.make_attribute(k, v) for k, v in values.items())

    return plant


def swapped(node: str) -> Plant:
    """The first two inputs have changed places."""

    def plant(model: ModelProto) -> None:
        found = find(model, node)
        first, second = found.input[:2]
        found.input[0], found.input[1] = second, first

    return plant


def fused(nodes: str, op_type: str, inputs: str, **values: object) -> Plant:
    """Some nodes became one of the runtime's own, in a way that computes something else."""

    def plant(model: ModelProto) -> None:
        names = nodes.split()
        places = [i for i, node in enumerate(model.graph.node) if node.name in names]
        output = model.graph.node[places[-1]].output[0]
        made = helper.make_node(
            op_type,
            inputs.split(),
            [output],
            names[0],
            domain="com.microsoft",
            **values,  # type: ignore[arg-type]
        )
        for place in reversed(places):
            del model.graph.node[place]
        model.graph.node.insert(places[0], made)
        if "com.microsoft" not in [one.domain for one in model.opset_import]:
            model.opset_import.append(helper.make_opsetid("com.microsoft", 1))

    return plant


FAULTS = (
    Fault("cnn", "conv1", weight("c1w")),
    Fault("cnn", "conv1", weight("c1w"), Level.ALL),
    Fault("cnn", "conv2", weight("c2w", 1e-2), Level.BASIC),
    Fault("cnn", "bn2", weight("n2_v", 1.0), Level.EXTENDED),
    Fault("cnn", "pool1", operator("pool1", "AveragePool", kernel_shape=[2, 2], strides=[2, 2])),
    Fault("cnn", "fc", weight("fw", 1e-2), Level.ALL),
    Fault("mlp", "fc2_bias", weight("b2", 0.05)),
    Fault("mlp", "fc1", attribute("fc1", alpha=0.9)),
    Fault("mlp", "fc2_matmul", weight("w2"), Level.EXTENDED),
    Fault("mlp", "act2", operator("act2", "LeakyRelu", alpha=0.05), Level.ALL),
    Fault("encoder", "ln1_sub", swapped("ln1_sub")),
    Fault("encoder", "att_softmax", attribute("att_softmax", axis=1), Level.BASIC),
    Fault("encoder", "o_bias", weight("o_b", 0.1), Level.EXTENDED),
    Fault("encoder", "v_matmul", weight("v_w", 0.1), Level.ALL),
    Fault("encoder", "gelu_erf", operator("gelu_erf", "Tanh"), Level.ALL),
    Fault("encoder", "ln1_gamma", weight("ln1_g", 0.2), Level.EXTENDED),
    Fault("deep", "layer03/bias", weight("b03", 1e-3)),
    Fault("deep", "layer20/matmul", weight("w20"), Level.BASIC),
    Fault("deep", "layer11/act", operator("layer11/act", "Tanh"), Level.ALL),
    Fault("qdq", "DQ_w2_f", weight("w2_q", 25)),
    Fault("qdq", "conv2", weight("w2_q", 25), Level.ALL),
    Fault("holes", "clip_max_only", weight("hi", -0.2)),
    Fault("control", "scan", attribute("scan", scan_input_directions=[1])),
    Fault(
        "conv_relu", "act", fused("conv act", "FusedConv", "x conv_w conv_b", activation="Sigmoid")
    ),
    Fault("gemm_relu", "relu", fused("gemm relu", "FusedGemm", "x w b", activation="Tanh")),
    Fault("gelu", "halve", fused("divide erf plus_one times_x halve", "FastGelu", "exp_y")),
    Fault("matmul_scale", "matmul", fused("matmul scale_it", "FusedMatMul", "x z", alpha=2.0)),
    Fault("residual_block", "conv_b", attribute("conv_b", pads=[0, 0, 2, 2])),
    Fault("equal_subexpressions", "mul", operator("mul", "Max")),
    Fault("moved_transpose", "concat", swapped("concat"), Level.ALL),
)
"""Thirty of them."""
