"""Which operators do the same work under different names, and which only carry values over."""

from __future__ import annotations

import re


def words(*texts: str) -> frozenset[str]:
    """A set of operator types, written as text."""
    return frozenset(word for text in texts for word in text.split())


_PREFIX = re.compile(
    r"^(QLinear|QOrdered|Fused|Nhwc|DynamicQuantize|Skip|Simplified|Bias|Fast|Quick)+"
)

_WORK = {
    "Gemm": "MatMul",
    "QGemm": "MatMul",
    "FusedMatMulActivation": "MatMul",
    "MatMulInteger": "MatMul",
    "MatMulIntegerToFloat": "MatMul",
    "MatMulNBits": "MatMul",
    "TransposeMatMul": "MatMul",
    "ConvInteger": "Conv",
}

GLUE = words(
    "Cast DequantizeLinear Dropout Flatten Identity QuantizeLinear ReorderInput ReorderOutput",
    "Reshape Squeeze Transpose Unsqueeze",
)
"""What a rewrite puts around other nodes, or takes away from there."""

RANDOM = words(
    "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike"
)
"""What two nodes make of the same is not the same."""

QUANTIZERS = words("DequantizeLinear QuantizeLinear")

ACTIVATIONS = words(
    "Relu LeakyRelu Sigmoid Tanh HardSigmoid HardSwish Clip Elu Selu Softplus Softsign",
    "ThresholdedRelu QuickGelu Gelu FastGelu",
)
"""What a fusion takes into the node before it."""


def work(op_type: str) -> str:
    """The name of the work that an operator does, in all its fused and quantized forms."""
    known = _WORK.get(op_type)
    if known is None:
        bare = _PREFIX.sub("", op_type) or op_type
        known = _WORK[op_type] = _WORK.get(bare, bare)
    return known
