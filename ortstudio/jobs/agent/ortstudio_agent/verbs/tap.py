"""`tap` {model, outputs, given, target}: make an ONNX model that gives values from inside.

`outputs` names values that nodes make: they become the only outputs. `given` describes values that
are taken in instead of computed, each as {name, input, data_type, dims}: whatever reads `name`
reads the new graph input `input`. Nodes and weights that are then of no use are left out. Weights
in other files stay there, and must lie beside `target` too. Needs the package `onnx`.
"""

from typing import Any, Dict, Iterator, List, Set

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Gives how many nodes are left."""
    with failing("import"):
        import onnx
    work.progress("tap")
    with failing("tap"):
        model = onnx.load(arguments["model"], load_external_data=False)
        take_in(model.graph, arguments["given"])
        give_out(model.graph, arguments["outputs"])
        prune(model.graph)
        onnx.save(model, arguments["target"])
        return {"nodes": len(model.graph.node)}


def take_in(graph: Any, given: List[Json]) -> None:
    """Have values come from outside."""
    from onnx import helper

    read_instead(graph, {value["name"]: value["input"] for value in given})
    for value in given:
        graph.input.append(
            helper.make_tensor_value_info(value["input"], value["data_type"], value["dims"])
        )


def read_instead(graph: Any, names: Dict[str, str]) -> None:
    """Change what nodes read, inner graphs too, but for names that mean another value there."""
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = names.get(name, name)
        for inner in graphs_in(node):
            own = defined_in(inner)
            read_instead(inner, {name: new for name, new in names.items() if name not in own})


def give_out(graph: Any, outputs: List[str]) -> None:
    """Make values the outputs, with their types where the model states them."""
    from onnx import ValueInfoProto

    types = {value.name: value for value in [*graph.value_info, *graph.output]}
    found = [types.get(name) or ValueInfoProto(name=name) for name in outputs]
    between = [value for value in graph.value_info if value.name not in outputs]
    replace(graph.output, found)
    replace(graph.value_info, between)


def prune(graph: Any) -> None:
    """Leave out all that no output needs, but for inputs. Nodes may stand in any order."""
    makers = {name: place for place, node in enumerate(graph.node) for name in node.output if name}
    needed, kept = set(), set()
    pending = [value.name for value in graph.output]
    while pending:
        name = pending.pop()
        needed.add(name)
        place = makers.get(name)
        if place is not None and place not in kept:
            kept.add(place)
            pending += read_by(graph.node[place])
    replace(graph.node, [graph.node[place] for place in sorted(kept)])
    made = {name for node in graph.node for name in node.output}
    replace(graph.value_info, [value for value in graph.value_info if value.name in made])
    # Without its default value an input that nobody reads would have to be given.
    defaults = {one.name for one in graph.initializer}
    defaults.update(one.values.name for one in graph.sparse_initializer)
    inputs = [one for one in graph.input if one.name in needed or one.name not in defaults]
    replace(graph.input, inputs)
    replace(graph.initializer, [one for one in graph.initializer if one.name in needed])
    sparse = [one for one in graph.sparse_initializer if one.values.name in needed]
    replace(graph.sparse_initializer, sparse)


def replace(field: Any, messages: List[Any]) -> None:
    """Put these messages, which may be some of its own, into a repeated field."""
    copies = list(messages)
    del field[:]
    field.extend(copies)


def read_by(node: Any) -> Set[str]:
    """The values that a node reads, in the graphs inside it too."""
    found = set(node.input)
    for inner in graphs_in(node):
        read = {value.name for value in inner.output}
        for one in inner.node:
            read |= read_by(one)
        found |= read - defined_in(inner)
    return found


def defined_in(graph: Any) -> Set[str]:
    """The names that a graph gives to values of its own."""
    found = {name for node in graph.node for name in node.output}
    found.update(value.name for value in graph.input)
    found.update(one.name for one in graph.initializer)
    found.update(one.values.name for one in graph.sparse_initializer)
    return found


def graphs_in(node: Any) -> Iterator[Any]:
    """The graphs that are attributes of a node."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs
