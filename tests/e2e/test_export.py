"""Exports from the file to the published model, through real children."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, GraphProto, TensorProto, helper, numpy_helper
from onnx.external_data_helper import uses_external_data

from ortstudio.errors import FormatError
from ortstudio.jobs.runner import Child, Outcome, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services import convert
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.exchange import Description, Value, read_values, write_values
from ortstudio.services.export import ExportSettings, export
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Session
from ortstudio.services.staging import publish
from tests.builders.conversions import to_ort
from tests.builders.corpus import CorpusFile, corpus_files
from tests.builders.knowledge import CORPUS
from tests.builders.native_libraries import TWICE, built
from tests.builders.onnx_files import FLOAT, onnx_model, value
from tests.builders.recorded import recorded
from tests.builders.toolchains import headers
from tests.e2e.exporting import codes, exported, listing

LOST = {
    "v1_ort1.5.2_extdata_fixed_basic.ort": "has 0 bytes where its type and shape need 96",
    "v6_ort1.23.2_types_fixed_disable.ort": "has 0 strings where its shape needs 4",
}
"""Files from which their writer left out tensors, and what is said of these."""

NOT_IN_ONNX = {
    "v2_ort1.6.0_encoder_fixed_extended.ort",
    "v4_ort1.12.1_encoder_fixed_extended.ort",
    "v6_ort1.32.0_from_v4_ort1.12.1_encoder_fixed_extended.ort",
}
"""Files with LayerNormalization 1, which the runtime has put into ONNX's own domain."""

NOT_INFERRED = {row["file"] for row in corpus_files() if "_sparse_" in row["file"]}
"""Files with sparse initializers, for which ONNX does not infer types."""

BY_CPU = {row["file"] for row in corpus_files() if row["hardware_specific"]} | {
    "v4_ort1.12.1_qdq_fixed_all.ort"
}
"""Files that compute other values on other CPUs: blocked layouts, and products that saturate."""

GOOD = [row for row in corpus_files() if row["file"] not in LOST]


@pytest.fixture(scope="module")
def child() -> Iterator[Callable[[], Child]]:
    with children(agent_child) as found:
        yield found


@pytest.mark.parametrize("row", GOOD, ids=lambda row: row["file"])
def test_the_corpus_comes_back_checked_and_computes_what_it_did(
    row: CorpusFile, tmp_path: Path, child: Callable[[], Child]
) -> None:
    name, target = row["file"], tmp_path / "m.onnx"
    done = exported(name, target, verify=False)
    assert done.error is None
    assert codes(done) & {"checker", "type-inference"} == (
        {"checker"}
        if name in NOT_IN_ONNX
        else {"type-inference"}
        if name in NOT_INFERRED
        else set()
    )
    if name not in NOT_IN_ONNX:
        onnx.checker.check_model(target, full_check=name not in NOT_INFERRED)
    inputs, outputs = recorded(CORPUS / row["npz"])
    found = run(child(), target, FileKind.ONNX, inputs, tmp_path)
    if row["in_1.32.0"]["load"] == "ok":
        original = run(child(), CORPUS / name, FileKind.ORT, inputs, tmp_path)
        assert all(output.equal for output in agreement(original, found, Tolerance(0, 0)))
    if name not in BY_CPU:
        known = row["in_1.32.0"]["max_abs_diff"] or 0.0
        close = agreement(outputs, found, Tolerance(atol=1e-4 + known))
        assert [output.name for output in close if not output.agrees] == []


def run(
    child: Child, model: Path, kind: FileKind, inputs: Mapping[str, Value], folder: Path
) -> dict[str, Value]:
    described = write_values(folder / "in.npz", inputs)
    arguments = {
        "session": Session(str(model), kind, Level.DISABLE).to_json(),
        "inputs": {"file": str(folder / "in.npz"), "values": described},
        "outputs": str(folder / "out.npz"),
    }
    outcome: Outcome = child.ask("run", arguments)
    assert outcome.ok, outcome.failure
    return read_values(folder / "out.npz", cast("list[Description]", outcome.value["outputs"]))


@pytest.mark.parametrize("name", LOST)
def test_a_file_whose_writer_left_out_tensors_is_refused(name: str, tmp_path: Path) -> None:
    done = exported(name, tmp_path / "m.onnx")
    assert isinstance(done.error, FormatError)
    assert LOST[name] in done.error.message
    assert done.error.where.path == str(CORPUS / name)
    assert (done.opened, done.notes, listing(tmp_path)) == (True, (), [])


def test_verification_is_on_and_its_outcome_stands_in_the_row(tmp_path: Path) -> None:
    done = exported("v6_ort1.22.1_cnn_fixed_all.ort", tmp_path / "made" / "m.onnx")
    assert done.verified is not None
    assert (done.verified.agrees, done.verified.max_abs) == (True, 0.0)
    assert done.verified.level is Level.DISABLE
    assert [(output.path, output.role) for output in done.outputs] == [
        (tmp_path / "made" / "m.onnx", "model")
    ]
    answer = done.to_json()
    assert (answer["ok"], answer["error"]) == (True, None)
    assert [note["code"] for note in answer["notes"]] == [  # type: ignore[attr-defined]
        "not-kept",
        "unused-imports",
        "vendor-operator",
    ]


def test_an_original_that_does_not_load_is_exported_unverified(tmp_path: Path) -> None:
    done = exported("v6_ort1.32.0_int4_fixed_disable.ort", tmp_path / "m.onnx")
    assert done.ok
    assert "cannot load an ORT-format model with the element type of" in str(done.verify_skipped)


def test_without_verification_the_reason_says_so(tmp_path: Path) -> None:
    done = exported("v6_ort1.22.1_cnn_fixed_all.ort", tmp_path / "m.onnx", verify=False)
    assert (done.verified, done.verify_skipped) == (None, "Verification was switched off")


def test_the_level_basic_export_is_portable_and_keeps_all_texts(tmp_path: Path) -> None:
    target = tmp_path / "m.onnx"
    done = exported("v6_ort1.32.0_meta_fixed_disable.ort", target)
    assert codes(done) == {"not-kept", "unused-imports"}
    assert "the graph is named main_graph" in done.notes[0].message
    made = onnx.load(target)
    source = onnx.load(CORPUS / "sources" / "meta.onnx")
    assert made.doc_string == source.doc_string != ""
    assert made.graph.doc_string == source.graph.doc_string != ""
    assert {p.key: p.value for p in made.metadata_props} == {
        p.key: p.value for p in source.metadata_props
    }
    assert made.graph.name == "main_graph"


def test_an_unset_model_version_stays_unset(tmp_path: Path) -> None:
    for name in ("v1_ort1.5.2_mlp_fixed_basic.ort", "v6_ort1.22.1_cnn_fixed_all.ort"):
        exported(name, tmp_path / "m.onnx", verify=False, overwrite=True)
        assert not onnx.load(tmp_path / "m.onnx").HasField("model_version")


def test_only_imports_that_nodes_use_come_back(tmp_path: Path) -> None:
    exported("v6_ort1.22.1_cnn_fixed_all.ort", tmp_path / "m.onnx", verify=False)
    made = onnx.load(tmp_path / "m.onnx")
    assert [row.domain for row in made.opset_import] == ["", "com.microsoft"]


def test_fused_and_blocked_operators_are_said_to_stay(tmp_path: Path) -> None:
    done = exported("v6_ort1.22.1_cnn_fixed_all.ort", tmp_path / "a.onnx")
    (fused,) = (note.message for note in done.notes if note.code == "vendor-operator")
    assert "com.microsoft.FusedConv" in fused
    assert "loads in ONNX Runtime only" in fused
    assert "cannot be taken apart without the source" in fused
    done = exported("v6_ort1.32.0_cnn_nchwc_all.ort", tmp_path / "b.onnx")
    (blocked,) = (note.message for note in done.notes if note.code == "blocked-layout")
    assert "cannot be turned back without the source" in blocked


def test_saved_optimizations_are_said_to_be_left_out(tmp_path: Path) -> None:
    done = exported("v5_ort1.15.1_qdq_runtime_all.ort", tmp_path / "m.onnx", verify=False)
    assert "Left out: 7 saved runtime optimizations" in " ".join(n.message for n in done.notes)


def test_graphs_all_have_names_and_no_two_the_same(tmp_path: Path) -> None:
    exported("v6_ort1.32.0_control_fixed_disable.ort", tmp_path / "m.onnx", verify=False)
    names = [graph.name for graph in graphs(onnx.load(tmp_path / "m.onnx").graph)]
    assert len(names) > 3
    assert all(names)
    assert len(set(names)) == len(names)


def graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs(attribute.g)


def test_weights_go_beside_a_model_that_would_be_too_large(tmp_path: Path) -> None:
    done = exported("v6_ort1.32.0_from_v4_ort1.12.1_cnn_fixed_all.ort", tmp_path / "m.onnx",
                    message_bytes=4000)  # fmt: skip
    assert done.verified is not None
    assert done.verified.max_abs == 0.0
    model_file, weights = done.outputs
    assert (model_file.path.name, model_file.role, weights.role) == ("m.onnx", "model", "weights")
    assert "external-data" in codes(done)
    assert listing(tmp_path) == ["m.onnx", weights.path.name]
    model = read_model(tmp_path / "m.onnx")
    assert model.error is None
    onnx.checker.check_model(tmp_path / "m.onnx", full_check=True)
    held = {
        t.name: t
        for t in onnx.load(tmp_path / "m.onnx", load_external_data=False).graph.initializer
    }
    outside = {t.name for t in held.values() if t.data_location == onnx.TensorProto.EXTERNAL}
    assert outside
    assert outside != set(held)


def test_weights_of_subgraphs_go_beside_the_model_and_compute_the_same(tmp_path: Path) -> None:
    source = to_ort(branches_with_weights(), tmp_path / "source.ort", Level.DISABLE)
    done = export(source, ExportSettings(tmp_path / "m.onnx", message_bytes=0))
    assert (done.error, done.verified is not None) == (None, True)
    held = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    inner = [graph for graph in graphs(held.graph) if graph.name != "main_graph"]
    assert [uses_external_data(graph.initializer[0]) for graph in inner] == [True, True]


def branches_with_weights() -> onnx.ModelProto:
    """A choice between two sums, each with a constant of its own."""

    def branch(name: str, number: float) -> GraphProto:
        weights = numpy_helper.from_array(np.full((500,), number, np.float32), f"{name}_w")
        return helper.make_graph(
            [helper.make_node("Add", ["x", f"{name}_w"], [f"{name}_y"])],
            name,
            [],
            [helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, [500])],
            [weights],
        )

    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=branch("then", 1), else_branch=branch("else", 2)
    )
    ends = [
        helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [500]),
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [500])
    return helper.make_model(
        helper.make_graph([node], "g", ends, [result]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )


def test_a_replaced_export_takes_its_weights_along_and_nothing_else(tmp_path: Path) -> None:
    target, other = tmp_path / "m.onnx", tmp_path / "m.onnx.0123456789abcdef.data"
    other.write_bytes(b"of somebody else")
    settings = ExportSettings(target, verify=False, overwrite=True, message_bytes=0)
    first = export(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", settings).outputs[1].path
    assert first.exists()
    second = export(CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort", settings).outputs[1].path
    assert listing(tmp_path) == sorted([target.name, other.name, second.name])
    again = export(CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort", settings)
    assert (again.error, again.outputs[1].path) == (None, second)
    assert listing(tmp_path) == sorted([target.name, other.name, second.name])
    onnx.checker.check_model(target, full_check=True)


def test_a_program_that_dies_while_it_publishes_leaves_a_model_with_its_own_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "m.onnx"
    settings = ExportSettings(target, verify=False, overwrite=True, message_bytes=0)
    export(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", settings)
    before = inlined(target)

    class DiedError(BaseException):
        pass

    def die(temporary: Path, path: Path, *, overwrite: bool) -> None:
        if path == target:
            raise DiedError
        publish(temporary, path, overwrite=overwrite)

    monkeypatch.setattr("ortstudio.services.export.publish", die)
    with pytest.raises(DiedError):
        export(CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort", settings)
    assert inlined(target) == before


def inlined(path: Path) -> bytes:
    """The model with its weights."""
    content: bytes = onnx.load(path).SerializeToString(deterministic=True)
    return content


def test_what_axes_stand_for_comes_back(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 3, 4]) for n in "xy")
    x.type.denotation = "IMAGE"
    for place, text in ((0, "DATA_BATCH"), (2, "DATA_CHANNEL")):
        x.type.tensor_type.shape.dim[place].denotation = text
    made = helper.make_model(
        helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    source = to_ort(made, tmp_path / "m.ort", Level.DISABLE)
    assert export(source, ExportSettings(tmp_path / "m.onnx", verify=False)).ok
    (back,) = onnx.load(tmp_path / "m.onnx").graph.input
    assert back == x


def test_custom_operators_are_verified_with_their_library(tmp_path: Path) -> None:
    library = built(TWICE, tmp_path, f"-I{headers()}")
    nodes = [helper.make_node("Twice", ["x"], ["y"], domain="my.ops")]
    ends = value("x", FLOAT, ["n", 3]), value("y", FLOAT, ["n", 3])
    made = onnx_model(nodes, ends[:1], ends[1:], domains=["my.ops"])
    onnx.save(made, tmp_path / "source.onnx")
    settings = ConvertSettings(custom_ops=str(library), write_config=False)
    (row,) = convert.run(plan([tmp_path / "source.onnx"], settings)).results
    source, target = row.outputs[0].path, tmp_path / "m.onnx"
    done = export(source, ExportSettings(target, custom_ops=str(library)))
    assert done.error is None
    assert done.verified is not None
    assert done.verified.max_abs == 0.0
    onnx.checker.check_model(target, full_check=True)
    alone = export(source, ExportSettings(tmp_path / "alone.onnx"))
    assert alone.verified is None
