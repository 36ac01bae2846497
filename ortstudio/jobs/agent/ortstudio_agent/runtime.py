"""ONNX Runtime as a package: imported once it is needed, and asked for no more than it has."""

from typing import Any

from ortstudio_agent.failures import failing


def import_runtime() -> Any:
    """The `onnxruntime` package: the slow part of the first request."""
    with failing("import"):
        import onnxruntime

        return onnxruntime


def cancel_load(options: Any) -> None:
    """Releases that cannot be asked finish the load, or are ended from outside."""
    if hasattr(options, "set_load_cancellation_flag"):
        options.set_load_cancellation_flag(True)
