"""An `.ort` file as plain values, read with the bindings that come with the runtime.

They share no code with our reader. They know neither the deprecated slots nor the element types
beyond the schema, and they check nothing, so only sound files may be given to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import onnxruntime.tools.ort_format_model  # noqa: F401  (puts the bindings on sys.path)
from ort_flatbuffers_py.fbs.InferenceSession import InferenceSession
from ort_flatbuffers_py.fbs.MapType import MapType
from ort_flatbuffers_py.fbs.SequenceType import SequenceType
from ort_flatbuffers_py.fbs.TensorTypeAndShape import TensorTypeAndShape

Table: TypeAlias = Any
"""An object of the bindings, which have no types."""


def text(raw: bytes | None) -> str:
    return (raw or b"").decode()


def strings(table: Table, name: str) -> list[str]:
    get = getattr(table, name)
    return [text(get(i)) for i in range(getattr(table, f"{name}Length")())]


def each(table: Table, name: str) -> list[Table]:
    get = getattr(table, name)
    return [get(i) for i in range(getattr(table, f"{name}Length")())]


def numbers(table: Table, name: str) -> list[Table]:
    return each(table, name)


def session(content: bytes) -> Table:
    return InferenceSession.GetRootAsInferenceSession(content, 0)


def tensor(t: Table) -> dict[str, object]:
    is_string = t.DataType() == 8
    raw = t.RawDataAsNumpy()
    return {
        "name": text(t.Name()),
        "doc_string": text(t.DocString()),
        "dims": numbers(t, "Dims"),
        "data_type": t.DataType(),
        "strings": [s.encode() for s in strings(t, "StringData")] if is_string else None,
        "raw": None if is_string or isinstance(raw, int) else raw.tobytes(),
    }


def sparse(t: Table) -> dict[str, object]:
    return {
        "values": tensor(t.Values()),
        "indices": tensor(t.Indices()),
        "dims": numbers(t, "Dims"),
    }


def type_text(info: Table) -> str | None:
    """The type with its shape, in a notation of the oracle's own."""
    if info is None:
        return None
    kind, value = info.ValueType(), info.Value()
    if kind == 1:
        tensor_type = TensorTypeAndShape()
        tensor_type.Init(value.Bytes, value.Pos)
        return f"T{tensor_type.ElemType()}{shape(tensor_type.Shape())}"
    if kind == 2:
        sequence = SequenceType()
        sequence.Init(value.Bytes, value.Pos)
        return f"S({type_text(sequence.ElemType())})"
    if kind == 3:
        mapping = MapType()
        mapping.Init(value.Bytes, value.Pos)
        return f"M({mapping.KeyType()},{type_text(mapping.ValueType())})"
    return None


def shape(table: Table) -> list[object] | None:
    if table is None:
        return None
    dims: list[object] = []
    for dim in each(table, "Dim"):
        value = dim.Value()
        known = value.DimValue() if value.DimType() == 1 else None
        dims.append(text(value.DimParam()) if value.DimType() == 2 else known)
    return dims


def attribute(a: Table) -> object:
    readers: dict[int, Callable[[], object]] = {
        1: a.F,
        2: a.I,
        3: lambda: a.S() or b"",
        4: lambda: tensor(a.T()),
        5: lambda: "graph",
        6: lambda: numbers(a, "Floats"),
        7: lambda: numbers(a, "Ints"),
        8: lambda: each(a, "Strings"),
        9: lambda: [tensor(t) for t in each(a, "Tensors")],
        10: lambda: ["graph"] * a.GraphsLength(),
    }
    return readers[a.Type()]()


def node(n: Table) -> dict[str, object]:
    return {
        "name": text(n.Name()),
        "doc_string": text(n.DocString()),
        "domain": text(n.Domain()),
        "op_type": text(n.OpType()),
        "since_version": n.SinceVersion(),
        "index": n.Index(),
        "type": n.Type(),
        "execution_provider": text(n.ExecutionProviderType()),
        "inputs": strings(n, "Inputs"),
        "outputs": strings(n, "Outputs"),
        "implicit_inputs": strings(n, "ImplicitInputs"),
        "input_arg_counts": numbers(n, "InputArgCounts"),
        "attributes": {text(a.Name()): attribute(a) for a in each(n, "Attributes")},
    }


def edge_ends(edge: Table, side: str) -> list[int]:
    ends = each(edge, side)
    return [x for e in ends for x in (e.NodeIndex(), e.SrcArgIndex(), e.DstArgIndex())]


def optimizations(graph: Table) -> list[dict[str, object]]:
    container = graph.RuntimeOptimizations()
    found: list[dict[str, object]] = []
    for entry in each(container, "Records") if container else []:
        for record in each(entry, "RuntimeOptimizationRecords"):
            rule = record.NodesToOptimizeIndices()
            found.append(
                {
                    "optimizer": text(entry.OptimizerName()),
                    "action": text(record.ActionId()),
                    "nodes": numbers(rule, "NodeIndices"),
                    "inputs": rule.NumInputs(),
                    "outputs": rule.NumOutputs(),
                    "variadic": (
                        bool(rule.HasVariadicInput()),
                        bool(rule.HasVariadicOutput()),
                        rule.NumVariadicInputs(),
                        rule.NumVariadicOutputs(),
                    ),
                    "produced_op_ids": strings(record, "ProducedOpIds"),
                }
            )
    return found


def graph(g: Table) -> dict[str, object]:
    """One graph, without its subgraphs."""
    infos = [info for info in each(g, "NodeArgs") if info.Name()]
    return {
        "inputs": strings(g, "Inputs"),
        "outputs": strings(g, "Outputs"),
        "max_node_index": g.MaxNodeIndex(),
        "nodes": [node(n) for n in each(g, "Nodes")],
        "initializers": [tensor(t) for t in each(g, "Initializers")],
        "sparse_initializers": [sparse(t) for t in each(g, "SparseInitializers")],
        "types": {text(info.Name()): type_text(info.Type()) for info in infos},
        "value_docs": {text(v.Name()): text(v.DocString()) for v in infos if v.DocString()},
        "denotations": {
            text(v.Name()): text(v.Type().Denotation())
            for v in infos
            if v.Type() and v.Type().Denotation()
        },
        "edges": [
            (e.NodeIndex(), edge_ends(e, "InputEdges"), edge_ends(e, "OutputEdges"))
            for e in each(g, "NodeEdges")
        ],
        "runtime_optimizations": optimizations(g),
    }


def graphs(content: bytes) -> list[dict[str, object]]:
    """The main graph, then all others in the order in which a walk level by level meets them."""
    queue = [session(content).Model().Graph()]
    found = []
    for g in queue:
        found.append(graph(g))
        for n in each(g, "Nodes"):
            attributes = each(n, "Attributes")
            queue += [a.G() for a in attributes if a.Type() == 5]
            queue += [sub for a in attributes if a.Type() == 10 for sub in each(a, "Graphs")]
    return found


def resolver(content: bytes) -> list[tuple[str, dict[str, list[str]]]] | None:
    table = session(content).KernelTypeStrResolver()
    if table is None:
        return None
    return [
        (
            text(entry.OpId()),
            {
                text(strs.KernelTypeStr()): [
                    f"{'IO'[arg.ArgType()]}{arg.Index()}" for arg in each(strs, "Args")
                ]
                for strs in each(entry, "KernelTypeStrArgs")
            },
        )
        for entry in each(table, "OpKernelTypeStrArgs")
    ]


def model(content: bytes) -> dict[str, object]:
    root = session(content)
    m = root.Model()
    return {
        "format_version": text(root.OrtVersion()),
        "ir_version": m.IrVersion(),
        "opset_import": [(text(o.Domain()), o.Version()) for o in each(m, "OpsetImport")],
        "producer_name": text(m.ProducerName()),
        "producer_version": text(m.ProducerVersion()),
        "domain": text(m.Domain()),
        "model_version": m.ModelVersion(),
        "doc_string": text(m.DocString()),
        "graph_doc_string": text(m.GraphDocString()),
        "metadata": {text(e.Key()): text(e.Value()) for e in each(m, "MetadataProps")},
    }
