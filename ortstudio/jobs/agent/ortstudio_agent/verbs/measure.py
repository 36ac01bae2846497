"""`measure` {session, way, files, cache, inputs, outputs, warmup, runs, run_ns}: time one load.

`way` says how the model comes in: `path`, `bytes` or `mapped` by the Python package, `c-path`,
`c-bytes` or `c-mapped` by the C API, whose caller owns the buffer. `files` are all that the model
is read from; `cache` is `warm`, `dropped` or `as-is`. The model is run once, then `warmup` times,
then until `runs` runs or `run_ns` nanoseconds are over, whichever is later reached by two runs; a
warm-up and no `runs` measure the load alone. `cpus` pins the process. With `parts` the runtime's
profile of the load, without the runs, tells what it took to read and build the model, and to
initialize the session; of ORT format it tells the second only. Times are wall-clock nanoseconds,
memory is in bytes, null where the system does not say.
"""

import ctypes
import importlib
import json
import mmap
import os
import time
from typing import Any, Callable, Dict, List, Tuple

from ortstudio_agent import capi, memory
from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime, takes_keywords, unsupported
from ortstudio_agent.sessions import (
    register_custom_ops,
    session_keywords,
    session_options,
    write_profile,
)
from ortstudio_agent.values import BITS, number_of, read_values, write_values
from ortstudio_agent.verbs.run import outputs_of
from ortstudio_agent.work import Work

Run = Callable[[], Any]
MODEL_LOADING = ("model_loading_uri", "model_loading_array")
"""What the runtime's profile calls reading and building a model, from a path and from bytes."""
Bound = Tuple[Run, Callable[[Any], Json], Callable[[Any], None]]
"""Runs once; makes arrays by name of what a run gave; gives that back."""


def serve(work: Work, arguments: Json) -> Json:
    """A load of its own, and runs."""
    work.sessions.forget()
    start = time.perf_counter()
    takes_keywords(import_runtime())  # Looked up once, which is no part of a load.
    importlib.import_module("zipfile")  # numpy does, once it has inputs to read.
    api = capi.Api() if arguments["way"].startswith("c-") else None
    loader = Loader(work, api, _profile(arguments))
    import_ns = _ns(work.imports_s + time.perf_counter() - start)
    feed = _feed(arguments)
    _pin(arguments.get("cpus"))
    cached = _prepare(arguments)
    work.progress("load", 0, 2)
    found = _load(loader, arguments)
    found.update({"import_ns": import_ns, "cache": cached})
    session = found.pop("session")
    if feed is not None:
        work.progress("run", 1, 2)
        with failing("run"):
            found.update(_run(session, feed, arguments, work))
    found["peak_rss_bytes"] = memory.peak_bytes()
    return found


def _profile(arguments: Json) -> str:
    """How the name of the load's profile begins; empty for none, or where none can be had."""
    can = hasattr(import_runtime().SessionOptions, "profile_file_prefix")
    wanted = arguments.get("parts") and not arguments["way"].startswith("c-")
    return arguments["outputs"] + ".load" if wanted and can else ""


def _feed(arguments: Json) -> Any:
    if arguments.get("inputs") is None:
        return None
    with failing("values"):
        return read_values(arguments["inputs"]["file"], arguments["inputs"]["values"])


def _pin(cpus: Any) -> None:
    if cpus and hasattr(os, "sched_setaffinity"):
        with failing("request"):
            os.sched_setaffinity(0, cpus)


def _prepare(arguments: Json) -> str:
    """Bring the files' pages into the state asked for; says which it is."""
    wanted = arguments.get("cache", "as-is")
    with failing("load"):
        if wanted == "dropped":
            dropped = [memory.drop_cached(path) for path in arguments["files"]]
            return "dropped" if all(dropped) else "as-is"
        if wanted == "warm":
            for path in arguments["files"]:
                memory.read_through(path)
    return str(wanted)


def _load(loader: "Loader", arguments: Json) -> Json:
    """The session, how long it took, and what it cost."""
    spec, way = arguments["session"], arguments["way"]
    if way not in WAYS:
        raise unsupported("load a model as " + repr(way))
    memory.reset_peak()
    before, read_before = memory.resident_bytes(), memory.bytes_read()
    start = time.perf_counter()
    session, read_ns = WAYS[way](loader, spec)
    load_ns = _ns(time.perf_counter() - start)
    after, read_after = memory.resident_bytes(), memory.bytes_read()
    known = read_before is not None and read_after is not None
    parts = session.end_profile() if loader.profile else {}
    return {
        **parts,
        "session": session,
        "load_ns": load_ns,
        "read_ns": read_ns,
        "rss_before_bytes": before,
        "rss_after_load_bytes": after,
        "private_after_load_bytes": memory.private_bytes(),
        "peak_load_rss_bytes": memory.peak_bytes(),
        "read_bytes": read_after - read_before if known else None,  # type: ignore[operator]
    }


def _run(session: Any, feed: Json, arguments: Json, work: Work) -> Json:
    """The first run, then the timed ones; the outputs of the last go into the file."""
    run, arrays, release = session.bind(feed)
    first_run_ns, results = _timed(run)
    start = time.perf_counter()
    for _ in range(arguments["warmup"]):
        release(results)
        results = run()
    warmup_ns = _ns(time.perf_counter() - start)
    times: List[int] = []
    until = time.perf_counter() + arguments["run_ns"] / 1e9
    while len(times) < arguments["runs"] and (time.perf_counter() < until or len(times) < 2):
        if work.stop.requested:
            break
        release(results)
        run_ns, results = _timed(run)
        times.append(run_ns)
    with failing("values"):
        outputs = write_values(arguments["outputs"], arrays(results))
    return {
        "first_run_ns": first_run_ns,
        "warmup_ns": warmup_ns,
        "run_ns": times,
        "outputs": outputs,
    }


def _timed(run: Run) -> Tuple[int, Any]:
    start = time.perf_counter()
    results = run()
    return _ns(time.perf_counter() - start), results


def _ns(seconds: float) -> int:
    """Python 3.6 has no clock that counts nanoseconds."""
    return int(seconds * 1e9)


def _unchanged(results: Any) -> Any:
    return results


def _nothing_to_do(_results: Any) -> None:
    pass


class PythonSession:
    """A session of the Python package. `buffer` is what it may read from."""

    def __init__(self, session: Any, work: Work, buffer: Any = None) -> None:
        self._session, self._work, self._buffer = session, work, buffer

    def end_profile(self) -> Json:
        """What the runtime took for each part of the load. Nothing after this is in the profile."""
        with failing("load"):
            path = self._session.end_profiling()
            with open(path, encoding="utf-8") as file:
                events = json.load(file)
            os.remove(path)
        took = {event.get("name"): int(event.get("dur", 0)) * 1000 for event in events}
        loading = [took[name] for name in MODEL_LOADING if name in took]
        return {
            "model_loading_ns": loading[0] if loading else None,
            "session_initialization_ns": took.get("session_initialization"),
        }

    def bind(self, feed: Json) -> Bound:
        """A run, how its results become arrays, and how they are given back."""
        session, outputs = self._session, self._session.get_outputs()
        if any(number_of(out.type) in BITS for out in outputs):
            return (lambda: outputs_of(session, feed, self._work.stop)), _unchanged, _nothing_to_do
        names = [out.name for out in outputs]
        # As an application does it: what can be made before a run is no part of it.
        return (
            (lambda: session.run(names, feed)),
            (lambda results: dict(zip(names, results))),
            _nothing_to_do,
        )


class NativeSession:
    """A session of the C API."""

    def __init__(self, session: capi.Session) -> None:
        self._session = session

    def bind(self, feed: Json) -> Bound:
        """A run, how its results become arrays, and how they are given back."""
        bound = self._session.bind(feed)
        return bound.run, bound.arrays, bound.release


class Loader:
    """The ways of loading. Each gives the session, and how long the file was read before it."""

    def __init__(self, work: Work, api: Any, profile: str = "") -> None:
        self._work, self._api, self.profile = work, api, profile

    def path(self, spec: Json) -> Tuple[Any, int]:
        """By the Python package, from a path."""
        session = self._work.sessions.open(spec, profile=self.profile)
        return PythonSession(session, self._work), 0

    def bytes(self, spec: Json) -> Tuple[Any, int]:
        """As bytes, which the Python package copies unless told to use them as they are."""
        ort = import_runtime()
        start = time.perf_counter()
        with failing("load"), open(spec["model"], "rb") as file:
            data = file.read()
        read_ns = _ns(time.perf_counter() - start)
        with failing("load"):
            options, keywords = session_options(ort, spec, ""), session_keywords(ort, spec)
        if self.profile:
            write_profile(options, self.profile)
        if spec.get("custom_ops"):
            with failing("custom-ops"):
                register_custom_ops(options, spec["custom_ops"])
        with failing("load"):
            session = ort.InferenceSession(data, options, **keywords)
        return PythonSession(session, self._work, data), read_ns

    def c_path(self, spec: Json) -> Tuple[Any, int]:
        """By the C API, from a path."""
        _check_c(spec)
        return NativeSession(capi.Session(self._api, spec)), 0

    def c_bytes(self, spec: Json) -> Tuple[Any, int]:
        """By the C API, from a buffer that we fill and keep."""
        _check_c(spec)
        start = time.perf_counter()
        with failing("load"):
            # Of whole pages, so that tensors in it are aligned.
            buffer = mmap.mmap(-1, os.path.getsize(spec["model"]))
            _fill(buffer, spec["model"])
            read_ns = _ns(time.perf_counter() - start)
            return self._native(spec, buffer), read_ns

    def c_mapped(self, spec: Json) -> Tuple[Any, int]:
        """By the C API, from a mapping of the file, which nobody reads before it is needed."""
        _check_c(spec)
        with failing("load"), open(spec["model"], "rb") as file:
            buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            return self._native(spec, buffer), 0

    def _native(self, spec: Json, buffer: Any) -> NativeSession:
        address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        return NativeSession(capi.Session(self._api, spec, buffer, address, len(buffer)))


def _fill(buffer: Any, path: str) -> None:
    """Read a whole file into a buffer of its size."""
    view, filled = memoryview(buffer), 0
    with open(path, "rb", buffering=0) as file:
        while filled < len(view):
            count = file.readinto(view[filled : filled + (1 << 30)])
            if not count:
                raise EOFError(path + " became shorter while it was read")
            filled += count
    view.release()


def _check_c(spec: Json) -> None:
    if spec.get("custom_ops") or spec.get("providers") or spec.get("free_dims"):
        raise unsupported("measure this by its C API here")


WAYS: Dict[str, Callable[[Loader, Json], Tuple[Any, int]]] = {
    "path": Loader.path,
    "bytes": Loader.bytes,
    "c-path": Loader.c_path,
    "c-bytes": Loader.c_bytes,
    "c-mapped": Loader.c_mapped,
}
