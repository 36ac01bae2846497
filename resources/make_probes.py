"""Makes `probes/`: files in which a survey changes an element type, or the action of a record.

The releases must be at hand: `ortstudio runtimes install 1.12.1`, and so on.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from ortstudio.model.model import FileKind
from ortstudio.services import runtimes
from ortstudio.services.sessions import Level, Session, Style, saving_config

FOLDER = Path(__file__).parent / "probes"
FLOAT, INT8 = TensorProto.FLOAT, TensorProto.INT8


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    make("types.ort", types(), "1.16.3", Level.DISABLE, Style.FIXED)
    for version, release in ((4, "1.12.1"), (5, "1.14.1")):
        make(f"actions_v{version}.ort", actions(), release, Level.ALL, Style.RUNTIME)


def make(name: str, model: ModelProto, release: str, level: Level, style: Style) -> None:
    """Convert a model under a release."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "model.onnx"
        source.write_bytes(model.SerializeToString())
        config = saving_config(style)
        disabled = ("NchwcTransformer",)
        session = Session(str(source), FileKind.ONNX, level, config, disabled)
        arguments = {"session": session.to_json(), "output": str(FOLDER / name)}
        with runtimes.find(release).child() as child:
            outcome = child.ask("convert", arguments)
    if not outcome.ok:
        sys.exit(f"{release}: {outcome.words}")


def types() -> ModelProto:
    """An empty constant `w`, which is right for every element type, and a value `v`."""
    nodes = [
        helper.make_node("Cast", ["w"], ["y"], "constant", to=FLOAT),
        helper.make_node("Cast", ["x"], ["v"], "to", to=INT8),
        helper.make_node("Cast", ["v"], ["z"], "from", to=FLOAT),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1])],
        [
            helper.make_tensor_value_info("y", FLOAT, [0]),
            helper.make_tensor_value_info("z", FLOAT, [1]),
        ],
        [helper.make_tensor("w", INT8, [0], [])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


def actions() -> ModelProto:
    """A convolution between quantizers and another before Relu: a record of two optimizers."""
    kernel = np.ones((1, 1, 1, 1))
    weights = [
        numpy_helper.from_array(np.array(1, np.float32), "scale"),
        numpy_helper.from_array(np.array(0, np.uint8), "zero"),
        numpy_helper.from_array(kernel.astype(np.uint8), "wq"),
        numpy_helper.from_array(kernel.astype(np.float32), "w"),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["xq"], "q"),
        helper.make_node("DequantizeLinear", ["xq", "scale", "zero"], ["xd"], "dq"),
        helper.make_node("DequantizeLinear", ["wq", "scale", "zero"], ["wd"], "dqw"),
        helper.make_node("Conv", ["xd", "wd"], ["c"], "conv"),
        helper.make_node("QuantizeLinear", ["c", "scale", "zero"], ["yq"], "qy"),
        helper.make_node("DequantizeLinear", ["yq", "scale", "zero"], ["y"], "dqy"),
        helper.make_node("Conv", ["x", "w"], ["d"], "plain"),
        helper.make_node("Relu", ["d"], ["z"], "relu"),
    ]
    ends = [helper.make_tensor_value_info(name, FLOAT, [1, 1, 2, 2]) for name in "xyz"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


if __name__ == "__main__":
    main()
