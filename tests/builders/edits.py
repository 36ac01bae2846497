"""The same model written otherwise, and models with one thing changed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, ModelProto, helper, numpy_helper


def graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """The graph and all inside it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                if inner.node or inner.output:
                    yield from graphs(inner)


def renamed(model: ModelProto) -> ModelProto:
    """Every value and every node under another name; only `/` stays in no name."""
    result = ModelProto()
    result.CopyFrom(model)
    names: dict[str, str] = {}

    def new(name: str) -> str:
        return names.setdefault(name, f"v{len(names) * 7919 % 100_003}_") if name else ""

    for graph in graphs(result.graph):
        for node in graph.node:
            node.input[:] = map(new, node.input)
            node.output[:] = map(new, node.output)
            node.name = f"node_{len(names)}_{node.op_type}"
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            value.name = new(value.name)
        for sparse in graph.sparse_initializer:
            sparse.values.name = new(sparse.values.name)
        for annotation in graph.quantization_annotation:
            annotation.tensor_name = new(annotation.tensor_name)
    return result


def reordered(model: ModelProto, seed: int) -> ModelProto:
    """Nodes in another order that their edges allow, and initializers in any."""
    result = ModelProto()
    result.CopyFrom(model)
    chance = random.Random(seed)
    for graph in graphs(result.graph):
        nodes = list(graph.node)
        made_by = {name: i for i, node in enumerate(nodes) for name in node.output if name}
        waiting = {
            i: {made_by[n] for n in reads(node) if n in made_by} - {i}
            for i, node in enumerate(nodes)
        }
        order: list[int] = []
        while waiting:
            ready = sorted(i for i, needs in waiting.items() if not needs & waiting.keys())
            order.append(chance.choice(ready))
            del waiting[order[-1]]
        tensors = list(graph.initializer)
        chance.shuffle(tensors)
        del graph.node[:], graph.initializer[:]
        graph.node.extend(nodes[i] for i in order)
        graph.initializer.extend(tensors)
    return result


def reads(node: onnx.NodeProto) -> set[str]:
    """All names that a node reads, in itself or in its subgraphs."""
    found = set(node.input)
    for attribute in node.attribute:
        for inner in (attribute.g, *attribute.graphs):
            for graph in graphs(inner):
                found |= {name for one in graph.node for name in one.input}
                found |= {value.name for value in graph.output}
    return found


class Edit:
    """One change at a place of the main graph that chance picks; `what` says which."""

    def __init__(self, model: ModelProto, seed: int) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(model)
        self._chance = random.Random(seed)
        self.node = -1
        self.tensor = ""

    def weight(self) -> bool:
        """One bit of one element of an initializer that a node reads."""
        graph = self.model.graph
        used = {name for node in graph.node for name in node.input}
        tensors = [t for t in graph.initializer if t.name in used and _has_numbers(t)]
        if not tensors:
            return False
        tensor = self._chance.choice(tensors)
        array = numpy_helper.to_array(tensor).copy()
        flat = array.reshape(-1).view(np.uint8)
        flat[self._chance.randrange(len(flat))] ^= 1
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        self.tensor = tensor.name
        return True

    def inserted(self) -> bool:
        """A node between a node and what it reads."""
        graph = self.model.graph
        made = {name for node in graph.node for name in node.output if name}
        places = [
            (i, k)
            for i, node in enumerate(graph.node)
            for k, n in enumerate(node.input)
            if n in made
        ]
        if not places:
            return False
        i, k = self._chance.choice(places)
        name = f"inserted_{graph.node[i].input[k]}"
        node = helper.make_node("Sin", [graph.node[i].input[k]], [name], "inserted")
        graph.node[i].input[k] = name
        graph.node.insert(i, node)
        self.node = i
        return True

    def attribute(self) -> bool:
        """A number in an attribute."""
        places = [
            (i, k)
            for i, node in enumerate(self.model.graph.node)
            for k, a in enumerate(node.attribute)
            if a.type in (AttributeProto.INT, AttributeProto.FLOAT, AttributeProto.INTS)
            and (a.ints or a.type != AttributeProto.INTS)
        ]
        if not places:
            return False
        i, k = self._chance.choice(places)
        attribute = self.model.graph.node[i].attribute[k]
        if attribute.type == AttributeProto.INT:
            attribute.i += 5
        elif attribute.type == AttributeProto.FLOAT:
            attribute.f = attribute.f * 2 + 1
        else:
            attribute.ints[0] += 5
        self.node = i
        return True

    def rewired(self) -> bool:
        """A node that reads another value than before."""
        graph = self.model.graph
        before: list[str] = [value.name for value in graph.input]
        places = []
        for i, node in enumerate(graph.node):
            for k, name in enumerate(node.input):
                others = [x for x in before if x != name and x not in node.input]
                if name in before and others:
                    places.append((i, k, others))
            before += [name for name in node.output if name]
        if not places:
            return False
        i, k, others = self._chance.choice(places)
        graph.node[i].input[k] = self._chance.choice(others[-6:])
        self.node = i
        return True


def _has_numbers(tensor: onnx.TensorProto) -> bool:
    return tensor.data_type in (1, 2, 3, 6, 7, 10, 11) and numpy_helper.to_array(tensor).size > 0
