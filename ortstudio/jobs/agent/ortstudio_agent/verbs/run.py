"""`run` {session, inputs {file, values}, outputs}: run a model once.

It reads the inputs from one file and puts the outputs into another, and gives their description
and the times of the load and of the run.
"""

import time
from typing import Any

from ortstudio_agent.channel import Json, Stop
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.values import BITS, as_ort_values, number_of, read_values, write_values
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Load, unless the model is the last one's, and run."""
    work.progress("load", 0, 2)
    session = work.sessions.get(arguments["session"])
    with failing("values"):
        feed = read_values(arguments["inputs"]["file"], arguments["inputs"]["values"])
    work.progress("run", 1, 2)
    start = time.perf_counter()
    found = outputs_of(session, feed, work.stop)
    run_ns = int((time.perf_counter() - start) * 1e9)
    with failing("values"):
        values = write_values(arguments["outputs"], found)
    return {"outputs": values, "load_ns": work.sessions.load_ns, "run_ns": run_ns}


def outputs_of(session: Any, feed: Json, stop: Stop) -> Json:
    """Every output by name, in the model's order."""
    options = import_runtime().RunOptions()
    bits = [out.name for out in session.get_outputs() if number_of(out.type) in BITS]
    plain = [out.name for out in session.get_outputs() if out.name not in bits]
    found: Json = {}
    with failing("values"):
        values = as_ort_values(feed) if bits else {}
    with failing("run"), stop.interrupting(lambda: setattr(options, "terminate", True)):
        if plain:
            found.update(zip(plain, session.run(plain, feed, options)))
        if bits:
            found.update(zip(bits, session.run_with_ort_values(bits, values, options)))
    return {out.name: found[out.name] for out in session.get_outputs()}
