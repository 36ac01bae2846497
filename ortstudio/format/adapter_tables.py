"""Made from schema/lora_adapter.fbs by schema/generate.py: change the schema."""

from __future__ import annotations

from typing import Final

from ortstudio.format.fields import Field, Kind, Schema, tables_of
from ortstudio.format.ort_tables import TensorDataType


class Adapter:
    """The root."""

    format_version: Final = Field(
        "Adapter",
        "format_version",
        0,
        Kind.INT32,
        doc="The version of the format. The runtime takes 1 only.",
    )
    adapter_version: Final = Field(
        "Adapter",
        "adapter_version",
        1,
        Kind.INT32,
        doc="Whatever number the author gave the adapter.",
    )
    model_version: Final = Field(
        "Adapter",
        "model_version",
        2,
        Kind.INT32,
        doc="Whatever number the author gave the model that it is for.",
    )
    parameters: Final = Field(
        "Adapter", "parameters", 3, Kind.VECTOR, element=Kind.TABLE, target="Parameter"
    )


class Parameter:
    """A named tensor that is put in the place of a model input."""

    name: Final = Field("Parameter", "name", 0, Kind.STRING)
    dims: Final = Field("Parameter", "dims", 1, Kind.VECTOR, element=Kind.INT64)
    data_type: Final = Field("Parameter", "data_type", 2, Kind.INT32, target="TensorDataType")
    raw_data: Final = Field(
        "Parameter",
        "raw_data",
        3,
        Kind.VECTOR,
        element=Kind.UINT8,
        force_align=8,
        doc="The elements, little-endian.",
    )


SCHEMA: Final = Schema(
    identifier=b"TORT",
    root="Adapter",
    tables=tables_of(Adapter, Parameter),
    structs={},
    enums={
        "TensorDataType": TensorDataType,
    },
    unions={},
)
