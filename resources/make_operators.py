"""Write `operators.json`: what the installed onnx and onnxruntime know of every operator.

    python resources/make_operators.py [--check]

The file maps domain → operator → since-version → formal parameters. Parameters are text: inputs and
outputs on either side of `>`, each `name:type`, with `?` after an optional and `*` after a variadic
one; `type` is a type constraint's name or one fixed type. `runtime_only` lists the versions in
ONNX's own domains that only ONNX Runtime registers. `families` groups operators by what they do,
for colours, whatever their domain.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

import onnx.defs
from onnx.defs import OpSchema
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

TARGET = Path(__file__).with_name("operators.json")
ONNX_DOMAINS = ("", "ai.onnx.ml")

FAMILIES = {
    "convolution": """
        CausalConvWithState Conv ConvInteger ConvTranspose ConvTransposeWithDynamicPads DeformConv
        FusedConv NhwcConv NhwcFusedConv QLinearConv QLinearConvTranspose VarlenCausalConvWithState
        WordConvEmbedding
        Einsum FusedGemm FusedMatMul FusedMatMulActivation Gemm GemmFastGelu GemmFloat8 MatMul
        MatMulBlockQuantizedFp4Weight MatMulBlockQuantizedFp8Weight MatMulBnb4 MatMulFpQ4
        MatMulInteger MatMulInteger16 MatMulIntegerToFloat MatMulNBits MatMulNBitsMlp
        MatMulNBitsQLoRA MatMulNBitsQkv MatMulPacked DynamicQuantizeMatMul QGemm QLinearMatMul
        QOrderedMatMul SparseToDenseMatMul TransposeMatMul
        Attention DecoderAttention DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention
        DisentangledAttention_TRT DynamicSparseAttention FlexAttention GroupQueryAttention
        LinearAttention LongformerAttention MultiHeadAttention PackedAttention
        PackedMultiHeadAttention PagedAttention QAttention QOrderedAttention
        QOrderedLongformerAttention SparseAttention SparsePagedAttention
        AttnLSTM DynamicQuantizeLSTM GRU GRUUnit GatedDeltaNet LSTM RNN
        MoE MoEPacked QMoE RouterGateUpProj
    """,
    "normalization": """
        BatchNormalization BranchwiseRMSNorm EmbedLayerNormalization GatedRMSNorm GroupNorm
        GroupNormalization InstanceNormalization LRN LayerNormalization LpNormalization
        MeanVarianceNormalization Normalizer QEmbedLayerNormalization QOrderedLayerNormalization
        RMSNormRotary RMSNormalization SimplifiedLayerNormalization SkipGroupNorm
        SkipLayerNormalization SkipSimplifiedLayerNormalization
    """,
    "activation": """
        BiasGelu BiasSoftmax BiasSplitGelu Celu Clip Elu FastGelu Gelu HardSigmoid HardSwish
        Hardmax LeakyRelu LogSoftmax Mish PRelu ParametricSoftplus QLinearLeakyRelu QLinearSigmoid
        QLinearSoftmax QOrderedGelu QuickGelu Relu ScaledSiLU ScaledTanh Selu Shrink Sigmoid
        Softmax Softplus Softsign SwiGLU Swish Tanh ThresholdedRelu
    """,
    "shape": """
        CenterCropPad Col2Im Compress Concat Crop CropAndResize DepthToSpace DynamicSlice Expand
        ExpandDims Flatten Gather GatherBlockQuantized GatherElements GatherND GatherPacked Pad
        QLinearConcat RemovePadding ReorderInput ReorderOutput Reshape Resize RestorePadding
        ReverseSequence Scatter ScatterElements ScatterND Shape Size Slice SpaceToDepth Split
        Squeeze TensorScatter Tile Transpose UnfoldTensor Unsqueeze Upsample
    """,
    "quantization": """
        DequantizeBFP DequantizeLinear DequantizeWithOrder DynamicQuantizeLinear QuantizeBFP
        QuantizeLinear QuantizeWithOrder
    """,
    "control": """
        BeamSearch GreedySearch If Loop Sampling Scan SequenceMap WhisperBeamSearch
    """,
}


class Content(TypedDict):
    """The file, as `ortstudio.analysis.operators.OperatorData` reads it."""

    made_with: dict[str, str]
    families: dict[str, list[str]]
    runtime_only: dict[str, dict[str, list[int]]]
    operators: dict[str, dict[str, dict[int, str]]]


def parameter(formal: OpSchema.FormalParameter) -> str:
    """`X:T`, `B:T?` or `inputs:T*`; onnx and onnxruntime spell the type's attribute differently."""
    mark = {"Single": "", "Optional": "?", "Variadic": "*"}[str(formal.option).rpartition(".")[2]]
    spelled = "type_str" if hasattr(formal, "type_str") else "typeStr"
    return f"{formal.name}:{getattr(formal, spelled)}{mark}"


def signature(schema: OpSchema) -> str:
    """The formal parameters as text."""
    inputs, outputs = (" ".join(map(parameter, side)) for side in (schema.inputs, schema.outputs))
    return f"{inputs}>{outputs}"


def key(schema: OpSchema) -> tuple[str, str, int]:
    """What tells one schema from another."""
    return schema.domain, schema.name, schema.since_version


def build() -> Content:
    """The file's content, sorted."""
    standard: list[OpSchema] = list(onnx.defs.get_all_schemas_with_history())
    registered: list[OpSchema] = list(runtime.get_all_operator_schema())
    signatures = {key(schema): signature(schema) for schema in standard + registered}
    operators: dict[str, dict[str, dict[int, str]]] = {}
    for domain, name, since in sorted(signatures):
        versions = operators.setdefault(domain, {}).setdefault(name, {})
        versions[since] = signatures[domain, name, since]
    runtime_only: dict[str, dict[str, list[int]]] = {}
    for domain, name, since in sorted(set(signatures) - set(map(key, standard))):
        if domain in ONNX_DOMAINS:
            runtime_only.setdefault(domain, {}).setdefault(name, []).append(since)
    return {
        "made_with": {name: version(name) for name in ("onnx", "onnxruntime")},
        "families": {family: sorted(names.split()) for family, names in FAMILIES.items()},
        "runtime_only": runtime_only,
        "operators": operators,
    }


def table(rows: Mapping[str, object]) -> str:
    """A JSON object with one line for each key, so that a change can be read in a diff."""
    lines = (
        f"{json.dumps(name)}:{json.dumps(row, separators=(',', ':'))}" for name, row in rows.items()
    )
    return "{\n" + ",\n".join(lines) + "}"


def text(content: Content) -> str:
    """The file as it is written."""
    domains = ",\n".join(
        f"{json.dumps(domain)}:{table(operators)}"
        for domain, operators in content["operators"].items()
    )
    return (
        f'{{"made_with":{table(content["made_with"])},\n'
        f'"families":{table(content["families"])},\n'
        f'"runtime_only":{table(content["runtime_only"])},\n'
        f'"operators":{{\n{domains}}}}}\n'
    )


def main() -> int:
    """Write the file, or with --check say whether it is up to date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    made = text(build())
    if parser.parse_args().check:
        return int(TARGET.read_text(encoding="utf-8") != made)
    TARGET.write_text(made, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
