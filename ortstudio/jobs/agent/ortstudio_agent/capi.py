"""ONNX Runtime's C API, by ctypes: what an application in C++ does and the Python package cannot.

The functions stand in one table, `OrtApi`, whose order never changes: a release only adds to its
end. A function gives a status, null for success. Only tensors of types that numpy has are passed.
"""

import ctypes
import glob
import os
from typing import Any, Dict, List

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import FailedError, failing
from ortstudio_agent.runtime import import_runtime, unsupported
from ortstudio_agent.values import NUMPY

API_VERSION = 11
"""Of 1.11: what is used here is older, and every later release still gives it."""

PLACES = {
    "GetErrorMessage": 2,
    "CreateEnv": 3,
    "CreateSession": 7,
    "CreateSessionFromArray": 8,
    "Run": 9,
    "CreateSessionOptions": 10,
    "SetSessionGraphOptimizationLevel": 23,
    "SetIntraOpNumThreads": 24,
    "SessionGetOutputCount": 31,
    "SessionGetOutputName": 37,
    "CreateTensorWithDataAsOrtValue": 49,
    "GetTensorMutableData": 51,
    "GetTensorElementType": 60,
    "GetDimensionsCount": 61,
    "GetDimensions": 62,
    "GetTensorTypeAndShape": 65,
    "CreateCpuMemoryInfo": 69,
    "GetAllocatorWithDefaultOptions": 78,
    "ReleaseStatus": 93,
    "ReleaseValue": 96,
    "ReleaseTensorTypeAndShapeInfo": 99,
    "AddSessionConfigEntry": 130,
}
GIVES_NO_STATUS = (
    "GetErrorMessage",
    "ReleaseStatus",
    "ReleaseTensorTypeAndShapeInfo",
    "ReleaseValue",
)
LEVELS = {"disable": 0, "basic": 1, "extended": 2, "layout": 3, "all": 99}
DTYPES = {number: dtype for dtype, number in NUMPY.items()}
WARNING, ARENA, DEFAULT_MEMORY = 2, 1, 0

Pointer = ctypes.c_void_p


class Api:
    """The functions, by name; a status that is no success becomes a failure.

    Loading the library and making its environment is no part of loading a model.
    """

    def __init__(self) -> None:
        library = ctypes.CDLL(library_path())
        library.OrtGetApiBase.restype = ctypes.POINTER(Pointer * 2)
        get_api = ctypes.CFUNCTYPE(Pointer, ctypes.c_uint32)(library.OrtGetApiBase().contents[0])
        table = get_api(API_VERSION)
        if not table:
            raise unsupported("be called by its C API")
        self._table = ctypes.cast(table, ctypes.POINTER(Pointer))
        self._functions: Dict[str, Any] = {}
        # It goes with the process: sessions must not outlive it.
        self.env = self.made("CreateEnv", ctypes.c_int(WARNING), ctypes.c_char_p(b"ortstudio"))

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function, arguments being of ctypes; gives what those without a status give."""
        if name not in self._functions:
            prototype = ctypes.CFUNCTYPE(Pointer, *[type(argument) for argument in arguments])
            self._functions[name] = prototype(self._table[PLACES[name]])
        given = self._functions[name](*arguments)
        if name in GIVES_NO_STATUS or not given:
            return given
        status = Pointer(given)
        text = ctypes.cast(self.call("GetErrorMessage", status), ctypes.c_char_p).value or b""
        self.call("ReleaseStatus", status)
        raise FailedError("load", text.decode(errors="replace"))

    def made(self, name: str, *arguments: Any) -> Pointer:
        """What a function puts into its last parameter."""
        found = Pointer()
        self.call(name, *arguments, Pointer(ctypes.addressof(found)))
        return found


class Session:
    """A session of the C API. A buffer that it was made from must live as long as it does."""

    def __init__(
        self, api: Api, spec: Json, buffer: Any = None, address: int = 0, size: int = 0
    ) -> None:
        """By the path in `spec`, or from `size` bytes at an address within `buffer`."""
        self._api, self._buffer = api, buffer
        options = self._options(spec)
        if buffer is None:
            path = native_path(spec["model"])
            self._session = api.made("CreateSession", api.env, path, options)
        else:
            self._session = api.made(
                "CreateSessionFromArray",
                api.env,
                Pointer(address),
                ctypes.c_size_t(size),
                options,
            )
        self._outputs = self._output_names()

    def _options(self, spec: Json) -> Pointer:
        api = self._api
        options = api.made("CreateSessionOptions")
        level = ctypes.c_int(LEVELS[spec["level"]])
        api.call("SetSessionGraphOptimizationLevel", options, level)
        if spec.get("threads"):
            api.call("SetIntraOpNumThreads", options, ctypes.c_int(spec["threads"]))
        for key, value in spec["config"].items():
            texts = (ctypes.c_char_p(key.encode()), ctypes.c_char_p(value.encode()))
            api.call("AddSessionConfigEntry", options, *texts)
        return options

    def _output_names(self) -> List[bytes]:
        api = self._api
        count = ctypes.c_size_t()
        at = Pointer(ctypes.addressof(count))
        api.call("SessionGetOutputCount", self._session, at)
        allocator = api.made("GetAllocatorWithDefaultOptions")
        names = []
        for place in range(count.value):
            arguments = (self._session, ctypes.c_size_t(place), allocator)
            name = api.made("SessionGetOutputName", *arguments)
            names.append(ctypes.cast(name, ctypes.c_char_p).value or b"")
        return names

    def bind(self, feed: Json) -> "Bound":
        """Inputs made ready, so that a run does nothing else."""
        return Bound(self._api, self._session, self._outputs, feed)


class Bound:
    """A session with its inputs."""

    def __init__(self, api: Api, session: Pointer, outputs: List[bytes], feed: Json) -> None:
        import numpy as np

        self._api, self._session = api, session
        memory = api.made("CreateCpuMemoryInfo", ctypes.c_int(ARENA), ctypes.c_int(DEFAULT_MEMORY))
        self._arrays = {name: np.ascontiguousarray(value) for name, value in feed.items()}
        values = [self._tensor(memory, array) for array in self._arrays.values()]
        self._names = (ctypes.c_char_p * len(values))(*[name.encode() for name in feed])
        self._values = (Pointer * len(values))(*[value.value for value in values])
        self._output_names = (ctypes.c_char_p * len(outputs))(*outputs)
        self._outputs = outputs

    def _tensor(self, memory: Pointer, array: Any) -> Pointer:
        if array.dtype.name not in NUMPY:
            raise unsupported("take these inputs by its C API here: they are no plain tensors")
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        return self._api.made(
            "CreateTensorWithDataAsOrtValue",
            memory,
            Pointer(array.ctypes.data),
            ctypes.c_size_t(array.nbytes),
            Pointer(ctypes.addressof(dims)),
            ctypes.c_size_t(array.ndim),
            ctypes.c_int(NUMPY[array.dtype.name]),
        )

    def run(self) -> Any:
        """Run once; what it gives goes to `arrays` and `release`."""
        results = (Pointer * len(self._outputs))()
        self._api.call(
            "Run",
            self._session,
            Pointer(),
            Pointer(ctypes.addressof(self._names)),
            Pointer(ctypes.addressof(self._values)),
            ctypes.c_size_t(len(self._values)),
            Pointer(ctypes.addressof(self._output_names)),
            ctypes.c_size_t(len(self._outputs)),
            Pointer(ctypes.addressof(results)),
        )
        return results

    def release(self, results: Any) -> None:
        """Give the outputs of a run back."""
        for value in results:
            self._api.call("ReleaseValue", Pointer(value))

    def arrays(self, results: Any) -> Json:
        """The outputs of a run, by name, copied."""
        return {
            name.decode(): self._array(Pointer(value))
            for name, value in zip(self._outputs, results)
        }

    def _array(self, value: Pointer) -> Any:
        import numpy as np

        api = self._api
        info = api.made("GetTensorTypeAndShape", value)
        kind, rank = ctypes.c_int(), ctypes.c_size_t()
        api.call("GetTensorElementType", info, Pointer(ctypes.addressof(kind)))
        api.call("GetDimensionsCount", info, Pointer(ctypes.addressof(rank)))
        dims = (ctypes.c_int64 * rank.value)()
        arguments = (Pointer(ctypes.addressof(dims)), rank)
        api.call("GetDimensions", info, *arguments)
        api.call("ReleaseTensorTypeAndShapeInfo", info)
        if kind.value not in DTYPES:
            raise unsupported("give these outputs by its C API here: they are no plain tensors")
        dtype = np.dtype(DTYPES[kind.value])
        size = int(np.prod(list(dims), dtype=int)) * dtype.itemsize
        data = ctypes.string_at(api.made("GetTensorMutableData", value), size) if size else b""
        return np.frombuffer(data, dtype).reshape(list(dims))


def native_path(path: str) -> Any:
    """A path as the API takes it: wide characters on Windows."""
    if os.name == "nt":
        return ctypes.c_wchar_p(path)
    return ctypes.c_char_p(os.fsencode(path))


def library_path() -> str:
    """The shared library that the Python package brings along."""
    with failing("unsupported"):
        folder = os.path.join(os.path.dirname(import_runtime().__file__), "capi")
    names = ("libonnxruntime.so*", "libonnxruntime.*dylib", "onnxruntime.dll")
    found = [path for name in names for path in sorted(glob.glob(os.path.join(folder, name)))]
    if not found:
        raise unsupported("be called by its C API: its package brings no library for that")
    return found[0]
