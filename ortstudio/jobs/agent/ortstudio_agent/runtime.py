"""ONNX Runtime as a package, from 1.4 on: imported once it is needed, asked for what it has."""

import inspect
import re
from functools import lru_cache
from typing import Any, Tuple

from ortstudio_agent.failures import FailedError, failing


def import_runtime() -> Any:
    """The `onnxruntime` package: the slow part of the first request."""
    with failing("import"):
        import onnxruntime

        return onnxruntime


def release() -> Tuple[int, ...]:
    """`1.16.3` as (1, 16, 3)."""
    return tuple(int(part) for part in re.findall(r"\d+", import_runtime().__version__)[:3])


def unsupported(what: str) -> FailedError:
    """The failure for what this release cannot do; `what` goes on after "cannot"."""
    return FailedError("unsupported", f"onnxruntime {import_runtime().__version__} cannot {what}")


@lru_cache(1)
def takes_keywords(ort: Any) -> bool:
    """Whether a session can be told to leave optimizers out: from 1.8 on."""
    parameters = inspect.signature(ort.InferenceSession.__init__).parameters.values()
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def cancel_load(options: Any) -> None:
    """Releases that cannot be asked finish the load, or are ended from outside."""
    if hasattr(options, "set_load_cancellation_flag"):
        options.set_load_cancellation_flag(True)
