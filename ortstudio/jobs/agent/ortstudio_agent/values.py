"""Values on their way in and out.

A value is described as {kind: tensor, data_type, dims, array}, `array` being a name in the .npz
file. Strings are UTF-8 bytes there, with the length of each under the name plus `.lengths`; of
types that numpy lacks it holds the bits, those under 8 bits packed. {kind: sequence, elements},
{kind: map, keys, values} and {kind: none} are made of such descriptions.
"""

import ctypes
from typing import Any, Dict, List

from ortstudio_agent.channel import Json
from ortstudio_agent.runtime import import_runtime, unsupported

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
MAKE_OF_BITS = "ortvalue_from_numpy_with_onnx_type"


def number_of(type_text: str) -> int:
    """`tensor(float)` → 1; 0 for sequences, maps and what is not known."""
    if type_text.startswith("tensor("):
        return NUMBERS.get(type_text[7:-1], 0)
    return 0


def as_ort_values(feed: Json) -> Json:
    """Needed where an output has no numpy type; strings and sequences cannot be passed that way.

    Releases before 1.10 do not run on them.
    """
    ort = import_runtime()
    if not hasattr(ort.InferenceSession, "run_with_ort_values"):
        raise unsupported("give values of types that numpy lacks")
    return {
        name: value if hasattr(value, "data_ptr") else ort.OrtValue.ortvalue_from_numpy(value)
        for name, value in feed.items()
    }


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

    make = getattr(getattr(import_runtime(), "OrtValue", None), MAKE_OF_BITS, None)
    if make is None:
        raise unsupported("take values of types that numpy lacks")
    # The runtime takes the shape from the array and, below 8 bits, only its first bytes.
    dtype = np.dtype("uint16" if number == NUMBERS["bfloat16"] else "uint8")
    whole = np.zeros(int(np.prod(dims, dtype=int)) * dtype.itemsize, np.uint8)
    whole[: bits.size] = bits
    return make(whole.view(dtype).reshape(dims), number)


def write_values(path: str, values: Dict[str, Any]) -> List[Json]:
    """Put the values' arrays into a file and describe them."""
    import numpy as np

    arrays: Json = {}
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
