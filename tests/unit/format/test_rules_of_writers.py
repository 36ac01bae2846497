"""The rules of schema/README.md that every file of the corpus keeps to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ortstudio.format.fields import Field, Kind
from ortstudio.format.ort_tables import SCHEMA
from tests.builders.ort_json import Json

NOT_IN_CORPUS = {
    "Tensor.external_data_offset": "checkpoints only",
    "Node.type": "every node is Primitive, the default",
    "Attribute.tensors": "no operator has such an attribute",
    "Attribute.graphs": "the runtime does not save them",
    "NodesToOptimizeIndices.has_variadic_input": "no such rule matched",
    "NodesToOptimizeIndices.has_variadic_output": "no such rule matched",
    "NodesToOptimizeIndices.num_variadic_inputs": "no such rule matched",
    "NodesToOptimizeIndices.num_variadic_outputs": "no such rule matched",
}


def version_of(model: Json) -> int:
    return int(model["ort_version"])


def graphs_of(model: Json) -> Iterator[Json]:
    """The main graph, then all subgraphs."""
    waiting = [model["model"]["graph"]]
    while waiting:
        graph = waiting.pop()
        yield graph
        for node in graph.get("nodes", []):
            waiting += [a["g"] for a in node.get("attributes", []) if "g" in a]


def present(table: str, item: Json) -> Iterator[Field]:
    """Each field that is there, in a table and all below it."""
    for field in SCHEMA.tables[table].fields:
        if field.name not in item:
            continue
        yield field
        value = item[field.name]
        if field.kind is Kind.TABLE:
            yield from present(field.target, value)
        elif field.kind is Kind.UNION:
            tag = SCHEMA.enums[field.target][item[f"{field.name}_type"]]
            yield from present(SCHEMA.unions[field.target][tag], value)
        elif field.element is Kind.TABLE:
            for element in value:
                yield from present(field.target, element)


def test_the_schema_decodes_every_file(decoded: dict[str, Json], corpus: Path) -> None:
    assert decoded.keys() == {path.stem for path in corpus.glob("*.ort")}
    assert {version_of(model) for model in decoded.values()} == {1, 2, 3, 4, 5, 6}


def test_fields_come_and_go_with_the_versions_declared(decoded: dict[str, Json]) -> None:
    seen: dict[str, set[int]] = defaultdict(set)
    for model in decoded.values():
        for field in present(SCHEMA.root, model):
            seen[field.path].add(version_of(model))
    fields = [field for table in SCHEMA.tables.values() for field in table.fields]
    assert {field.path for field in fields} - seen.keys() == NOT_IN_CORPUS.keys()
    for field in fields:
        versions = seen.get(field.path, {field.since})
        assert min(versions) == field.since or (field.since == 1 and min(versions) > 1), field.path
        assert field.until in (None, max(versions)), field.path


def test_kernels_are_named_by_hash_up_to_version_4_and_by_the_resolver_from_5(
    decoded: dict[str, Json],
) -> None:
    for name, model in decoded.items():
        old = version_of(model) < 5
        assert ("session_state" in model) == old, name
        assert ("kernel_type_str_resolver" in model) != old, name


def test_nodes_stand_by_index_with_unique_numbers_below_the_maximum(
    decoded: dict[str, Json],
) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            indices = [node.get("index", 0) for node in graph["nodes"]]
            assert indices == sorted(set(indices)), name
            assert indices[-1] < graph["max_node_index"], name
            assert indices == [edge.get("node_index", 0) for edge in graph["node_edges"]], name


def test_nodes_need_not_be_in_topological_order(decoded: dict[str, Json]) -> None:
    def is_ordered(graph: Json) -> bool:
        later = {value for node in graph["nodes"] for value in node["outputs"]}
        for node in graph["nodes"]:
            if later.intersection(node.get("inputs", [])):
                return False
            later.difference_update(node["outputs"])
        return True

    ordered = {all(map(is_ordered, graphs_of(model))) for model in decoded.values()}
    assert ordered == {True, False}


def test_every_value_that_a_node_or_graph_names_is_listed_once(decoded: dict[str, Json]) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            listed = [value["name"] for value in graph["node_args"]]
            assert len(set(listed)) == len(listed), name
            used = {value for node in graph["nodes"] for value in node.get("inputs", [])}
            used |= {value for node in graph["nodes"] for value in node["outputs"]}
            used.update(graph.get("inputs", []), graph["outputs"])
            assert used <= set(listed), name


def test_only_the_value_without_a_name_has_no_type(decoded: dict[str, Json]) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            untyped = {value["name"] for value in graph["node_args"] if "type" not in value}
            assert untyped <= {""}, name


def test_input_counts_add_up(decoded: dict[str, Json]) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            for node in graph["nodes"]:
                assert sum(node["input_arg_counts"]) == len(node["inputs"]), name


def test_element_types_reach_beyond_the_enum(decoded: dict[str, Json]) -> None:
    types = {
        tensor["data_type"]
        for model in decoded.values()
        for graph in graphs_of(model)
        for tensor in graph.get("initializers", [])
    }
    assert {number for number in types if isinstance(number, int)} == {21, 22, 23, 24, 25, 26}


def test_tensors_hold_dims_and_one_kind_of_data(decoded: dict[str, Json]) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            for tensor in graph.get("initializers", []):
                data = tensor.keys() & {"raw_data", "string_data"}
                is_text = tensor["data_type"] == "STRING"
                assert data == {"string_data" if is_text else "raw_data"}, name
                assert "dims" in tensor, name


def test_sparse_indices_are_linear_and_narrow_from_1_9(decoded: dict[str, Json]) -> None:
    types = defaultdict(set)
    for name, model in decoded.items():
        for graph in graphs_of(model):
            for tensor in graph.get("sparse_initializers", []):
                assert "name" in tensor["values"]
                assert "name" not in tensor["indices"]
                assert len(tensor["indices"]["dims"]) == 1
                minor = int(name.split("_")[1].split(".")[1])
                types[minor >= 9].add(tensor["indices"]["data_type"])
    assert types == {False: {"INT64"}, True: {"INT8"}}


def test_vectors_with_a_key_are_sorted_by_it(decoded: dict[str, Json]) -> None:
    for name, model in decoded.items():
        for graph in graphs_of(model):
            records = graph.get("runtime_optimizations", {}).get("records", [])
            assert is_sorted(records, "optimizer_name"), name
        subgraphs = model.get("session_state", {}).get("sub_graph_session_states", [])
        assert is_sorted(subgraphs, "graph_id"), name
        resolver = model.get("kernel_type_str_resolver", {})
        operators = resolver.get("op_kernel_type_str_args", [])
        assert is_sorted(operators, "op_id"), name
        assert all(is_sorted(o["kernel_type_str_args"], "kernel_type_str") for o in operators), name


def is_sorted(items: list[Json], key: str) -> bool:
    keys = [item[key].encode() for item in items]
    return keys == sorted(keys)


def test_the_resolver_knows_each_node_and_what_saved_optimizations_produce(
    decoded: dict[str, Json],
) -> None:
    for name, model in decoded.items():
        if version_of(model) < 5:
            continue
        entries = model["kernel_type_str_resolver"]["op_kernel_type_str_args"]
        nodes = [node for graph in graphs_of(model) for node in graph["nodes"]]
        needed = {f"{n.get('domain', '')}:{n['op_type']}:{n['since_version']}" for n in nodes}
        produced = {
            op_id
            for graph in graphs_of(model)
            for entry in graph.get("runtime_optimizations", {}).get("records", [])
            for record in entry["runtime_optimization_records"]
            for op_id in record["produced_op_ids"]
        }
        assert {entry["op_id"] for entry in entries} == needed | produced, name
