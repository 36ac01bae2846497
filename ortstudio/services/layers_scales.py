"""Quantized values inside a model as the real numbers that they stand for, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ortstudio.errors import StudioError
from ortstudio.format.arrays import Numbers
from ortstudio.model.elements import open_elements
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services.exchange import TensorValue
from ortstudio.services.inputs import as_tensor
from ortstudio.services.quantization import constant

_RANGES = {
    DataType.UINT8: (0, 255),
    DataType.INT8: (-128, 127),
    DataType.UINT16: (0, 65535),
    DataType.INT16: (-32768, 32767),
    DataType.UINT4: (0, 15),
    DataType.INT4: (-8, 7),
}
"""Types of quantized values, and their numbers."""

_MADE_BY = {
    "QuantizeLinear": 1,
    "QLinearConv": 6,
    "QLinearMatMul": 6,
    "QLinearAdd": 6,
    "QLinearMul": 6,
    "QLinearWhere": 7,
    "QGemm": 7,
    "QLinearConcat": 0,
    "QLinearAveragePool": 3,
    "QLinearGlobalAveragePool": 3,
    "QLinearLeakyRelu": 3,
    "QLinearReduceMean": 3,
    "QLinearSigmoid": 3,
    "QLinearSoftmax": 3,
}
"""Operators that quantize what they make, and the input that is its scale; the next is its zero."""

_READ_BY = {"DequantizeLinear": (0,), "QGemm": (0, 3), "QLinearConcat": tuple(range(2, 300, 3))}
_READ_BY |= dict.fromkeys(("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"), (0, 3))
"""Operators that read quantized values, and where; scale and zero stand behind."""

_MOVES = frozenset({"MaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice"})
"""Operators that leave the meaning of quantized values as it is."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the integers of a value stand for: (number - zero) * step."""

    step: float
    zero: int

    def real(self, value: TensorValue) -> TensorValue:
        """The numbers that a quantized value stands for."""
        numbers = (value.numbers.astype(np.float32) - self.zero) * np.float32(self.step)
        return TensorValue(DataType.FLOAT, value.dims, numbers)

    def quantized(self, numbers: Numbers, data_type: int) -> TensorValue:
        """Numbers as integers of a type."""
        low, high = _RANGES[DataType(data_type)]
        rounded = np.rint(numbers.astype(np.float64) / self.step) + self.zero
        return as_tensor(data_type, np.clip(rounded, low, high))


@dataclass(frozen=True, slots=True)
class Quantizer:
    """A scale, and the type whose range what is quantized is clipped to."""

    scale: Scale
    data_type: int

    def passed(self, value: TensorValue) -> TensorValue:
        """What is left of a value behind it."""
        return self.scale.real(self.scale.quantized(value.numbers, self.data_type))


def is_quantized(value: TensorValue) -> bool:
    """Whether the value is of a type that quantizers make."""
    return value.data_type in _RANGES


class Scales:
    """The scales of the quantized values of a model's main graph."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._graph = model.main
        self._inputs = model.main.nodes.inputs.lists()
        self._found: dict[int, Scale | None] = {}

    def of(self, value: int) -> Scale | None:
        """The scale of a value; None where it has none that is one constant."""
        if value not in self._found:
            self._found[value] = self._searched(value)
        return self._found[value]

    def _searched(self, value: int) -> Scale | None:
        seen, pending = {value}, [value]
        while pending:
            current = pending.pop()
            found = self._stated(current)
            if found is not None:
                return found
            near = [near for near in self._moved(current) if near not in seen]
            seen.update(near)
            pending += near
        return None

    def step_of(self, value: int) -> float:
        """How far apart the numbers are that a dequantized value can be; 0 for all others."""
        maker = int(self._graph.producers[value])
        if maker < 0 or self._graph.nodes.op_types[maker] != "DequantizeLinear":
            return 0.0
        scale = self._scale(maker, 1)
        return scale.step if scale is not None else 0.0

    def read_by(self, value: int) -> Quantizer | None:
        """The quantizer that alone reads a value; None where others see it too."""
        graph = self._graph
        readers = graph.consumers.row(value).tolist()
        if len(readers) != 1 or value in graph.outputs.tolist():
            return None
        row = readers[0]
        if graph.nodes.op_types[row] != "QuantizeLinear":
            return None
        scale, inputs = self._scale(row, 1), self._inputs[row]
        zero = constant(graph, inputs[2]) if len(inputs) > 2 and inputs[2] >= 0 else None
        kind = zero.data_type if zero is not None else DataType.UINT8
        return Quantizer(scale, kind) if scale is not None and kind in _RANGES else None

    def coarsest(self, rows: Sequence[int]) -> float:
        """The largest step of quantizers among some nodes; 0 where there is none."""
        steps = [0.0]
        for row in rows:
            op = self._graph.nodes.op_types[row]
            places = [_MADE_BY[op]] if op in _MADE_BY else []
            places += [place + 1 for place in _READ_BY.get(op, ())]
            scales = (self._scale(row, place) for place in places)
            steps += [scale.step for scale in scales if scale is not None]
        return max(steps)

    def _stated(self, value: int) -> Scale | None:
        """By the node that makes the value, or one that reads it."""
        graph = self._graph
        maker = int(graph.producers[value])
        if maker >= 0 and graph.nodes.op_types[maker] in _MADE_BY:
            return self._scale(maker, _MADE_BY[graph.nodes.op_types[maker]])
        for reader in graph.consumers.row(value).tolist():
            for place in _READ_BY.get(graph.nodes.op_types[reader], ()):
                if self._inputs[reader][place : place + 1] == [value]:
                    return self._scale(reader, place + 1)
        return None

    def _moved(self, value: int) -> list[int]:
        """Values that hold the same numbers in other places."""
        graph, found = self._graph, []
        maker = int(graph.producers[value])
        if maker >= 0 and graph.nodes.op_types[maker] in _MOVES:
            found += self._inputs[maker][:1]
        for reader in graph.consumers.row(value).tolist():
            if graph.nodes.op_types[reader] in _MOVES and self._inputs[reader][:1] == [value]:
                found += graph.nodes.outputs.row(reader).tolist()[:1]
        return [one for one in found if one >= 0]

    def _scale(self, row: int, place: int) -> Scale | None:
        inputs = self._inputs[row]
        step = self._number(inputs[place]) if place < len(inputs) else None
        if step is None:
            return None
        has_zero = place + 1 < len(inputs) and inputs[place + 1] >= 0
        zero = self._number(inputs[place + 1]) if has_zero else 0.0
        return None if zero is None else Scale(step, int(zero))

    def _number(self, value: int) -> float | None:
        """The only element of a constant."""
        tensor = constant(self._graph, value) if value >= 0 else None
        if tensor is None:
            return None
        try:
            elements = open_elements(self._model.source, tensor).array()
        except StudioError:
            return None
        return float(elements.reshape(-1)[0]) if elements.size == 1 else None
