"""The rewrites that are known by name: what they take, what they make, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nchwc import NCHWC_DOMAIN
from ortstudio.analysis.pairing.families import words

ONLY_HERE = "Only ONNX Runtime has {}: no other runtime can load the result."
THIS_CPU = "{} has weights in blocks that fit this family of CPUs: the result runs on no other."

_ACTIVATIONS = "Relu LeakyRelu Sigmoid Tanh HardSigmoid Clip"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """All of `needs` and any of `may` become one of `makes` (`*` for anything)."""

    name: str
    needs: frozenset[str]
    may: frozenset[str]
    makes: frozenset[str]
    sentence: str
    keeps: bool = False
    """Whether the node of B may be one of A just as it was."""

    def fits(self, a: Iterable[str], b: Iterable[str]) -> bool:
        """Whether these operators of A became those of B by this rewrite."""
        sources, results = set(a), set(b)
        return (
            self.needs <= sources <= self.needs | self.may
            and bool(results)
            and (results <= self.makes)
        )


def _row(
    name: str, needs: str, may: str, makes: str, sentence: str, keeps: bool = False
) -> Rewrite:
    return Rewrite(name, words(needs), words(may), words(makes), sentence, keeps)


_NORM = "Pow ReduceMean Add Sqrt Div Mul Cast Sub"
_QDQ = "QuantizeLinear DequantizeLinear"

FUSIONS: tuple[Rewrite, ...] = (
    _row(
        "conv-batch-norm",
        "Conv BatchNormalization",
        f"{_ACTIVATIONS} Add Mul",
        "Conv com.microsoft.FusedConv com.microsoft.nchwc.Conv",
        "The batch normalization is folded into the weights and the bias of the convolution",
    ),
    _row(
        "conv-mul",
        "Conv Mul",
        f"{_ACTIVATIONS} Add",
        "Conv com.microsoft.FusedConv com.microsoft.nchwc.Conv",
        "The multiplication by a constant is folded into the weights of the convolution",
    ),
    _row(
        "conv-add-activation",
        "Conv Add",
        _ACTIVATIONS,
        "com.microsoft.FusedConv com.microsoft.nchwc.Conv com.microsoft.NhwcFusedConv",
        "The convolution adds the sum and computes the activation itself",
    ),
    _row(
        "conv-add",
        "Conv Add",
        "",
        "Conv",
        "The addition of a constant is folded into the bias of the convolution",
    ),
    _row(
        "pad",
        "Pad",
        "Conv MaxPool AveragePool ConvTranspose",
        "Conv MaxPool AveragePool com.microsoft.FusedConv com.microsoft.nchwc.Conv"
        " com.microsoft.nchwc.MaxPool com.microsoft.nchwc.AveragePool",
        "The padding became the node's own",
    ),
    *(
        _row(
            "conv-activation",
            f"Conv {activation}",
            "",
            "com.microsoft.FusedConv com.microsoft.nchwc.Conv com.microsoft.NhwcFusedConv",
            "The convolution computes the activation itself",
        )
        for activation in _ACTIVATIONS.split()
    ),
    *(
        _row(
            "gemm-activation",
            f"Gemm {activation}",
            "MatMul Add",
            "com.microsoft.FusedGemm",
            "The matrix product computes the activation itself",
        )
        for activation in f"{_ACTIVATIONS} Softplus Elu".split()
    ),
    _row(
        "matmul-add",
        "MatMul Add",
        "Reshape",
        "Gemm",
        "A matrix product and the addition after it are one Gemm",
    ),
    _row(
        "matmul-batch-norm",
        "MatMul BatchNormalization",
        "Reshape Transpose",
        "Gemm",
        "The batch normalization is folded into the weights and the bias of the product",
    ),
    _row(
        "gemm-sum",
        "Gemm Sum",
        "",
        "Gemm",
        "The addition became the third input of the Gemm",
    ),
    _row(
        "gemm-transpose",
        "Gemm Transpose",
        "",
        "Gemm",
        "The Gemm reads its matrix transposed itself",
    ),
    _row(
        "matmul-transpose",
        "MatMul Transpose",
        "Cast",
        "com.microsoft.FusedMatMul",
        "The product reads its matrix transposed itself",
    ),
    *(
        _row(
            "matmul-scale",
            f"MatMul {scale}",
            "Mul Div Transpose",
            "com.microsoft.FusedMatMul",
            "The product multiplies by the constant itself",
        )
        for scale in ("Mul", "Div")
    ),
    _row(
        "gelu",
        "Erf Mul Add",
        "Div Mul Add Constant Sqrt Cast",
        "com.microsoft.Gelu Gelu",
        "The nodes that spell out GELU are one node",
    ),
    _row(
        "bias-gelu",
        "Add",
        "Gelu com.microsoft.Gelu Erf Mul Div",
        "com.microsoft.BiasGelu",
        "The bias is added by the GELU node itself",
    ),
    _row(
        "fast-gelu",
        "Tanh Mul",
        "Add Pow Mul Cast",
        "com.microsoft.FastGelu com.microsoft.Gelu Gelu",
        "The nodes that spell out GELU by tanh are one node",
    ),
    _row(
        "quick-gelu",
        "Sigmoid Mul",
        "",
        "com.microsoft.QuickGelu",
        "x times sigmoid of x is one node",
    ),
    _row(
        "layer-norm",
        "ReduceMean Sub Sqrt Div",
        _NORM,
        "LayerNormalization",
        "The nodes that spell out layer normalization are one node",
    ),
    _row(
        "simplified-layer-norm",
        "ReduceMean Sqrt Pow",
        _NORM,
        "SimplifiedLayerNormalization RMSNormalization",
        "The nodes that spell out RMS normalization are one node",
    ),
    _row(
        "skip-layer-norm",
        "Add",
        f"{_NORM} LayerNormalization SimplifiedLayerNormalization RMSNormalization",
        "com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization",
        "The addition before the normalization is done by the same node",
    ),
    _row(
        "bias-softmax",
        "Add Softmax",
        "",
        "com.microsoft.BiasSoftmax",
        "The addition before the softmax is done by the same node",
    ),
    _row(
        "bias-dropout",
        "Add Dropout",
        "Add",
        "com.microsoft.BiasDropout",
        "The addition before the dropout is done by the same node",
    ),
    _row(
        "dynamic-quantize-matmul",
        "MatMulInteger",
        "DynamicQuantizeLinear Cast Mul Add",
        "com.microsoft.DynamicQuantizeMatMul",
        "Quantization, integer product and scaling back are one node",
    ),
    _row(
        "matmul-integer-to-float",
        "MatMulInteger Cast Mul",
        "Mul Add",
        "com.microsoft.MatMulIntegerToFloat",
        "The integer product and scaling back are one node",
    ),
    _row(
        "div-mul",
        "Div Mul",
        "",
        "Div",
        "One divided by a value and multiplied is one division",
    ),
    _row(
        "not-where",
        "Not Where",
        "",
        "Where",
        "The condition is no longer negated: the branches changed places",
    ),
    _row(
        "relu-clip",
        "Relu Clip",
        "",
        "Clip",
        "The Clip starts at zero or above and makes the Relu needless",
        keeps=True,
    ),
    *(
        _row(
            "activation-quantize",
            f"{activation} QuantizeLinear",
            "",
            "QuantizeLinear",
            "The quantization cuts off the same values, which makes the activation needless",
            keeps=True,
        )
        for activation in ("Relu", "Clip")
    ),
    _row(
        "reshape",
        "Reshape",
        "Shape Gather Unsqueeze Concat Slice Squeeze Div Mul Cast",
        "Reshape",
        "The arithmetic on sizes is replaced by a shape that copies them",
        keeps=True,
    ),
    _row(
        "gather-to-split",
        "Gather",
        "Slice",
        "Split Squeeze",
        "Pieces that were taken one by one are split off at once",
    ),
    _row("slice-to-split", "Slice", "", "Split", "Slices side by side are split off at once"),
    _row("gather-to-slice", "Gather", "Range", "Slice", "Taking a run of indices is one Slice"),
    _row(
        "label-encoder",
        "ai.onnx.ml.LabelEncoder",
        "",
        "ai.onnx.ml.LabelEncoder",
        "Two encodings in a row are one",
    ),
    _row(
        "space-to-depth",
        "Slice Concat",
        "Transpose",
        "SpaceToDepth Transpose Gather",
        "Slices that are put together again are one SpaceToDepth",
    ),
    _row(
        "attention",
        "MatMul Softmax",
        "Add Mul Div Reshape Transpose Split Where Shape Gather Unsqueeze Concat Slice Cast Sub"
        " Expand Squeeze ConstantOfShape Not Constant",
        "com.microsoft.Attention com.microsoft.MultiHeadAttention"
        " com.microsoft.GroupQueryAttention Attention",
        "The nodes that spell out attention are one node",
    ),
    _row(
        "embed-layer-norm",
        "Gather Add",
        f"{_NORM} LayerNormalization ReduceSum Cast Shape Slice Expand Unsqueeze ConstantOfShape"
        " NonZero Transpose Squeeze Range com.microsoft.SkipLayerNormalization",
        "com.microsoft.EmbedLayerNormalization",
        "Look-up of embeddings, their sum and the normalization are one node",
    ),
    _row(
        "bias-skip-layer-norm",
        "Add com.microsoft.SkipLayerNormalization",
        "",
        "com.microsoft.SkipLayerNormalization",
        "The bias is added by the normalization itself",
    ),
)
"""Rules for several nodes that became one, the more special first."""


RESHAPING = words("matmul-add matmul-batch-norm gather-to-split gather-to-slice space-to-depth")
"""Rewrites that put changes of shape around what they make."""


def _gone(name: str, sentence: str) -> Rewrite:
    return _row(name, "", "", "", sentence)


_NOOP = _gone("noop-elimination", "It left every value as it was")

ELIMINATIONS: dict[str, Rewrite] = {
    "Identity": _gone("identity-elimination", "It only handed on what it read"),
    "Dropout": _gone("dropout-elimination", "Outside training it does nothing"),
    "Cast": _gone("cast-elimination", "It had the type that was asked for"),
    "Expand": _gone("expand-elimination", "The size it asked for is the size that is there"),
    "Slice": _gone("slice-elimination", "It took everything that there is"),
    "Pad": _NOOP,
    "Add": _NOOP,
    "Sub": _NOOP,
    "Mul": _NOOP,
    "Div": _NOOP,
    "Reshape": _NOOP,
    "Transpose": _NOOP,
}
"""Nodes that leave nothing behind, by their operator."""

QUANTIZED = _row(
    "qdq",
    "",
    "",
    "",
    "Dequantization, operator and quantization are one node that computes on quantized values",
)
"""Any operator between DequantizeLinear and QuantizeLinear that became a quantized one."""

NBITS = _row(
    "dq-matmul-nbits",
    "",
    "",
    "",
    "The product reads the quantized weights itself, a block at a time",
)
_NBITS = words("com.microsoft.MatMulNBits com.microsoft.GatherBlockQuantized")

_QUANTIZED_RESULTS = ("QLinear", "com.microsoft.QLinear", "com.microsoft.QGemm")
_QUANTIZED_OTHERS = words(
    "com.microsoft.MatMulNBits com.microsoft.MatMulIntegerToFloat com.microsoft.QuantizeLinear",
    "MatMulInteger ConvInteger com.microsoft.QMoE com.microsoft.GatherBlockQuantized",
)


def fusion(a: Sequence[str], b: Sequence[str]) -> Rewrite | None:
    """The rewrite that makes nodes of these operators into those; None where none is known."""
    if b and all(map(is_quantized, b)) and not all(map(is_quantized, a)):
        return NBITS if set(b) <= _NBITS else QUANTIZED
    return next((rule for rule in FUSIONS if rule.fits(a, b)), None)


def is_quantized(op: str) -> bool:
    """Whether an operator computes on quantized values."""
    return op.startswith(_QUANTIZED_RESULTS) or op in _QUANTIZED_OTHERS


def portability(domain: str, op: str) -> str:
    """What a node of B that A did not have means for other runtimes; empty for nothing."""
    if domain == NCHWC_DOMAIN:
        return THIS_CPU.format(op)
    if op == "SimplifiedLayerNormalization":
        return ONLY_HERE.format(op)  # It stands in ONNX's domain, but is not ONNX's.
    if domain in ("", "ai.onnx", "ai.onnx.ml"):
        return ""
    return ONLY_HERE.format(op)
