"""`accelerators` {model}: what the checker in the package thinks NNAPI and CoreML would take.

The model is an ONNX file whose values have types and shapes; its weights are not looked at. Gives
{onnxruntime, as_is, if_fixed}: estimates with the sizes as they are and, where some are free, as if
all were fixed. An estimate is {accelerator, groups, left, caveats}: `groups` are the pieces taken,
`left` the nodes that are not, each as [node, cause, detail]. A node is its place in the main graph.
"""

from typing import Any, Dict, Iterator, List, Tuple

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.work import Work

ACCELERATORS = ("nnapi", "coreml-neural-network", "coreml-ml-program")
COREML_RANK = 5
"""The most dimensions that CoreML takes; the checker keeps the number to itself."""


def serve(work: Work, arguments: Json) -> Json:
    """Ask the checker, which only knows operators, ranks and sizes."""
    release = import_runtime().__version__
    with failing("import"):
        import onnx
        from onnxruntime.tools.mobile_helpers import usability_checker
    with failing("load"):
        model = onnx.load(arguments["model"], load_external_data=False)
        prepare(model.graph)
    work.progress("check")
    with failing("check"):
        as_is = [estimate(usability_checker, name, model) for name in ACCELERATORS]
        if_fixed: List[Json] = []
        if fix_sizes(model.graph):
            if_fixed = [estimate(usability_checker, name, model) for name in ACCELERATORS]
    return {"onnxruntime": release, "as_is": as_is, "if_fixed": if_fixed}


def values_of(graph: Any) -> Iterator[Any]:
    """All values that state a type."""
    for values in (graph.input, graph.value_info, graph.output):
        yield from values


def prepare(graph: Any) -> None:
    """Say otherwise what the checker would take amiss."""
    # It takes an input that is left out for one of free size.
    graph.initializer.add(name="")
    for sparse in graph.sparse_initializer:
        graph.initializer.add(name=sparse.values.name)
    # It takes a graph without values between its nodes for one without shapes.
    if not graph.value_info:
        graph.value_info.extend(graph.output)
    # It takes a value without a shape for a scalar.
    for value in values_of(graph):
        if not value.type.tensor_type.HasField("shape"):
            value.type.tensor_type.shape.dim.add()


def fix_sizes(graph: Any) -> bool:
    """Give every free size a number; whether there was one."""
    free = [
        dim
        for value in values_of(graph)
        for dim in value.type.tensor_type.shape.dim
        if dim.dim_value <= 0
    ]
    for dim in free:
        dim.dim_value = 1
    return bool(free)


def estimate(checker: Any, name: str, model: Any) -> Json:
    """What one accelerator would take."""
    nodes = list(model.graph.node)  # Kept: the checker knows nodes by their addresses.
    if name == "nnapi":
        found = checker.check_nnapi_partitions(model, True)
    else:
        operators = "coreml_supported_{}_ops.md".format(name[7:].replace("-", ""))
        found = checker.check_coreml_partitions(model, True, operators)
    caveats = found.supported_ops_checker.get_caveats()
    places = {id(node): place for place, node in enumerate(nodes)}
    groups = [
        [places[id(node)] for node in group if id(node) in places]
        for group in found.supported_groups
    ]
    taken = {place for group in groups for place in group}
    dims = {value.name: value.type.tensor_type.shape.dim for value in values_of(model.graph)}
    left = [
        (place, *why_left(found.supported_ops_checker, node, dims, name))
        for place, node in enumerate(nodes)
        if place not in taken
    ]
    kept = [group for group in groups if group]
    return {"accelerator": name, "groups": kept, "left": left, "caveats": caveats}


def why_left(operators: Any, node: Any, dims: Dict[str, Any], name: str) -> Tuple[str, str]:
    """The first reason that the checker has for a node."""
    if not operators.is_op_supported(node):
        return "operator", ""
    for value in node.input:
        if any(dim.dim_value <= 0 for dim in dims.get(value, ())):
            return "dynamic-shape", value
    rank = max((len(dims.get(value, ())) for value in node.input), default=0)
    if name != "nnapi" and rank > COREML_RANK:
        return "rank", str(rank)
    return "limit", ""
