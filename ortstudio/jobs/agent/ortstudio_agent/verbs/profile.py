"""`profile` {session, inputs, outputs, warmup, runs, budget_ns}: the runtime's own profile.

The model is run `warmup` times, then at most `runs` times and until `budget_ns` nanoseconds are
over, but three times at least: first without the profile, which slows runs down, then with it. The
profile, a list of Chrome trace events, goes into the file `outputs`.
"""

import os
import time
from typing import Any, List

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.values import BITS, as_ort_values, number_of, read_values
from ortstudio_agent.work import Work

LEAST_RUNS = 3


def serve(work: Work, arguments: Json) -> Json:
    """Gives the times of runs without the profile, and how many there are in it."""
    work.sessions.forget()
    with failing("values"):
        feed = read_values(arguments["inputs"]["file"], arguments["inputs"]["values"])
    work.progress("load", 0, 4)
    session = work.sessions.open(arguments["session"])
    work.progress("run", 1, 4)
    plain = times_of(session, feed, arguments, work)
    del session
    work.progress("load", 2, 4)
    target = arguments["outputs"]
    session = work.sessions.open(arguments["session"], profile=target + ".profile")
    work.progress("profile", 3, 4)
    runs = len(times_of(session, feed, arguments, work))
    with failing("run"):
        os.replace(session.end_profiling(), target)
    return {"run_ns": plain, "runs": runs, "warmup": arguments["warmup"]}


def times_of(session: Any, feed: Json, arguments: Json, work: Work) -> List[int]:
    """How long each run took after the warm-up."""
    options = import_runtime().RunOptions()
    run = runner(session, feed, options)
    found: List[int] = []
    with failing("run"), work.stop.interrupting(lambda: setattr(options, "terminate", True)):
        for _ in range(arguments["warmup"]):
            run()
        begin = time.perf_counter()
        while len(found) < arguments["runs"]:
            start = time.perf_counter()
            run()
            now = time.perf_counter()
            # Python 3.6 has no clock that counts nanoseconds.
            found.append(int((now - start) * 1e9))
            if now - begin > arguments["budget_ns"] / 1e9 and len(found) >= LEAST_RUNS:
                break
    return found


def runner(session: Any, feed: Json, options: Any) -> Any:
    """What runs the session once, by one call whatever the types are."""
    names = [out.name for out in session.get_outputs()]
    if any(number_of(out.type) in BITS for out in session.get_outputs()):
        with failing("values"):
            values = as_ort_values(feed)
        return lambda: session.run_with_ort_values(names, values, options)
    return lambda: session.run(names, feed, options)
