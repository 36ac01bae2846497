"""Made from schema/ort_training_checkpoint.fbs by schema/generate.py: change the schema."""

from __future__ import annotations

from typing import Final

from ortstudio.format.fields import Field, Kind, Schema, tables_of
from ortstudio.format.ort_tables import Tensor, TensorDataType


class Checkpoint:
    """The root."""

    version: Final = Field(
        "Checkpoint",
        "version",
        0,
        Kind.INT32,
        doc="The checkpoint version. A runtime takes its own version only.",
    )
    module_state: Final = Field("Checkpoint", "module_state", 1, Kind.TABLE, target="ModuleState")
    optimizer_groups: Final = Field(
        "Checkpoint",
        "optimizer_groups",
        2,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="OptimizerGroup",
    )
    property_bag: Final = Field("Checkpoint", "property_bag", 3, Kind.TABLE, target="PropertyBag")


class ModuleState:
    """The parameters."""

    requires_grad_params: Final = Field(
        "ModuleState",
        "requires_grad_params",
        0,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="Tensor",
        doc="Those that training changes.",
    )
    frozen_params: Final = Field(
        "ModuleState",
        "frozen_params",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="Tensor",
        doc="Those that training leaves alone.",
    )
    is_nominal_state: Final = Field(
        "ModuleState",
        "is_nominal_state",
        2,
        Kind.BOOL,
        since=2,
        doc="Whether names and types stand here without the values, which are elsewhere.",
    )
    has_external_data: Final = Field(
        "ModuleState",
        "has_external_data",
        3,
        Kind.BOOL,
        since=2,
        doc=(
            "Whether values stand in the side file, whose name has `.data` added: they do for"
            " each tensor with an `external_data_offset`."
        ),
    )


class OptimizerGroup:
    """Parameters that one optimizer trains with the same settings."""

    group_name: Final = Field("OptimizerGroup", "group_name", 0, Kind.STRING)
    step: Final = Field("OptimizerGroup", "step", 1, Kind.INT64, doc="How many steps were done.")
    initial_learning_rate: Final = Field("OptimizerGroup", "initial_learning_rate", 2, Kind.FLOAT)
    optimizer_states: Final = Field(
        "OptimizerGroup",
        "optimizer_states",
        3,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="ParameterOptimizerState",
    )


class ParameterOptimizerState:
    """What an optimizer keeps for one parameter."""

    param_name: Final = Field("ParameterOptimizerState", "param_name", 0, Kind.STRING)
    momentums: Final = Field(
        "ParameterOptimizerState", "momentums", 1, Kind.VECTOR, element=Kind.TABLE, target="Tensor"
    )


class PropertyBag:
    """What the user of the training loop stored along with the state."""

    ints: Final = Field(
        "PropertyBag", "ints", 0, Kind.VECTOR, element=Kind.TABLE, target="IntProperty"
    )
    floats: Final = Field(
        "PropertyBag", "floats", 1, Kind.VECTOR, element=Kind.TABLE, target="FloatProperty"
    )
    strings: Final = Field(
        "PropertyBag", "strings", 2, Kind.VECTOR, element=Kind.TABLE, target="StringProperty"
    )


class IntProperty:
    """A named integer."""

    name: Final = Field("IntProperty", "name", 0, Kind.STRING)
    value: Final = Field("IntProperty", "value", 1, Kind.INT64)


class FloatProperty:
    """A named number."""

    name: Final = Field("FloatProperty", "name", 0, Kind.STRING)
    value: Final = Field("FloatProperty", "value", 1, Kind.FLOAT)


class StringProperty:
    """A named text."""

    name: Final = Field("StringProperty", "name", 0, Kind.STRING)
    value: Final = Field("StringProperty", "value", 1, Kind.STRING)


SCHEMA: Final = Schema(
    identifier=b"ODTC",
    root="Checkpoint",
    tables=tables_of(
        Checkpoint,
        ModuleState,
        Tensor,
        OptimizerGroup,
        ParameterOptimizerState,
        PropertyBag,
        IntProperty,
        FloatProperty,
        StringProperty,
    ),
    structs={},
    enums={
        "TensorDataType": TensorDataType,
    },
    unions={},
)
