"""One layer of an encoder, and the embedding in front of it.

Opset 12: the runtime knows the pattern of attention only up to there. So norms are written out.
"""

from __future__ import annotations

from onnx import ModelProto

from tests.pairing_truth.build import INT64, Net
from tests.pairing_truth.language import layer_norm_nodes

HIDDEN, HEADS, SIZE = 16, 2, 8
LENGTH = 4
OPSET = 12


def attention() -> ModelProto:
    return _encoder("n")


def attention_of_fixed_batch() -> ModelProto:
    """With all sizes known the products become Gemms, and attention is not recognized."""
    return _encoder(2)


def _encoder(batch: int | str) -> ModelProto:
    net = Net(opset=OPSET)
    x = net.input("x", [batch, LENGTH, HIDDEN])
    mask = _mask(net, net.input("mask", [batch, LENGTH], INT64))
    return net.model(_layer(net, layer_norm_nodes(net, x, HIDDEN, "first_"), mask))


def embedding() -> ModelProto:
    """Three tables of embeddings added and normed, in front of an encoder layer."""
    net = Net(opset=OPSET)
    ids, kinds = (net.input(name, ["n", LENGTH], INT64) for name in ("ids", "kinds"))
    mask = _mask(net, net.input("mask", ["n", LENGTH], INT64))
    words = net.node("Gather", net.weight("words_w", 20, HIDDEN), ids, name="words")
    places = net.const("place_ids", [list(range(LENGTH))], "int64")
    places = net.node("Gather", net.weight("places_w", LENGTH, HIDDEN), places, name="places")
    segments = net.node("Gather", net.weight("kinds_w", 2, HIDDEN), kinds, name="segments")
    h = net.node("Add", words, places, name="add_places")
    h = net.node("Add", h, segments, name="add_segments")
    return net.model(_layer(net, layer_norm_nodes(net, h, HIDDEN, "first_"), mask))


def _mask(net: Net, mask: str) -> str:
    h = net.node("Unsqueeze", mask, name="mask_1", axes=[1])
    h = net.node("Unsqueeze", h, name="mask_2", axes=[2])
    h = net.node("Cast", h, name="mask_cast", to=1)
    h = net.node("Sub", net.const("one", 1.0), h, name="mask_flip")
    return net.node("Mul", h, net.const("far", -10000.0), name="mask_scale")


def _linear(net: Net, x: str, name: str) -> str:
    h = net.node("MatMul", x, net.weight(f"{name}_w", HIDDEN, HIDDEN), name=f"{name}_matmul")
    return net.node("Add", h, net.weight(f"{name}_b", HIDDEN), name=f"{name}_add")


def _heads(net: Net, x: str, name: str, perm: list[int]) -> str:
    shape = net.ints(f"{name}_shape", 0, 0, HEADS, SIZE)
    h = net.node("Reshape", _linear(net, x, name), shape, name=f"{name}_reshape")
    return net.node("Transpose", h, name=f"{name}_transpose", perm=perm)


def _layer(net: Net, x: str, mask: str) -> str:
    q = _heads(net, x, "q", [0, 2, 1, 3])
    k = _heads(net, x, "k", [0, 2, 3, 1])
    v = _heads(net, x, "v", [0, 2, 1, 3])
    h = net.node("MatMul", q, k, name="scores")
    h = net.node("Div", h, net.const("root", SIZE**0.5), name="scores_scale")
    h = net.node("Softmax", net.node("Add", h, mask, name="scores_mask"), name="softmax", axis=3)
    h = net.node("MatMul", h, v, name="context")
    h = net.node("Transpose", h, name="context_transpose", perm=[0, 2, 1, 3])
    h = net.node("Reshape", h, net.ints("joined", 0, 0, HIDDEN), name="context_reshape")
    h = net.node("Add", _linear(net, h, "out"), x, name="residual")
    return layer_norm_nodes(net, h, HIDDEN, "last_")


ATTENTION = (attention, attention_of_fixed_batch, embedding)
