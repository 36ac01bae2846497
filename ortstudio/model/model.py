"""A whole model, and what only one of the two formats knows about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from ortstudio.errors import StudioError
from ortstudio.format.arrays import Ints, Ragged
from ortstudio.format.source import Source
from ortstudio.model.graph import Function, Graph, OpsetImport


class FileKind(Enum):
    """What a file is, decided by its content. The value is the contract's word."""

    ORT = "ort"
    ONNX = "onnx"
    CHECKPOINT = "ort-checkpoint"
    ADAPTER = "lora-adapter"


@dataclass(frozen=True, slots=True)
class KernelTypeStr:
    """Which inputs (`I0`) and outputs (`O0`) one kernel type string covers."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResolverEntry:
    """The kernel type strings of one operator; `op_id` is `domain:op_type:since_version`."""

    op_id: str
    kernel_type_strs: tuple[KernelTypeStr, ...]


NO_NODE = 4294967295
"""What a saved optimization writes where a rule's node is absent."""


@dataclass(frozen=True, slots=True)
class OptimizationRecord:
    """One saved runtime optimization of one graph.

    `nodes` are `Node.index` values, `NO_NODE` for an absent one: input side, target, output side.
    """

    optimizer: str
    action: str
    nodes: tuple[int, ...]
    input_count: int
    output_count: int
    variadic_input: bool
    variadic_output: bool
    variadic_input_count: int
    variadic_output_count: int
    produced_op_ids: tuple[str, ...]
    produced_hashes: int
    offset: int

    @property
    def target_position(self) -> int:
        """Where the target stands in `nodes`: after all entries of the input side."""
        if self.variadic_input:
            return self.input_count - 1 + max(1, self.variadic_input_count)
        return self.input_count

    @property
    def target(self) -> int | None:
        """The target's `Node.index`; None where the record does not reach that far."""
        if 0 <= self.target_position < len(self.nodes):
            index = self.nodes[self.target_position]
            return None if index == NO_NODE else index
        return None


@dataclass(frozen=True, eq=False)
class OrtGraph:
    """What an `.ort` says of a graph beyond the common view; columns run along `Graph.nodes`.

    `declared_values` says how many of `Graph.values` stand in the graph's table of values; a nested
    graph may read an outer value without that. `edge_nodes` is `NodeEdge.node_index`; each edge
    end is (node_index, src_arg, dst_arg).
    """

    declared_values: int
    execution_providers: list[str]
    node_types: Ints
    input_arg_counts: Ragged
    max_node_index: int
    runtime_optimizations: tuple[OptimizationRecord, ...]
    edge_nodes: Ints
    input_edges: Ragged
    output_edges: Ragged


@dataclass(frozen=True, slots=True)
class KernelHash:
    """One v1–v4 kernel definition hash; `graph_id` is empty for the main graph."""

    graph_id: str
    node_index: int
    kernel_hash: int


@dataclass(frozen=True, eq=False)
class OrtModel:
    """What only an `.ort` holds. `graphs` runs along `Model.graphs`."""

    format_version_text: str
    format_version: int | None
    has_identifier: bool
    graphs: tuple[OrtGraph, ...]
    resolver: tuple[ResolverEntry, ...] | None
    kernel_hashes: tuple[KernelHash, ...]
    table_count: int


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """What only an `.onnx` holds."""

    functions: tuple[Function, ...]
    has_training_info: bool
    quantization_annotations: int
    device_configurations: int


@dataclass(frozen=True, slots=True)
class OptimizerGroupState:
    """One optimizer group of a training checkpoint and the parameters it has a state for."""

    name: str
    step: int
    initial_learning_rate: float
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckpointProperty:
    """One entry of a training checkpoint's property bag."""

    name: str
    value: int | float | str


@dataclass(frozen=True, eq=False)
class CheckpointModel:
    """What only a training checkpoint holds."""

    version: int
    is_nominal_state: bool
    has_external_data: bool
    trained_parameters: tuple[str, ...]
    frozen_parameters: tuple[str, ...]
    optimizer_groups: tuple[OptimizerGroupState, ...]
    properties: tuple[CheckpointProperty, ...]


@dataclass(frozen=True, eq=False)
class AdapterModel:
    """What only a LoRA adapter holds; the versions are its author's numbers but for the first."""

    format_version: int
    adapter_version: int
    model_version: int


@dataclass(frozen=True, eq=False)
class Model:
    """A read model. `graphs[0]` is the main graph; every subgraph at any depth follows.

    `producer_name` and its like are None where not set. `error` is set where the structure is
    damaged and only parts could be read. `account` adds up which bytes serve what, see `sizes`.
    """

    kind: FileKind
    source: Source
    ir_version: int | None
    opset_imports: tuple[OpsetImport, ...]
    producer_name: str | None
    producer_version: str | None
    domain: str | None
    model_version: int | None
    doc_string: str | None
    graph_doc_string: str | None
    metadata: Mapping[str, str]
    graphs: tuple[Graph, ...]
    account: Callable[[], Mapping[str, int]] = dict
    ort: OrtModel | None = None
    onnx: OnnxModel | None = None
    checkpoint: CheckpointModel | None = None
    adapter: AdapterModel | None = None
    error: StudioError | None = None

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Bytes by use; they add up to the file's size. Takes a moment for a large file."""
        return self.account()

    @property
    def main(self) -> Graph:
        """The main graph."""
        return self.graphs[0]

    @property
    def functions(self) -> tuple[Function, ...]:
        """The model-local functions, which only an `.onnx` has."""
        return self.onnx.functions if self.onnx else ()

    @property
    def all_graphs(self) -> tuple[Graph, ...]:
        """`graphs`, then those of the local functions."""
        return (*self.graphs, *(graph for found in self.functions for graph in found.graphs))
