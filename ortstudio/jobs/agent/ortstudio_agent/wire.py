"""Just enough of ONNX's encoding for a model of one node, without the onnx package."""

from typing import Union

FLOAT = 1


def one_node_model(
    op_type: str, ir_version: int, opset: int, domain: str = "", ml: int = 0
) -> bytes:
    """One operator on a float tensor of one element; `ml` is the version of ai.onnx.ml, if any."""
    node = field(1, b"x") + field(2, b"y") + field(4, op_type.encode())
    if domain:
        node += field(7, domain.encode())
    graph = (
        field(1, node) + field(2, b"g") + field(11, value_info("x")) + field(12, value_info("y"))
    )
    model = field(1, ir_version) + field(7, graph) + field(8, field(1, b"") + field(2, opset))
    if ml:
        model += field(8, field(1, b"ai.onnx.ml") + field(2, ml))
    return model


def value_info(name: str) -> bytes:
    """A float tensor of one element."""
    shape = field(1, field(1, 1))
    tensor = field(1, FLOAT) + field(2, shape)
    return field(1, name.encode()) + field(2, field(1, tensor))


def field(number: int, value: Union[int, bytes]) -> bytes:  # noqa: UP007
    """A field of a message: a whole number, or bytes with their length before them."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
