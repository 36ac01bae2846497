"""Saved runtime optimizations and kernel type information of an `.ort`."""

from __future__ import annotations

import numpy as np

from ortstudio.format.arrays import Ragged
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import (
    ArgType,
    ArgTypeAndIndex,
    DeprecatedKernelCreateInfos,
    DeprecatedSessionState,
    DeprecatedSubGraphSessionState,
    KernelTypeStrArgsEntry,
    KernelTypeStrResolver,
    NodesToOptimizeIndices,
    OpIdKernelTypeStrArgsEntry,
    RuntimeOptimizationRecord,
    RuntimeOptimizationRecordContainerEntry,
    RuntimeOptimizations,
)
from ortstudio.model.model import KernelHash, KernelTypeStr, OptimizationRecord, ResolverEntry


def read_optimizations(tables: Tables) -> tuple[OptimizationRecord, ...]:
    """The records of one graph, in the order of the file."""
    containers = tables.vectors(RuntimeOptimizations.records, "runtime_optimizations")
    _, entries = containers.tables()
    optimizers = entries.texts(RuntimeOptimizationRecordContainerEntry.optimizer_name)
    ptr, records = entries.vectors(
        RuntimeOptimizationRecordContainerEntry.runtime_optimization_records
    ).tables()
    owners = Ragged(ptr, np.arange(len(records), dtype=np.int64)).owners.tolist()
    actions = records.texts(RuntimeOptimizationRecord.action_id)
    hashes = records.vectors(RuntimeOptimizationRecord.produced_nodes).counts.tolist()
    op_ptr, op_positions = records.vectors(RuntimeOptimizationRecord.produced_op_ids).follow()
    op_ids = records.buffer.texts(
        op_positions, records.use, RuntimeOptimizationRecord.produced_op_ids.path
    )
    shape = records.tables(RuntimeOptimizationRecord.nodes_to_optimize_indices)
    nodes = shape.vectors(NodesToOptimizeIndices.node_indices).numbers()
    inputs, outputs, inputs_vary, outputs_vary, varying_inputs, varying_outputs = (
        shape.ints(field).tolist()
        for field in (
            NodesToOptimizeIndices.num_inputs,
            NodesToOptimizeIndices.num_outputs,
            NodesToOptimizeIndices.has_variadic_input,
            NodesToOptimizeIndices.has_variadic_output,
            NodesToOptimizeIndices.num_variadic_inputs,
            NodesToOptimizeIndices.num_variadic_outputs,
        )
    )
    return tuple(
        OptimizationRecord(
            optimizer=optimizers[owners[i]],
            action=actions[i],
            nodes=tuple(nodes.row(i).tolist()),
            input_count=inputs[i],
            output_count=outputs[i],
            variadic_input=bool(inputs_vary[i]),
            variadic_output=bool(outputs_vary[i]),
            variadic_input_count=varying_inputs[i],
            variadic_output_count=varying_outputs[i],
            produced_op_ids=tuple(t or "" for t in op_ids[int(op_ptr[i]) : int(op_ptr[i + 1])]),
            produced_hashes=hashes[i],
            offset=int(records.positions[i]),
        )
        for i in range(len(records))
    )


def read_resolver(tables: Tables) -> tuple[ResolverEntry, ...] | None:
    """The kernel type resolver, None where the file has none."""
    if not tables.is_present[0]:
        return None
    _, entries = tables.vectors(KernelTypeStrResolver.op_kernel_type_str_args).tables()
    op_ids = entries.texts(OpIdKernelTypeStrArgsEntry.op_id)
    ptr, strs = entries.vectors(OpIdKernelTypeStrArgsEntry.kernel_type_str_args).tables()
    names = strs.texts(KernelTypeStrArgsEntry.kernel_type_str)
    arg_ptr, args = strs.vectors(KernelTypeStrArgsEntry.args).tables()
    kinds = args.ints(ArgTypeAndIndex.arg_type).tolist()
    places = args.ints(ArgTypeAndIndex.index).tolist()
    texts = [
        f"{'O' if kind == ArgType.OUTPUT else 'I'}{place}"
        for kind, place in zip(kinds, places, strict=True)
    ]
    ends = arg_ptr.tolist()
    made = [
        KernelTypeStr(name, tuple(texts[ends[i] : ends[i + 1]])) for i, name in enumerate(names)
    ]
    bounds = ptr.tolist()
    return tuple(
        ResolverEntry(op, tuple(made[bounds[i] : bounds[i + 1]])) for i, op in enumerate(op_ids)
    )


def read_kernel_hashes(tables: Tables) -> tuple[KernelHash, ...]:
    """The kernel hashes of a v1–v4 session state and of those of its subgraphs, at any depth."""
    found: list[KernelHash] = []
    graph_ids = [""]
    while len(tables):
        kernels = tables.tables(DeprecatedSessionState.kernels)
        nodes = kernels.vectors(DeprecatedKernelCreateInfos.node_indices).numbers()
        hashes = kernels.vectors(DeprecatedKernelCreateInfos.kernel_def_hashes).numbers()
        for row, graph_id in enumerate(graph_ids):
            pairs = zip(nodes.row(row).tolist(), hashes.row(row).tolist(), strict=False)
            found += [KernelHash(graph_id, node, value) for node, value in pairs]
        ptr, nested = tables.vectors(DeprecatedSessionState.sub_graph_session_states).tables()
        owners = Ragged(ptr, np.arange(len(nested), dtype=np.int64)).owners.tolist()
        names = nested.texts(DeprecatedSubGraphSessionState.graph_id)
        graph_ids = [
            f"{graph_ids[owner]}/{name}" for owner, name in zip(owners, names, strict=True)
        ]
        tables = nested.tables(DeprecatedSubGraphSessionState.session_state)
    return tuple(found)
