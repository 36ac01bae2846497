"""Inputs that have a default value in a source, and must be given to its result.

Of constants that are equal, and inputs too, ONNX Runtime 1.32 keeps one. Of the others it drops the
default value and not the input, though no node reads it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.words import count, listed
from ortstudio.model.elements import open_elements
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services.exchange import TensorValue
from ortstudio.services.inputs import as_tensor


def defaulted(model: Model) -> tuple[str, ...]:
    """The inputs of the main graph that have a default value."""
    graph = model.main
    defaults = set(graph.initializers.names)
    defaults |= {sparse.values.name for sparse in graph.sparse_initializers}
    return tuple(name for name in _inputs(model) if name in defaults)


def constants(model: Model) -> frozenset[str]:
    """The inputs with a default value that no run can give another one.

    Before IR version 4 every initializer had to be an input too, and ONNX Runtime refuses to be
    given it.
    """
    return frozenset(defaulted(model) if (model.ir_version or 0) < 4 else ())


def lost(defaults: Collection[str], result: Model) -> list[str]:
    """Which of a source's inputs with a default value must be given to the result."""
    needed = set(_inputs(result)) - set(defaulted(result))
    return [name for name in defaults if name in needed]


def lost_values(source: Model, result: Model) -> dict[str, TensorValue]:
    """The source's default value of each input that is lost in the result.

    Raises StudioError where the source does not hold what it says.
    """
    rows = source.main.initializers.rows
    names = lost(defaulted(source), result)
    return {name: _value(source, rows[name]) for name in names if name in rows}


def lost_note(names: Sequence[str]) -> Finding:
    """What whoever runs the result must know."""
    text = (
        f"The result must be given {count(len(names), 'input')} that the source has a default value"
        f" for ({listed(names)}): of equal constants ONNX Runtime keeps one. No node reads the"
        " others: any value of their type and shape will do"
    )
    return Finding("warning", "default-value-lost", text)


def _inputs(model: Model) -> list[str]:
    return model.main.value_names(model.main.inputs.tolist())


def _value(model: Model, row: int) -> TensorValue:
    tensor = model.main.initializers[row]
    elements = open_elements(model.source, tensor).array()
    if tensor.data_type == DataType.STRING:
        return TensorValue(tensor.data_type, elements.shape, elements)
    return as_tensor(tensor.data_type, elements)
