"""A training checkpoint and a LoRA adapter, written by code that is not ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import flatbuffers
import numpy as np
import onnxruntime
import onnxruntime.tools.ort_format_model
from ort_flatbuffers_py.fbs import (
    Checkpoint,
    IntProperty,
    ModuleState,
    OptimizerGroup,
    ParameterOptimizerState,
    PropertyBag,
    StringProperty,
    Tensor,
)

FLOAT = 1


def write_adapter(path: Path) -> Path:
    """An adapter of two parameters: `a` of 2 by 3 and `b` of 4."""
    values = {"a": np.ones((2, 3), np.float32), "b": np.arange(4, dtype=np.int64)}
    adapter = onnxruntime.AdapterFormat()
    adapter.set_adapter_version(7)
    adapter.set_model_version(3)
    adapter.set_parameters(
        {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in values.items()}
    )
    adapter.export_adapter(str(path))
    return path


def write_checkpoint(path: Path) -> Path:
    """A checkpoint after 12 steps: `weight` is trained, `frozen` is not, `epoch` is 3."""
    b = flatbuffers.Builder(1024)
    trained = _vector(
        b, ModuleState.ModuleStateStartRequiresGradParamsVector, [_tensor(b, "weight")]
    )
    frozen = _vector(b, ModuleState.ModuleStateStartFrozenParamsVector, [_tensor(b, "frozen")])
    ModuleState.ModuleStateStart(b)
    ModuleState.ModuleStateAddRequiresGradParams(b, trained)
    ModuleState.ModuleStateAddFrozenParams(b, frozen)
    module_state = ModuleState.ModuleStateEnd(b)
    groups = _vector(b, Checkpoint.CheckpointStartOptimizerGroupsVector, [_group(b)])
    bag = _properties(b)
    Checkpoint.CheckpointStart(b)
    Checkpoint.CheckpointAddVersion(b, 2)
    Checkpoint.CheckpointAddModuleState(b, module_state)
    Checkpoint.CheckpointAddOptimizerGroups(b, groups)
    Checkpoint.CheckpointAddPropertyBag(b, bag)
    b.Finish(Checkpoint.CheckpointEnd(b), b"ODTC")
    path.write_bytes(b.Output())
    return path


def _vector(
    b: flatbuffers.Builder, start: Callable[[flatbuffers.Builder, int], object], rows: Sequence[int]
) -> int:
    start(b, len(rows))
    for row in reversed(rows):
        b.PrependUOffsetTRelative(row)
    return int(b.EndVector())


def _tensor(b: flatbuffers.Builder, name: str) -> int:
    """Two floats, 1 and 2."""
    text = b.CreateString(name)
    data = b.CreateNumpyVector(np.array([1, 2], np.float32).view(np.uint8))
    dims = b.CreateNumpyVector(np.array([2], np.int64))
    Tensor.TensorStart(b)
    Tensor.TensorAddName(b, text)
    Tensor.TensorAddDims(b, dims)
    Tensor.TensorAddDataType(b, FLOAT)
    Tensor.TensorAddRawData(b, data)
    return int(Tensor.TensorEnd(b))


def _group(b: flatbuffers.Builder) -> int:
    momentum = [_tensor(b, "momentum0")]
    momentums = _vector(
        b, ParameterOptimizerState.ParameterOptimizerStateStartMomentumsVector, momentum
    )
    parameter = b.CreateString("weight")
    ParameterOptimizerState.ParameterOptimizerStateStart(b)
    ParameterOptimizerState.ParameterOptimizerStateAddParamName(b, parameter)
    ParameterOptimizerState.ParameterOptimizerStateAddMomentums(b, momentums)
    state = ParameterOptimizerState.ParameterOptimizerStateEnd(b)
    states = _vector(b, OptimizerGroup.OptimizerGroupStartOptimizerStatesVector, [state])
    name = b.CreateString("group0")
    OptimizerGroup.OptimizerGroupStart(b)
    OptimizerGroup.OptimizerGroupAddGroupName(b, name)
    OptimizerGroup.OptimizerGroupAddStep(b, 12)
    OptimizerGroup.OptimizerGroupAddInitialLearningRate(b, 0.5)
    OptimizerGroup.OptimizerGroupAddOptimizerStates(b, states)
    return int(OptimizerGroup.OptimizerGroupEnd(b))


def _properties(b: flatbuffers.Builder) -> int:
    name = b.CreateString("epoch")
    IntProperty.IntPropertyStart(b)
    IntProperty.IntPropertyAddName(b, name)
    IntProperty.IntPropertyAddValue(b, 3)
    epoch = IntProperty.IntPropertyEnd(b)
    name, note = b.CreateString("note"), b.CreateString("half way")
    StringProperty.StringPropertyStart(b)
    StringProperty.StringPropertyAddName(b, name)
    StringProperty.StringPropertyAddValue(b, note)
    text = StringProperty.StringPropertyEnd(b)
    ints = _vector(b, PropertyBag.PropertyBagStartIntsVector, [epoch])
    strings = _vector(b, PropertyBag.PropertyBagStartStringsVector, [text])
    PropertyBag.PropertyBagStart(b)
    PropertyBag.PropertyBagAddInts(b, ints)
    PropertyBag.PropertyBagAddStrings(b, strings)
    return int(PropertyBag.PropertyBagEnd(b))
