from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from ortstudio.analysis.operators import Formal
from tests.builders.knowledge import CORPUS, RESOURCES, operators

KNOWN = operators()


def test_the_data_is_what_the_installed_packages_give() -> None:
    made_with = json.loads((RESOURCES / "operators.json").read_text(encoding="utf-8"))["made_with"]
    here = {name: version(name) for name in made_with}
    if here != made_with:
        pytest.skip(f"made with {made_with}, installed are {here}")
    command = [sys.executable, str(RESOURCES / "make_operators.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_every_schema_of_every_surveyed_release_is_known() -> None:
    registry = json.loads((CORPUS / "registry.json").read_text(encoding="utf-8"))
    unknown = [
        schema
        for schema in registry["schemas"]
        if schema["since"] not in KNOWN.versions(schema["domain"], schema["op"])
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("domain", "op_type", "opset", "since"),
    [
        ("", "Conv", 10, 1),
        ("", "Conv", 11, 11),
        ("", "Conv", 17, 11),
        ("ai.onnx", "Conv", 22, 22),
        ("", "Conv", 0, 0),
        ("", "NoSuchOperator", 17, 0),
        ("ai.onnx.ml", "TreeEnsembleRegressor", 3, 3),
        ("com.microsoft", "FusedConv", 1, 1),
        ("my.domain", "Conv", 17, 0),
    ],
)
def test_since_is_the_newest_version_that_the_import_reaches(
    domain: str, op_type: str, opset: int, since: int
) -> None:
    assert KNOWN.since(domain, op_type, opset) == since


def test_runtime_only_versions_are_told_from_those_of_onnx() -> None:
    assert KNOWN.runtime_only("", "LayerNormalization", 1)
    assert not KNOWN.runtime_only("", "LayerNormalization", 17)
    assert KNOWN.runtime_only("ai.onnx", "SimplifiedLayerNormalization", 1)
    assert not KNOWN.runtime_only("com.microsoft", "FusedConv", 1)


def test_a_signature_names_optional_and_variadic_parameters() -> None:
    conv = KNOWN.signature("", "Conv", 11)
    assert conv is not None
    assert conv.inputs == (
        Formal("X", "T", optional=False, variadic=False),
        Formal("W", "T", optional=False, variadic=False),
        Formal("B", "T", optional=True, variadic=False),
    )
    concat = KNOWN.signature("", "Concat", 13)
    assert concat is not None
    assert concat.inputs == (Formal("inputs", "T", optional=False, variadic=True),)
    resize = KNOWN.signature("com.ms.internal.nhwc", "Resize", 19)
    assert resize is not None
    assert resize.inputs[2] == Formal("scales", "tensor(float)", optional=True, variadic=False)
    assert KNOWN.signature("", "Conv", 12) is None


def test_every_signature_parses() -> None:
    data = json.loads((RESOURCES / "operators.json").read_text(encoding="utf-8"))
    for domain, rows in data["operators"].items():
        for op_type, versions in rows.items():
            for since in versions:
                signature = KNOWN.signature(domain, op_type, int(since))
                assert signature is not None
                assert all(formal.name and formal.constraint for formal in signature.inputs)


@pytest.mark.parametrize(
    ("domain", "op_type", "family"),
    [
        ("", "Conv", "convolution"),
        ("com.microsoft", "FusedConv", "convolution"),
        ("", "QLinearConv", "convolution"),
        ("com.microsoft.nchwc", "Conv", "convolution"),
        ("", "Gemm", "convolution"),
        ("", "BatchNormalization", "normalization"),
        ("com.microsoft", "SkipLayerNormalization", "normalization"),
        ("com.microsoft", "BiasGelu", "activation"),
        ("", "Relu", "activation"),
        ("", "Reshape", "shape"),
        ("com.microsoft.nchwc", "ReorderOutput", "shape"),
        ("", "QuantizeLinear", "quantization"),
        ("com.microsoft", "DequantizeLinear", "quantization"),
        ("", "If", "control"),
        ("", "Add", "other"),
        ("my.domain", "Conv", "other"),
    ],
)
def test_family(domain: str, op_type: str, family: str) -> None:
    assert KNOWN.family(domain, op_type) == family


def test_every_operator_named_in_a_family_exists_and_stands_in_one_only() -> None:
    data = json.loads((RESOURCES / "operators.json").read_text(encoding="utf-8"))
    known = {op_type for rows in data["operators"].values() for op_type in rows}
    named = [op_type for op_types in data["families"].values() for op_type in op_types]
    assert set(named) <= known
    assert len(named) == len(set(named))


def test_newest_is_the_highest_version_of_a_domain() -> None:
    assert KNOWN.newest("com.microsoft") == 1
    assert KNOWN.newest("") == max(KNOWN.newest("ai.onnx"), 22)
    assert KNOWN.newest("my.domain") == 0
    assert KNOWN.knows_domain("ai.onnx.ml")
    assert not KNOWN.knows_domain("my.domain")
