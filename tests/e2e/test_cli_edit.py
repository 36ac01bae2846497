"""`ortstudio edit` from the outside: exit codes, the answer, and what is then in the file."""

from __future__ import annotations

import shutil
from pathlib import Path

import onnx
import pytest

from ortstudio.services.reading import read_model
from tests.builders.knowledge import CORPUS
from tests.builders.siblings import write_adapter
from tests.e2e.command import ortstudio

CONTROL = CORPUS / "v6_ort1.32.0_control_fixed_disable.ort"
MLP = CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort"
RECORDS = CORPUS / "v5_ort1.13.1_qdq_conv_runtime_all.ort"


def listing(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_model_is_edited_verified_and_what_changed_is_said(tmp_path: Path) -> None:
    target = tmp_path / "made" / "m.ort"
    done = ortstudio(
        "edit", CONTROL, "-o", target,
        "--rename-input", "x=image", "--rename-input", "flag=x", "--rename-output", "acc_final=sum",
        "--fix-dim", "T=3", "--metadata", "key=a=b", "--strip-names",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    first, second, *changes = done.out.splitlines()
    assert first.startswith(f"{target}  ")
    assert "verified: outputs agree with the source's, all equal (seed 0, T = 3" in second
    assert [line.strip() for line in changes] == [
        "Input x is renamed to image",
        "Input flag is renamed to x",
        "Output acc_final is renamed to sum",
        "Size T is fixed to 3 in 2 places",
        "Metadata key is added",
        "Names of nodes are removed",
    ]
    model = read_model(target)
    assert dict(model.metadata) == {"key": "a=b"}
    assert model.main.value_names(model.main.inputs.tolist()) == ["image", "x", "n", "rows"]
    assert listing(tmp_path) == ["made", "made/m.ort"]


def test_the_answer_in_json_has_the_form_of_convert(tmp_path: Path) -> None:
    target = tmp_path / "m.ort"
    done = ortstudio("edit", MLP, "-o", target, "--doc-string", "new", "--json", "--seed", "9")
    assert (done.code, done.err) == (0, "")
    answer = done.json
    (row,) = answer["results"]
    assert (answer["schema"], answer["ok"]) == ("ortstudio/edit@1", True)
    assert (answer["converted"], answer["failed"]) == (1, 0)
    size = target.stat().st_size
    assert row["outputs"] == [{"path": str(target), "role": "model", "size_bytes": size}]
    assert (row["source"], row["ok"], row["error"]) == (str(MLP), True, None)
    assert (row["verified"]["agrees"], row["verified"]["seed"]) == (True, 9)
    assert row["verify_skipped"] is None
    assert row["changes"] == ["The doc string is set"]


def test_saved_optimizations_are_kept_unless_they_are_to_go(tmp_path: Path) -> None:
    kept, dropped = tmp_path / "kept.ort", tmp_path / "dropped.ort"
    assert ortstudio("edit", RECORDS, "-o", kept, "--strip-doc-strings").code == 0
    done = ortstudio("edit", RECORDS, "-o", dropped, "--drop-optimizations")
    assert (done.code, "5 saved optimizations are dropped" in done.out) == (0, True)
    records = {
        path: [g.runtime_optimizations for g in model.ort.graphs]
        for path in (RECORDS, kept, dropped)
        if (model := read_model(path)).ort
    }
    fields = [[record.nodes for record in rows] for rows in records[RECORDS]]
    assert [[record.nodes for record in rows] for rows in records[kept]] == fields
    assert records[dropped] == [()]


def test_an_onnx_model_keeps_its_external_data(tmp_path: Path) -> None:
    source = tmp_path / "extdata.onnx"
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(CORPUS / "sources" / name, tmp_path)
    beside = ortstudio("edit", source, "-o", tmp_path / "beside.onnx", "--metadata", "a=b")
    assert (beside.code, beside.err) == (0, "")
    assert "verified" in beside.out
    other = ortstudio("edit", source, "-o", tmp_path / "other" / "m.onnx", "--metadata", "a=b")
    assert (other.code, other.err) == (0, "")
    assert "verified" in other.out
    assert listing(tmp_path) == [
        "beside.onnx", "extdata.bin", "extdata.onnx", "other", "other/extdata.bin", "other/m.onnx"
    ]  # fmt: skip
    weights = [onnx.load(path).graph.initializer for path in (source, tmp_path / "other/m.onnx")]
    assert list(weights[0]) == list(weights[1])


def test_what_is_beside_the_target_is_not_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "extdata.bin").write_text("precious")
    source = CORPUS / "sources" / "extdata.onnx"
    done = ortstudio("edit", source, "-o", tmp_path / "m.onnx", "--metadata", "a=b")
    assert (done.code, "exists already" in done.err) == (1, True)
    assert listing(tmp_path) == ["extdata.bin"]
    assert (tmp_path / "extdata.bin").read_text() == "precious"


def test_weights_are_not_replaced_by_the_model_that_needs_them(tmp_path: Path) -> None:
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(CORPUS / "sources" / name, tmp_path)
    target = tmp_path / "extdata.bin"
    source = tmp_path / "extdata.onnx"
    done = ortstudio("edit", source, "-o", target, "--metadata", "a=b", "--overwrite")
    assert (done.code, "made from" in done.err) == (1, True)


def test_what_the_model_does_not_have_is_a_wrong_command_line(tmp_path: Path) -> None:
    done = ortstudio("edit", CONTROL, "-o", tmp_path / "m.ort", "--fix-dim", "S=1")
    assert done.code == 2
    assert str(CONTROL) in done.err
    assert "The model has no symbolic size named 'S'" in done.err
    assert "It has 'T'" in done.err
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Nothing is to be changed"),
        (["--rename-input", "x"], "'x' is not OLD=NEW"),
        (["--rename-input", "x=a", "--rename-input", "x=b"], "two things of 'x': a and b"),
        (["--fix-dim", "T=1", "--dim", "T=2"], "cannot be fixed to 1 and run at 2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_line_that_contradicts_itself_is_wrong(
    options: list[str], message: str, tmp_path: Path
) -> None:
    done = ortstudio("edit", CONTROL, "-o", tmp_path / "m.ort", *options)
    assert (done.code, message in done.err) == (2, True), done.err
    assert listing(tmp_path) == []


def test_a_size_that_the_model_does_not_run_with_is_refused(tmp_path: Path) -> None:
    """Four values are added to as many as the symbol says."""
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, ["N"])],
        [onnx.helper.make_tensor_value_info("y", 1, ["M"])],
        [onnx.helper.make_tensor("w", 1, [4], [1, 2, 3, 4])],
    )
    imports = [onnx.helper.make_opsetid("", 17)]
    source = tmp_path / "add.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=imports, ir_version=8), source)
    done = ortstudio("edit", source, "-o", tmp_path / "m.onnx", "--fix-dim", "N=3")
    assert (done.code, "does not run with N = 3" in done.err) == (1, True), done.err
    assert listing(tmp_path) == ["add.onnx"]
    assert ortstudio("edit", source, "-o", tmp_path / "m.onnx", "--fix-dim", "N=4").code == 0


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    adapter, text = tmp_path / "a.onnx_adapter", tmp_path / "notes.ort"
    write_adapter(adapter)
    text.write_text("not a model")
    done = ortstudio("edit", adapter, "-o", tmp_path / "m", "--doc-string", "x")
    assert (done.code, "This is a LoRA adapter" in done.err) == (1, True)
    assert ortstudio("edit", text, "-o", tmp_path / "m", "--doc-string", "x").code == 3
    assert ortstudio("edit", tmp_path / "gone", "-o", tmp_path / "m", "--doc-string", "x").code == 3


def test_a_damaged_model_is_not_edited(tmp_path: Path) -> None:
    cut = tmp_path / "cut.ort"
    cut.write_bytes(MLP.read_bytes()[:4000])
    done = ortstudio("edit", cut, "-o", tmp_path / "m.ort", "--doc-string", "x", "--json")
    assert done.code == 3
    assert done.json["results"][0]["error"]["kind"] == "format"
    assert listing(tmp_path) == ["cut.ort"]


def test_a_result_that_exists_is_replaced_only_when_asked(tmp_path: Path) -> None:
    target = tmp_path / "m.ort"
    target.write_text("precious")
    arguments = ("edit", MLP, "-o", target, "--doc-string", "x", "--no-verify")
    assert ortstudio(*arguments).code == 1
    assert target.read_text() == "precious"
    assert ortstudio(*arguments, "--overwrite").code == 0
    assert read_model(target).doc_string == "x"


@pytest.mark.parametrize(("verb", "name"), [("edit", "m.onnx"), ("export", "m.ort")])
def test_a_result_is_not_named_as_the_other_format(tmp_path: Path, verb: str, name: str) -> None:
    """The runtime goes by the name, and would not load it."""
    options = ["--doc-string", "new"] if verb == "edit" else []
    done = ortstudio(verb, MLP, "-o", tmp_path / name, *options)
    right = {"edit": "m.ort", "export": "m.onnx"}[verb]
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith(
        f"runtimes would go by its name and refuse it ({tmp_path / name}). Name it {right}.\n"
    )
    assert listing(tmp_path) == []
