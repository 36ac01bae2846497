"""`survey` {}: every CPU kernel and operator schema of the release, and the newest models it takes.

`kernels` are rows of domain, operator, first and last version, and types by constraint; `schemas`
of domain, operator, version, attributes, fewest and most inputs. Both are left out by releases
before 1.16, which cannot be asked for them. `highest` holds versions of ONNX's operator set, of its
model format (`ir`) and of ai.onnx.ml that a model of one node loads with.
"""

from typing import Any, Callable, List

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.wire import one_node_model
from ortstudio_agent.work import Work

UNRELEASED = 3
"""How many versions in a row are refused before the search for a higher one ends."""

CEILING = 100
"""Releases before 1.4 take any version."""


def serve(work: Work, _arguments: Json) -> Json:
    """All of it."""
    ort = import_runtime()
    found: Json = {"release": ort.__version__}
    work.progress("versions", 0, 2)
    with failing("load"):
        found["highest"] = {
            "opset": highest(ort, 7, lambda n: one_node_model("Identity", 3, n)),
            "ir": highest(ort, 3, lambda n: one_node_model("Identity", n, 7)),
            "ai.onnx.ml": highest(
                ort, 1, lambda n: one_node_model("Binarizer", 3, 7, "ai.onnx.ml", n)
            ),
        }
    work.progress("operators", 1, 2)
    with failing("import"):
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        if hasattr(state, "get_all_opkernel_def"):
            found["kernels"] = kernels(state)
            found["schemas"] = schemas(state)
    return found


def highest(ort: Any, first: int, model: Callable[[int], bytes]) -> int:
    """The highest version that a model loads with; 0 where none does, `CEILING` where all do."""
    best, version = 0, first
    while version <= min(max(best, first) + UNRELEASED, CEILING):
        if loads(ort, model(version)):
            best = version
        version += 1
    return best


def loads(ort: Any, model: bytes) -> bool:
    """Whether the release takes the model."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception:  # noqa: BLE001 - each release has exceptions of its own
        return False
    return True


def kernels(state: Any) -> List[List[Any]]:
    """A row for each kernel of the CPU."""
    rows = [
        [
            kernel.domain,
            kernel.op_name,
            kernel.version_range[0],
            kernel.version_range[1],
            {name: list(types) for name, types in kernel.type_constraints.items()},
        ]
        for kernel in state.get_all_opkernel_def()
        if kernel.provider == "CPUExecutionProvider"
    ]
    return sorted(rows, key=repr)


def schemas(state: Any) -> List[List[Any]]:
    """A row for each version of an operator."""
    rows = [
        [
            schema.domain,
            schema.name,
            schema.since_version,
            sorted(schema.attributes),
            schema.min_input,
            schema.max_input,
        ]
        for schema in state.get_all_operator_schema()
    ]
    return sorted(rows, key=repr)
