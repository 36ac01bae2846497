from __future__ import annotations

import pytest
from onnx import FunctionProto, ModelProto, NodeProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from ortstudio.analysis.unregistered import NOT_BUILT_IN, Lack, unregistered
from ortstudio.format.source import Source
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.services.knowledge import knowledge
from tests.builders.onnx_files import onnx_model, value


def lacking(model: ModelProto) -> list[tuple[str, Lack]]:
    known = knowledge().operators
    read = read_onnx(Source.of_bytes(model.SerializeToString(), "m.onnx"), known.since)
    return [(one.text, one.lack) for one in unregistered(read, known)]


def chain(*nodes: NodeProto, opset: int = 17, domains: tuple[str, ...] = ()) -> ModelProto:
    return onnx_model(nodes, [value("x")], [value("y")], opset=opset, domains=domains)


def node(op_type: str, domain: str = "", name: str = "") -> NodeProto:
    return helper.make_node(op_type, ["x"], ["y"], domain=domain, name=name)


@pytest.mark.parametrize("domain", ["", "ai.onnx", "com.microsoft"])
def test_what_the_runtime_brings_is_there(domain: str) -> None:
    model = chain(node("Relu" if "onnx" in domain or not domain else "Gelu", domain))
    assert lacking(model) == []


@pytest.mark.parametrize(
    ("op_type", "domain", "opset", "lack"),
    [
        ("BpeLike", "my.ops", 17, Lack.CUSTOM),
        ("Adam", "ai.onnx.preview.training", 17, Lack.NOT_BUILT_IN),
        ("Nothing", "", 17, Lack.NOT_BUILT_IN),
        ("Nothing", "com.microsoft", 17, Lack.NOT_BUILT_IN),
        ("HardSwish", "", 11, Lack.VERSION),
        ("HardSwish", "", 14, None),
    ],
)
def test_what_is_lacking_has_its_reason(
    op_type: str, domain: str, opset: int, lack: Lack | None
) -> None:
    found = lacking(chain(node(op_type, domain), opset=opset, domains=(domain,) if domain else ()))
    assert [one for _, one in found] == ([] if lack is None else [lack])


def test_a_known_domain_that_is_not_imported_is_imported_by_the_runtime() -> None:
    model = chain(node("Gelu", "com.microsoft"))
    assert [row.domain for row in model.opset_import] == [""]
    assert lacking(model) == []


def test_operators_are_named_with_their_domain_and_nodes() -> None:
    assert lacking(chain(node("BpeLike", "my.ops", "tokenize"), domains=("my.ops",))) == [
        ("BpeLike of domain my.ops (node 'tokenize')", Lack.CUSTOM)
    ]
    many = chain(*[node("Nothing") for _ in range(7)])
    assert lacking(many)[0][0] == "Nothing of domain ai.onnx (nodes #0, #1, #2, #3 and 3 more)"


def test_branches_are_looked_into() -> None:
    branch = helper.make_graph([node("BpeLike", "my.ops")], "b", [], [value("y")])
    choice = helper.make_node(
        "If", ["x"], ["y"], name="either", then_branch=branch, else_branch=branch
    )
    ((text, lack),) = lacking(chain(choice, domains=("my.ops",)))
    assert lack is Lack.CUSTOM
    assert "#0 in /either/then_branch" in text
    assert "#0 in /either/else_branch" in text


def function(name: str, *nodes: NodeProto) -> FunctionProto:
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)]
    return helper.make_function("local", name, ["x"], ["y"], nodes, imports)


def test_functions_count_where_they_are_called() -> None:
    model = chain(node("Outer", "local"), domains=("local",))
    model.functions.append(function("Outer", node("Inner", "local")))
    model.functions.append(function("Inner", node("BpeLike", "my.ops")))
    model.functions.append(function("Unused", node("Other", "my.ops")))
    assert [text.partition(" ")[0] for text, _ in lacking(model)] == ["BpeLike"]


def test_the_runtime_has_an_operator_of_every_other_domain_that_we_know() -> None:
    there = {"" if s.domain == "ai.onnx" else s.domain for s in runtime.get_all_operator_schema()}
    known = knowledge().operators
    assert all(known.knows_domain(domain) for domain in there)
    assert there.isdisjoint(NOT_BUILT_IN)
