"""Write `optimizers.json`: the graph optimizers of the installed onnxruntime, by name.

    python resources/make_optimizers.py [--check]

The runtime has no list of them. It logs each one that it applies, and leaves out those that it is
told to; what is logged in spite of that cannot be left out. Small rewrites are rules inside two of
them and are not logged: of these, and of what only some processors need, a name counts that stands
in the runtime's library.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

TARGET = Path(__file__).with_name("optimizers.json")

RULES = """
    CastChainElimination CastElimination ClipQuantRewrite ConvAddFusion ConvBNFusion ConvMulFusion
    DivMulFusion EliminateDropout EliminateIdentity EliminateSlice ExpandElimination FuseReluClip
    GemmSumFusion GemmTransposeFusion LabelEncoderFusion MatMul_BatchNormalization_Fusion
    NoopElimination NotWhereFusion Pad_Fusion PreShapeNodeElimination ReluQuantRewrite
    UnsqueezeElimination
"""
ELSEWHERE = "Avx2WeightS8ToU8Transformer"

LOAD = """
import json, sys
import onnxruntime
options = onnxruntime.SessionOptions()
options.log_severity_level = 0
options.add_session_config_entry("session.qdqisint8allowed", sys.argv[2])
onnxruntime.InferenceSession(
    bytes.fromhex(sys.argv[1]), options, providers=["CPUExecutionProvider"],
    disabled_optimizers=json.loads(sys.argv[3]),
)
"""
LOGGED = re.compile(r"Applying graph transformer (\w+) on step|GraphTransformer (\w+) modified")


def build() -> list[str]:
    """The names that can be left out, sorted."""
    names = {name for allowed in "01" for name in applied(allowed, [])}
    names -= {name for allowed in "01" for name in applied(allowed, sorted(names))}
    library = Path(runtime.__file__).read_bytes()
    names |= {name for name in f"{RULES} {ELSEWHERE}".split() if f"\0{name}\0".encode() in library}
    return sorted(names)


def applied(allowed: str, disabled: list[str]) -> set[str]:
    """The optimizers that the runtime says it applies; `allowed` is whether int8 may stay."""
    command = [sys.executable, "-c", LOAD, model().hex(), allowed, json.dumps(disabled)]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return {first or second for first, second in LOGGED.findall(log)}


def model() -> bytes:
    """Any model: optimizers are applied to all."""
    node = helper.make_node("Relu", ["x"], ["y"])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([node], "any", ends[:1], ends[1:])
    opset = helper.make_opsetid("", 17)
    made: onnx.ModelProto = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    content: bytes = made.SerializeToString()
    return content


def text(names: list[str]) -> str:
    """The file as it is written."""
    made_with = {"onnxruntime": version("onnxruntime")}
    return json.dumps({"made_with": made_with, "optimizers": names}, indent=1) + "\n"


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
