"""An ORT-format model as an ONNX model without weights, for tools that look at its structure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model
from ortstudio.services.onnx_message import onnx_message


def write_skeleton(model: Model, imports: Sequence[OpsetImport], path: Path) -> None:
    """Write it: initializers of the main graph have a name, a type and a shape, but no elements.

    Nodes stand in the order of `checks.order.running_order`. Raises what `onnx_message` raises.
    """
    message = onnx_message(model, imports)
    constants = model.main.initializers
    columns = zip(
        constants.names, constants.data_types.tolist(), constants.dims.lists(), strict=True
    )
    for name, data_type, dims in columns:
        message.graph.initializer.add(name=name, data_type=data_type, dims=dims)
    path.write_bytes(message.SerializeToString())
