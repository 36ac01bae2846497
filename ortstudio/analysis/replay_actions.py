"""The actions by which release 1.32 replays saved optimizations, and what each does."""

from __future__ import annotations

from dataclasses import dataclass

_QDQ = "QDQSelectorActionTransformer"


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    `result` names what it makes (`{op}` is the target), or says what becomes of the target where
    it makes nothing. `never_recorded`: the runtime forgets to save what it makes, so that replay
    always fails.
    """

    result: str
    produces: bool = True
    never_recorded: bool = False


_QUANTIZED = Action("works on quantized data", produces=False)

ACTIONS = {
    (_QDQ, "Conv"): Action("QLinearConv"),
    (_QDQ, "MatMul"): Action(
        "QLinearMatMul or com.microsoft.MatMulIntegerToFloat", never_recorded=True
    ),
    (_QDQ, "Gemm"): Action("com.microsoft.QGemm"),
    (_QDQ, "1DQ"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "1DQ_CPU"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "1DQ_CPU_Softmax"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "2DQ"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "*DQ"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "Where"): Action("com.microsoft.QLinear{op}"),
    (_QDQ, "drop"): _QUANTIZED,
    (_QDQ, "drop_no_int16_support"): _QUANTIZED,
    (_QDQ, "drop_no_int16_support_and_positive_scale"): _QUANTIZED,
    (_QDQ, "dropDQ"): _QUANTIZED,
    (_QDQ, "dropSplitQDQ"): Action("{op} on quantized data", never_recorded=True),
    (_QDQ, "DQMatMulToMatMulNBits"): Action("com.microsoft.MatMulNBits"),
    (_QDQ, "DQMatMulToMatMulNBits_A16"): Action("com.microsoft.MatMulNBits"),
    ("ConvActivationFusion", "ConvAct"): Action("com.microsoft.FusedConv"),
    ("MatMulNBitsFusion", "FuseBias"): Action("takes the bias in", produces=False),
}


def is_replayed(optimizer: str) -> bool:
    """Whether release 1.32 replays records of this optimizer; it passes over all others."""
    return any(optimizer == known for known, _ in ACTIONS)


def action_of(optimizer: str, action: str) -> Action | None:
    """The action of that name; None where release 1.32 has none."""
    return ACTIONS.get((optimizer, action))
