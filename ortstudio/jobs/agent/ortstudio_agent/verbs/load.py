"""`load` {session}: does the model load, how long does it take, and what does it take and give."""

import time
from typing import Any

from ortstudio_agent.channel import Json
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """A load of its own each time, since it is timed."""
    work.sessions.forget()
    import_runtime()
    work.progress("load")
    start = time.perf_counter()
    session = work.sessions.open(arguments["session"])
    load_ns = int((time.perf_counter() - start) * 1e9)
    return {
        "load_ns": load_ns,
        "inputs": [described(value) for value in session.get_inputs()],
        "outputs": [described(value) for value in session.get_outputs()],
        "providers": session.get_providers(),
    }


def described(value: Any) -> Json:
    """An input or output; unknown sizes are null, symbolic ones text."""
    return {"name": value.name, "type": value.type, "shape": list(value.shape)}
