"""The ORT format's siblings: training checkpoints and LoRA adapters.

Both hold named tensors and no graph, so their tensors stand as the initializers of one graph
without nodes; what else they hold stands in `Model.checkpoint` and `Model.adapter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ortstudio.format.adapter_tables import Adapter, Parameter
from ortstudio.format.arrays import Ints
from ortstudio.format.buffer import Buffer
from ortstudio.format.checkpoint_tables import (
    Checkpoint,
    FloatProperty,
    IntProperty,
    ModuleState,
    OptimizerGroup,
    ParameterOptimizerState,
    PropertyBag,
    StringProperty,
)
from ortstudio.format.fields import Field
from ortstudio.format.flatbuf import Tables
from ortstudio.format.source import Source
from ortstudio.model.graph import MAIN_PATH, Graph, Nodes, Values
from ortstudio.model.model import (
    AdapterModel,
    CheckpointModel,
    CheckpointProperty,
    FileKind,
    Model,
    OptimizerGroupState,
)
from ortstudio.model.ort_columns import read_tensors
from ortstudio.model.tensor import Storage, Tensors


def _root(source: Source) -> tuple[Buffer, Tables]:
    buffer = Buffer(source)
    root = Tables.root(buffer, "metadata")
    if buffer.damage is not None:
        raise buffer.damage
    return buffer, root


def read_checkpoint(source: Source) -> Model:
    """Read a training checkpoint. Raises FormatError where not even the root can be read."""
    buffer, root = _root(source)
    state = root.tables(Checkpoint.module_state)
    data_file = Path(source.path).name + ".data"
    _, trained = state.vectors(ModuleState.requires_grad_params, "initializers").tables()
    _, frozen = state.vectors(ModuleState.frozen_params, "initializers").tables()
    groups, momentums = _optimizer_groups(root)
    positions = np.concatenate([trained.positions, frozen.positions, momentums.positions])
    tensors = read_tensors(
        Tables(buffer, positions, "initializers", "Tensor"), "initializer_data", data_file
    )
    frozen_names = tensors.names[len(trained) : len(trained) + len(frozen)]
    checkpoint = CheckpointModel(
        version=int(root.ints(Checkpoint.version)[0]),
        is_nominal_state=bool(state.numbers(ModuleState.is_nominal_state)[0]),
        has_external_data=bool(state.numbers(ModuleState.has_external_data)[0]),
        trained_parameters=tuple(tensors.names[: len(trained)]),
        frozen_parameters=tuple(frozen_names),
        optimizer_groups=groups,
        properties=_properties(root),
    )
    return _model(buffer, FileKind.CHECKPOINT, tensors, checkpoint=checkpoint)


def _optimizer_groups(root: Tables) -> tuple[tuple[OptimizerGroupState, ...], Tables]:
    """The optimizer groups, and the momentum tensors of all their parameters."""
    _, groups = root.vectors(Checkpoint.optimizer_groups).tables()
    ptr, states = groups.vectors(OptimizerGroup.optimizer_states).tables()
    parameters = states.texts(ParameterOptimizerState.param_name)
    _, momentums = states.vectors(ParameterOptimizerState.momentums, "initializers").tables()
    names = groups.texts(OptimizerGroup.group_name)
    steps = groups.ints(OptimizerGroup.step).tolist()
    rates = groups.numbers(OptimizerGroup.initial_learning_rate).tolist()
    return tuple(
        OptimizerGroupState(
            names[i], steps[i], rates[i], tuple(parameters[int(ptr[i]) : int(ptr[i + 1])])
        )
        for i in range(len(groups))
    ), momentums


def _properties(root: Tables) -> tuple[CheckpointProperty, ...]:
    bag = root.tables(Checkpoint.property_bag)
    _, numbers = bag.vectors(PropertyBag.ints).tables()
    _, floats = bag.vectors(PropertyBag.floats).tables()
    _, strings = bag.vectors(PropertyBag.strings).tables()
    found: list[CheckpointProperty] = []
    found += _named(numbers, IntProperty.name, numbers.ints(IntProperty.value).tolist())
    found += _named(floats, FloatProperty.name, floats.numbers(FloatProperty.value).tolist())
    found += _named(strings, StringProperty.name, strings.texts(StringProperty.value))
    return tuple(found)


def _named(
    tables: Tables, name: Field, values: Sequence[int | float | str]
) -> list[CheckpointProperty]:
    return [
        CheckpointProperty(text, value)
        for text, value in zip(tables.texts(name), values, strict=True)
    ]


def read_adapter(source: Source) -> Model:
    """Read a LoRA adapter. Raises FormatError where not even the root can be read."""
    buffer, root = _root(source)
    _, tables = root.vectors(Adapter.parameters, "initializers").tables()
    raw = tables.vectors(Parameter.raw_data, "initializer_data")
    has_raw = raw.starts >= 0
    tensors = Tensors(
        names=tables.texts(Parameter.name),
        data_types=tables.ints(Parameter.data_type),
        dims=tables.vectors(Parameter.dims).numbers(),
        storages=np.where(has_raw, Storage.RAW, Storage.NONE).astype(np.int64),
        data_offsets=np.where(has_raw, raw.starts, 0),
        data_lengths=raw.counts,
        offsets=tables.positions,
    )
    adapter = AdapterModel(
        format_version=int(root.ints(Adapter.format_version)[0]),
        adapter_version=int(root.ints(Adapter.adapter_version)[0]),
        model_version=int(root.ints(Adapter.model_version)[0]),
    )
    return _model(buffer, FileKind.ADAPTER, tensors, adapter=adapter)


def _model(
    buffer: Buffer,
    kind: FileKind,
    tensors: Tensors,
    checkpoint: CheckpointModel | None = None,
    adapter: AdapterModel | None = None,
) -> Model:
    nothing: Ints = np.zeros(0, np.int64)
    graph = Graph(
        path=MAIN_PATH,
        name="",
        doc_string="",
        offset=0,
        parent=None,
        values=Values([], []),
        inputs=nothing,
        outputs=nothing,
        nodes=Nodes.none(),
        initializers=tensors,
    )
    return Model(
        kind=kind,
        source=buffer.source,
        ir_version=None,
        opset_imports=(),
        producer_name=None,
        producer_version=None,
        domain=None,
        model_version=adapter.model_version if adapter else None,
        doc_string=None,
        graph_doc_string=None,
        metadata={},
        graphs=(graph,),
        account=buffer.account.sizes,
        checkpoint=checkpoint,
        adapter=adapter,
        error=buffer.damage,
    )
