"""The child process that runs ONNX Runtime: a program, started by its path under any interpreter.

It speaks the protocol that `ortstudio/jobs/protocol.py` describes and imports nothing of ortstudio,
since the interpreter may be somebody else's and old: the syntax is that of Python 3.6, and only the
standard library, numpy and onnxruntime are used, the last two once a request needs them. What both
sides must know (the protocol's number, the description of values) is repeated here.

Verbs: `probe`; `convert` {session, output}; `run` {session, inputs, outputs}. A session is
{model, level, config, disabled_optimizers, custom_ops}. `config` holds session configuration
entries and should name the format of the model: by path the runtime goes by the extension alone.
"""

# What the runtime gives has no types, and old Python has no newer ways.
# ruff: noqa: ANN401, B905, E402, PTH100, PTH116, PTH120, PTH123, UP006, UP035, UP045

import os
import sys

# Our own folder holds a module named like one of the standard library (`platform`).
_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]

import contextlib
import ctypes
import faulthandler
import json
import platform
import queue
import threading
import time
import traceback
from typing import Any, Callable, Dict, Iterator, List, Optional

PROTOCOL = 1
ORPHAN_S = 10
"""How long work may go on after stdin was closed, should it not let itself be interrupted."""

NAMES = (
    "undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64"
    " complex64 complex128 bfloat16 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"
    " uint4 int4 float4e2m1 float8e8m0 uint2 int2"
)
"""Element types as ONNX Runtime writes them, by their number in ONNX `TensorProto.DataType`."""
NUMBERS = {name: number for number, name in enumerate(NAMES.split())}
STRING = NUMBERS["string"]
DTYPES = "float16 float32 float64 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64"
NUMPY = {
    dtype: NUMBERS[{"float32": "float", "float64": "double"}.get(dtype, dtype)]
    for dtype in DTYPES.split()
}
"""Element types that numpy has; of the others the bits are exchanged."""
BITS = frozenset(NUMBERS.values()) - frozenset(NUMPY.values()) - {0, STRING}

Json = Dict[str, Any]


class FailedError(Exception):
    """A request failed; `kind` says at what, the cause is the exception behind it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@contextlib.contextmanager
def failing(kind: str) -> Iterator[None]:
    """Any exception inside becomes a failure of this kind."""
    try:
        yield
    except FailedError:
        raise
    except MemoryError as error:
        raise FailedError("memory", str(error) or "out of memory") from error
    except Exception as error:
        raise FailedError(kind, str(error) or type(error).__name__) from error


class Channel:
    """The way to the parent: a private duplicate of stdout, which itself now leads to stderr.

    Native libraries print to descriptor 1 as they like.
    """

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self._file.write(b"\n")  # Ends what was printed before us, if it ended without a newline.

    def say(self, message_type: str, **fields: Any) -> None:
        """Write one message."""
        try:
            self._file.write(json.dumps(dict(fields, type=message_type)).encode() + b"\n")
            self._file.flush()
        except OSError:
            os._exit(0)  # Nobody listens any more.


class Stop:
    """Whether the parent closed stdin, and how the work that goes on can be interrupted."""

    def __init__(self) -> None:
        self.requested = False
        self._interrupt = None  # type: Optional[Callable[[], None]]

    def request(self) -> None:
        """Stop, as soon as the work lets itself be stopped."""
        self.requested = True
        interrupt = self._interrupt
        if interrupt:
            interrupt()

    @contextlib.contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Inside, `interrupt` is what ends the work early."""
        self._interrupt = interrupt
        try:
            if self.requested:
                interrupt()
            yield
        finally:
            self._interrupt = None


class Worker:
    """Serves requests. It keeps the last session, so that more inputs need no second load."""

    def __init__(self, channel: Channel, stop: Stop) -> None:
        self._channel = channel
        self._stop = stop
        self._kept = None  # type: Optional[Any]
        self._kept_key = ""
        self._load_ns = 0

    def serve(self, line: bytes) -> None:
        """Answer one request with its last word."""
        number = 0
        verbs = {"probe": probe, "convert": self.convert, "run": self.run}
        try:
            with failing("request"):
                request = json.loads(line.decode())
                number = request["request"]
                value = verbs[request["verb"]](number, request["arguments"])
        except FailedError as error:
            if self._stop.requested:
                self._channel.say("cancelled", request=number)
                return
            words = traceback.format_exc()
            self._channel.say(
                "error", request=number, kind=error.kind, message=str(error), traceback=words
            )
        else:
            self._channel.say("result", request=number, value=value)

    def convert(self, number: int, arguments: Json) -> Json:
        """Load a model and have the runtime save what it made of it."""
        self._forget()
        self._channel.say("progress", request=number, phase="convert", done=0, total=1)
        self._open(arguments["session"], arguments["output"])
        return {"onnxruntime": import_runtime().__version__}

    def run(self, number: int, arguments: Json) -> Json:
        """Run a model once on the inputs of one file and put its outputs into another."""
        self._channel.say("progress", request=number, phase="load", done=0, total=2)
        session = self._session(arguments["session"])
        with failing("values"):
            feed = read_values(arguments["inputs"]["file"], arguments["inputs"]["values"])
        self._channel.say("progress", request=number, phase="run", done=1, total=2)
        start = time.perf_counter()
        found = self._outputs(session, feed)
        run_ns = int((time.perf_counter() - start) * 1e9)
        with failing("values"):
            values = write_values(arguments["outputs"], found)
        return {"outputs": values, "load_ns": self._load_ns, "run_ns": run_ns}

    def _session(self, spec: Json) -> Any:
        """The session kept from the last request where it is the same one, else a new one."""
        with failing("load"):
            status = os.stat(spec["model"])
        key = json.dumps([spec, status.st_size, status.st_mtime, status.st_ino], sort_keys=True)
        if key != self._kept_key or self._kept is None:
            self._forget()
            start = time.perf_counter()
            self._kept = self._open(spec)
            self._kept_key = key
            self._load_ns = int((time.perf_counter() - start) * 1e9)
        return self._kept

    def _forget(self) -> None:
        """Two sessions at a time would need twice the memory."""
        self._kept = None

    def _open(self, spec: Json, output: str = "") -> Any:
        """A session on the CPU; with `output` it saves its optimized model there."""
        ort = import_runtime()
        with failing("load"):
            options = ort.SessionOptions()
            level = {"disable": "DISABLE_ALL"}.get(spec["level"], "ENABLE_" + spec["level"].upper())
            levels = ort.GraphOptimizationLevel
            options.graph_optimization_level = getattr(levels, "ORT_" + level)
            for key, value in spec["config"].items():
                options.add_session_config_entry(key, value)
            if output:
                options.optimized_model_filepath = output
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

    def _outputs(self, session: Any, feed: Json) -> Dict[str, Any]:
        """Every output by name, in the model's order."""
        options = import_runtime().RunOptions()
        bits = [out.name for out in session.get_outputs() if number_of(out.type) in BITS]
        plain = [out.name for out in session.get_outputs() if out.name not in bits]
        found = {}  # type: Json
        with failing("values"):
            values = as_ort_values(feed) if bits else {}
        with failing("run"), self._stop.interrupting(lambda: setattr(options, "terminate", True)):
            if plain:
                found.update(zip(plain, session.run(plain, feed, options)))
            if bits:
                found.update(zip(bits, session.run_with_ort_values(bits, values, options)))
        return {out.name: found[out.name] for out in session.get_outputs()}


def probe(_number: int, _arguments: Json) -> Json:
    """What this interpreter has to offer."""
    ort = import_runtime()
    with failing("import"):
        import numpy as np

        build = getattr(ort, "get_build_info", None)
        return {
            "onnxruntime": ort.__version__,
            "providers": ort.get_available_providers(),
            "build_info": build() if build else "",
            "numpy": np.__version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }


def import_runtime() -> Any:
    """The `onnxruntime` package: the slow part of the first request."""
    with failing("import"):
        import onnxruntime

        return onnxruntime


def cancel_load(options: Any) -> None:
    """Releases that cannot be asked finish the load, or are ended from outside."""
    if hasattr(options, "set_load_cancellation_flag"):
        options.set_load_cancellation_flag(True)


def number_of(type_text: str) -> int:
    """`tensor(float)` → 1; 0 for sequences, maps and what is not known."""
    if type_text.startswith("tensor("):
        return NUMBERS.get(type_text[7:-1], 0)
    return 0


def as_ort_values(feed: Json) -> Json:
    """Needed where an output has no numpy type; strings and sequences cannot be passed that way."""
    from onnxruntime import OrtValue

    return {
        name: value if isinstance(value, OrtValue) else OrtValue.ortvalue_from_numpy(value)
        for name, value in feed.items()
    }


# A value is described as {kind: tensor, data_type, dims, array}, `array` being a name in the .npz
# file. Strings are UTF-8 bytes there, with the length of each under the name plus `.lengths`; of
# types that numpy lacks it holds the bits, those under 8 bits packed. {kind: sequence, elements},
# {kind: map, keys, values} and {kind: none} are made of such descriptions.


def read_values(path: str, described: List[Json]) -> Json:
    """Name → what `InferenceSession.run` takes."""
    import numpy as np

    with np.load(path, allow_pickle=False) as arrays:
        return {entry["name"]: from_description(entry, arrays) for entry in described}


def from_description(entry: Json, arrays: Any) -> Any:
    """The value that `InferenceSession.run` takes for a description."""
    kind = entry["kind"]
    if kind == "none":
        return None
    if kind == "sequence":
        return [from_description(element, arrays) for element in entry["elements"]]
    if kind == "map":
        keys = from_description(entry["keys"], arrays).tolist()
        return dict(zip(keys, from_description(entry["values"], arrays).tolist()))
    array, number = arrays[entry["array"]], entry["data_type"]
    if number == STRING:
        return strings(array, arrays[entry["array"] + ".lengths"], entry["dims"])
    if number in BITS:
        return value_of_bits(array, number, entry["dims"])
    return array.reshape(entry["dims"])


def strings(data: Any, lengths: Any, dims: List[int]) -> Any:
    """An array of strings, from their UTF-8 bytes and how many belong to each."""
    import numpy as np

    text, ends = data.tobytes(), lengths.cumsum().tolist()
    found = np.empty(len(ends), object)
    found[:] = [text[end - size : end].decode() for end, size in zip(ends, lengths.tolist())]
    return found.reshape(dims)


def value_of_bits(bits: Any, number: int, dims: List[int]) -> Any:
    """A runtime value of a type that numpy lacks."""
    import numpy as np
    from onnxruntime import OrtValue

    # The runtime takes the shape from the array and, below 8 bits, only its first bytes.
    dtype = np.dtype("uint16" if number == NUMBERS["bfloat16"] else "uint8")
    whole = np.zeros(int(np.prod(dims, dtype=int)) * dtype.itemsize, np.uint8)
    whole[: bits.size] = bits
    return OrtValue.ortvalue_from_numpy_with_onnx_type(whole.view(dtype).reshape(dims), number)


def write_values(path: str, values: Dict[str, Any]) -> List[Json]:
    """Put the values' arrays into a file and describe them."""
    import numpy as np

    arrays = {}  # type: Json
    described = [dict(describe(value, arrays), name=name) for name, value in values.items()]
    with open(path, "wb") as file:
        np.savez(file, **arrays)
    return described


def describe(value: Any, arrays: Json) -> Json:
    """The description of a value, whose arrays are added to `arrays`."""
    import numpy as np

    if value is None:
        return {"kind": "none"}
    if isinstance(value, list):
        return {"kind": "sequence", "elements": [describe(element, arrays) for element in value]}
    if isinstance(value, dict):
        keys, values = np.array(list(value)), np.array(list(value.values()))
        return {"kind": "map", "keys": describe(keys, arrays), "values": describe(values, arrays)}
    name = "a" + str(len(arrays))
    if hasattr(value, "data_ptr"):
        data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
        number, dims = number_of(value.data_type()), value.shape()
        arrays[name] = np.frombuffer(data, np.uint8)
    else:
        array = np.asarray(value)
        number, dims = NUMPY.get(array.dtype.name, STRING), array.shape
        if number == STRING:
            encoded = [str(text).encode() for text in array.ravel().tolist()]
            arrays[name] = np.frombuffer(b"".join(encoded), np.uint8)
            arrays[name + ".lengths"] = np.array([len(text) for text in encoded], np.int64)
        else:
            arrays[name] = array
    return {"kind": "tensor", "data_type": number, "dims": list(dims), "array": name}


def read_requests(requests: "queue.Queue[Optional[bytes]]", stop: Stop) -> None:
    """For a thread of its own: the end of stdin must be seen while a request is served."""
    for line in iter(sys.stdin.buffer.readline, b""):
        requests.put(line)
    requests.put(None)
    stop.request()
    time.sleep(ORPHAN_S)
    os._exit(0)


def main() -> None:
    """Serve requests until stdin ends."""
    faulthandler.enable()
    channel, stop = Channel(), Stop()
    requests = queue.Queue()  # type: queue.Queue[Optional[bytes]]
    threading.Thread(target=read_requests, args=(requests, stop), daemon=True).start()
    python = platform.python_version()
    channel.say("hello", protocol=PROTOCOL, python=python, platform=sys.platform)
    worker = Worker(channel, stop)
    for line in iter(requests.get, None):
        worker.serve(line)
    os._exit(0)  # Taking native libraries down in order may crash, and nothing is left to do.


if __name__ == "__main__":
    main()
