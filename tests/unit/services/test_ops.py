"""What sets of models and configs need of a build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.services.ops import Ops, needs, write
from tests.builders.knowledge import CORPUS
from tests.oracles import upstream_config

CONTROL = CORPUS / "v6_ort1.32.0_control_fixed_disable.ort"
RUNTIME = CORPUS / "v6_ort1.32.0_qdq_conv_runtime_all.ort"
INT4 = CORPUS / "v6_ort1.32.0_int4_fixed_disable.ort"
OLD = CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort"
CNN = CORPUS / "sources" / "cnn.onnx"


def codes(found: Ops) -> list[str]:
    return [note.code for row in found.rows for note in row.notes]


def test_a_config_is_equal_on_every_run_and_holds_file_names_only(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("a.config", "b.config"))
    write(needs([CONTROL, RUNTIME], types=True), first)
    write(needs([RUNTIME, CONTROL], types=True), second)
    assert first.read_bytes() == second.read_bytes()
    assert b"/" not in first.read_bytes()
    assert f"# For {CONTROL.name}".encode() in first.read_bytes()


def test_the_matrix_says_which_model_needs_which_operator_and_types() -> None:
    found = needs([CONTROL, RUNTIME], types=True).to_json()
    rows = {row["op_id"]: row for row in found["operators"]}  # type: ignore[attr-defined]
    assert rows[":If:11"]["models"] == [str(CONTROL)]
    assert rows["com.microsoft:FusedConv:1"]["models"] == [str(RUNTIME)]
    quantize = rows[":QuantizeLinear:10"]
    assert quantize["types"] == {"outputs": {"0": ["uint8_t"]}}
    assert quantize["types_by_model"] == {str(RUNTIME): {"outputs": {"0": ["uint8_t"]}}}


def test_from_onnx_fused_operators_are_said_to_be_missing_in_the_config_too() -> None:
    found = needs([CNN], types=True)
    assert codes(found) == ["from-onnx", "types-not-known"]
    assert "# For cnn.onnx (ONNX: operators that fusion makes are missing)" in found.text()
    assert codes(needs([CNN], types=False)) == ["from-onnx"]


def test_what_a_build_would_refuse_or_upstream_would_stop_at_is_said() -> None:
    assert codes(needs([OLD], types=False)) == ["older-than-format-5"]
    assert codes(needs([INT4], types=True)) == ["types-beyond-upstream"]
    assert codes(needs([RUNTIME], types=False)) == ["replay-counted-in"]


def test_a_folder_stands_for_the_models_in_it(tmp_path: Path) -> None:
    for name in ("b/one.ort", ".hidden/two.ort", "three.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(CONTROL, tmp_path / name)
    shutil.copy(CNN, tmp_path / "four.ONNX")
    shutil.copy(CNN, tmp_path / "five.optimized.onnx")
    (tmp_path / "six.config").write_text("ai.onnx;1;Relu")
    found = needs([tmp_path], types=False)
    assert [row.source.name for row in found.rows] == ["one.ort", "four.ONNX"]
    found = needs([tmp_path], types=False, configs=True)
    assert [row.source.name for row in found.rows] == ["one.ort", "four.ONNX", "six.config"]


def test_what_cannot_be_read_is_named_in_the_config_and_in_its_row(tmp_path: Path) -> None:
    broken, target = tmp_path / "broken.ort", tmp_path / "o.config"
    broken.write_bytes(CONTROL.read_bytes()[:500])
    found = write(needs([CONTROL, broken], types=False), target)
    assert (found.exit_code, [row.error is None for row in found.rows]) == (1, [True, False])
    assert "# Not covered: broken.ort" in target.read_text()
    assert [len(row.outputs) for row in found.rows] == [1, 0]


def test_of_nothing_that_could_be_read_no_config_is_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    target = tmp_path / "o.config"
    missing = write(needs([tmp_path / "none.ort"], types=False), target)
    empty = write(needs([tmp_path / "empty"], types=False), target)
    assert (missing.exit_code, empty.exit_code) == (3, 1)
    assert [row.error.message for row in empty.rows if row.error] == ["The folder holds no model"]
    assert not target.exists()


def test_a_config_replaces_nothing_unasked_and_never_a_source(tmp_path: Path) -> None:
    target, model = tmp_path / "o.config", tmp_path / "m.ort"
    target.write_text("precious")
    shutil.copy(CONTROL, model)
    with pytest.raises(RefusedError, match="exists already"):
        write(needs([model], types=False), target)
    with pytest.raises(RefusedError, match="very file"):
        write(needs([model], types=False), model, overwrite=True)
    assert target.read_text() == "precious"
    write(needs([model], types=False), target, overwrite=True)
    assert upstream_config.operators(target)


def test_configs_and_models_are_merged_with_the_types_of_each(tmp_path: Path) -> None:
    part, target = tmp_path / "part.config", tmp_path / "o.config"
    part.write_text('ai.onnx;10;QuantizeLinear{"outputs": {"0": ["int8_t"]}}\nai.onnx;1;Sin')
    found = write(needs([part, RUNTIME], types=False, configs=True), target)
    both = {"outputs": {"0": ["int8_t", "uint8_t"]}}
    assert upstream_config.types(target, "ai.onnx:QuantizeLinear") == both
    assert upstream_config.types(target, "ai.onnx:Sin") is None
    assert found.exit_code == 0


def test_a_merged_config_that_a_build_would_read_otherwise_is_told(tmp_path: Path) -> None:
    part = tmp_path / "part.config"
    part.write_text(
        'ai.onnx;10;Cast{"inputs": {"0": ["float"]}}\nai.onnx;13;Cast{"inputs": {"0": ["double"]}}'
    )
    found = needs([part], types=False, configs=True)
    assert codes(found) == ["types-overridden"]
    assert "Cast in line 1" in found.rows[0].notes[0].message
    assert '{"inputs": {"0": ["double", "float"]}}' in found.text()
    part.write_text("# nothing")
    assert codes(needs([part], types=False, configs=True)) == ["no-operators"]


def test_what_is_neither_model_nor_config_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.config").write_text("ai.onnx;1")
    (tmp_path / "b.config").write_bytes(b"\x00\xff" * 40)
    found = needs([tmp_path / "a.config", tmp_path / "b.config"], types=False, configs=True)
    first, second = (row.error for row in found.rows)
    assert first is not None
    assert first.where.field == "line 1, column 10"
    assert second is not None
    assert found.exit_code == 3
