"""Sessions of ONNX Runtime.

A session is described by {model, level, config, disabled_optimizers, custom_ops, free_dims,
providers, threads}. `config` holds session configuration entries and should name the format of the
model: by path the runtime goes by the extension alone. `free_dims` maps symbols to sizes.
`providers` come before the CPU. `threads` run one operator; unsaid, one for each processor.
"""

import json
import os
import time
from typing import Any, List, Optional

from ortstudio_agent.channel import Json, Stop
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import (
    cancel_load,
    import_runtime,
    release,
    takes_keywords,
    unsupported,
)

BLOCKED_LAYOUT = ["NchwcTransformer"]


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
            import_runtime()  # Slow the first time, and no part of the load.
            start = time.perf_counter()
            self._kept = self.open(spec)
            self._kept_key = key
            self.load_ns = int((time.perf_counter() - start) * 1e9)
        return self._kept

    def forget(self) -> None:
        """Two sessions at a time would need twice the memory."""
        self._kept = None

    def open(self, spec: Json, output: str = "", profile: str = "") -> Any:
        """A session of its own, not kept; with `output` it saves its optimized model there.

        With `profile` it writes down what runs take, into a file whose name begins so.
        """
        ort = import_runtime()
        with failing("load"):
            options = session_options(ort, spec, output)
            keywords = session_keywords(ort, spec)
        if profile:
            write_profile(options, profile)
        if spec.get("custom_ops"):
            with failing("custom-ops"):
                register_custom_ops(options, spec["custom_ops"])
        with failing("load"), self._stop.interrupting(lambda: cancel_load(options)):
            return ort.InferenceSession(spec["model"], options, **keywords)


def session_options(ort: Any, spec: Json, output: str) -> Any:
    """The options that a description asks for."""
    options = ort.SessionOptions()
    options.graph_optimization_level = optimization_level(ort, spec)
    set_config(options, spec["config"])
    for symbol, size in (spec.get("free_dims") or {}).items():
        options.add_free_dimension_override_by_name(symbol, size)
    if spec.get("threads"):
        options.intra_op_num_threads = spec["threads"]
    if output:
        options.optimized_model_filepath = output
    return options


def write_profile(options: Any, prefix: str) -> None:
    """Have a session write down what it does, into a file whose name begins so."""
    if not hasattr(options, "profile_file_prefix"):
        raise unsupported("write a profile where it is asked to")
    options.enable_profiling = True
    options.profile_file_prefix = prefix


def session_keywords(ort: Any, spec: Json) -> Json:
    """What is not said by options."""
    keywords: Json = {"providers": [*(spec.get("providers") or []), "CPUExecutionProvider"]}
    if takes_keywords(ort):
        keywords["disabled_optimizers"] = disabled_optimizers(spec) or None
        # Else the runtime prints a banner and tries again after an exception.
        keywords["enable_fallback"] = 0
    return keywords


def disabled_optimizers(spec: Json) -> List[str]:
    """The optimizers to leave out, by name."""
    return spec.get("disabled_optimizers") or []


def optimization_level(ort: Any, spec: Json) -> Any:
    """The level that comes to what is asked for.

    Up to 1.7 no optimizer can be left out, so that only a lower level avoids the blocked layout.
    `layout` is a level of its own in new releases, and part of `all` in others.
    """
    name, levels = spec["level"].upper(), ort.GraphOptimizationLevel
    left_out = disabled_optimizers(spec)
    if left_out and not takes_keywords(ort):
        if left_out != BLOCKED_LAYOUT:
            raise unsupported("leave single optimizers out: " + ", ".join(left_out))
        name = "EXTENDED" if name in ("LAYOUT", "ALL") else name
    if name == "DISABLE":
        return levels.ORT_DISABLE_ALL
    return getattr(levels, "ORT_ENABLE_" + name, levels.ORT_ENABLE_ALL)


def set_config(options: Any, config: Json) -> None:
    """Add configuration entries. 1.4 has none: it goes without those that change no result.

    A release ignores entries that it does not know.
    """
    if "optimization.minimal_build_optimizations" in config and release() < (1, 11):
        raise unsupported("save optimizations for the device to apply")
    if hasattr(options, "add_session_config_entry"):
        for key, value in config.items():
            options.add_session_config_entry(key, value)
    elif config.get("session.save_model_format") == "ORT":
        raise unsupported("write ORT format")
    elif config.get("session.load_model_format") == "ORT":
        raise unsupported("read ORT format")


def register_custom_ops(options: Any, library: str) -> None:
    """Load a library of operators."""
    if not hasattr(options, "register_custom_ops_library"):
        raise unsupported("load custom operator libraries")
    options.register_custom_ops_library(library)
