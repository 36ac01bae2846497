"""Sessions of ONNX Runtime on the CPU.

A session is described by {model, level, config, disabled_optimizers, custom_ops}. `config` holds
session configuration entries and should name the format of the model: by path the runtime goes by
the extension alone.
"""

import json
import os
import time
from typing import Any, Optional

from ortstudio_agent.channel import Json, Stop
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import cancel_load, import_runtime


class Sessions:
    """Opens sessions and keeps the last one, so that more inputs need no second load."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._kept: Optional[Any] = None
        self._kept_key = ""
        self.load_ns = 0
        """How long the load of the kept session took."""

    def get(self, spec: Json) -> Any:
        """The session kept from the last request where it is the same one, else a new one."""
        with failing("load"):
            status = os.stat(spec["model"])
        key = json.dumps([spec, status.st_size, status.st_mtime, status.st_ino], sort_keys=True)
        if key != self._kept_key or self._kept is None:
            self.forget()
            start = time.perf_counter()
            self._kept = self.open(spec)
            self._kept_key = key
            self.load_ns = int((time.perf_counter() - start) * 1e9)
        return self._kept

    def forget(self) -> None:
        """Two sessions at a time would need twice the memory."""
        self._kept = None

    def open(self, spec: Json, output: str = "") -> Any:
        """A session of its own, not kept; with `output` it saves its optimized model there."""
        ort = import_runtime()
        with failing("load"):
            options = session_options(ort, spec, output)
        if spec.get("custom_ops"):
            with failing("custom-ops"):
                options.register_custom_ops_library(spec["custom_ops"])
        with failing("load"), self._stop.interrupting(lambda: cancel_load(options)):
            return ort.InferenceSession(
                spec["model"],
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=spec.get("disabled_optimizers") or None,
                # Else the runtime prints a banner and tries again after an exception.
                enable_fallback=0,
            )


def session_options(ort: Any, spec: Json, output: str) -> Any:
    """The options that a description asks for."""
    options = ort.SessionOptions()
    level = {"disable": "DISABLE_ALL"}.get(spec["level"], "ENABLE_" + spec["level"].upper())
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, "ORT_" + level)
    for key, value in spec["config"].items():
        options.add_session_config_entry(key, value)
    if output:
        options.optimized_model_filepath = output
    return options
