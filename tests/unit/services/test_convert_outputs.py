"""Which files a plan names, and what it says of them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import onnx
import pytest

from ortstudio.errors import RefusedError
from ortstudio.jobs import platform
from ortstudio.services.convert_outputs import Role
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target
from tests.builders.onnx_files import FLOAT, identity, value

BOTH = (Style.FIXED, Style.RUNTIME)


def saved(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(identity(value("x", FLOAT, ["n"])), path)
    return path


def names(planned: ConvertPlan) -> list[str]:
    return [output.path.name for row in planned.sources for output in row.outputs]


def test_a_model_has_six_results_each_with_a_purpose(tmp_path: Path) -> None:
    settings = ConvertSettings(styles=BOTH, optimized_onnx=True)
    planned = plan([saved(tmp_path / "m.onnx")], settings)
    assert names(planned) == [
        "m.ort",
        "m.optimized.onnx",
        "m.required_operators.config",
        "m.with_runtime_opt.ort",
        "m.with_runtime_opt.optimized.onnx",
        "m.required_operators.with_runtime_opt.config",
    ]
    outputs = planned.sources[0].outputs
    assert [output.role for output in outputs] == [
        Role.FIXED, Role.OPTIMIZED_ONNX, Role.CONFIG,
        Role.RUNTIME, Role.OPTIMIZED_ONNX, Role.CONFIG,
    ]  # fmt: skip
    purposes = [output.purpose for output in outputs]
    assert len(set(purposes)) == 6
    assert "for the CPU" in purposes[0]
    assert "an accelerator may take nodes" in purposes[3]
    assert "fused where the .ort beside it holds the single nodes" in purposes[4]
    assert "whether its recorded optimizations are applied or not" in purposes[5]


def test_level_and_types_stand_in_the_names(tmp_path: Path) -> None:
    settings = ConvertSettings(
        level=Level.BASIC, styles=BOTH, optimized_onnx=True, type_reduction=True
    )
    assert names(plan([saved(tmp_path / "m.onnx")], settings)) == [
        "m.basic.ort",
        "m.basic.optimized.onnx",
        "m.required_operators_and_types.basic.config",
        "m.basic.with_runtime_opt.ort",
        "m.basic.with_runtime_opt.optimized.onnx",
        "m.required_operators_and_types.basic.with_runtime_opt.config",
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (ConvertSettings(), "for the CPU: all optimizations"),
        (ConvertSettings(level=Level.DISABLE), "as the source has it"),
        (ConvertSettings(target=Target.AMD64), "any node in the blocked layout fits only x64 CPUs"),
        (ConvertSettings(target=Target.AMD64, level=Level.BASIC), "for the CPU: all optimizations"),
        (ConvertSettings(target=Target.ARM), "for the CPU: all optimizations"),
    ],
)
def test_the_purpose_of_the_fixed_model_goes_with_the_choices(
    settings: ConvertSettings, words: str, tmp_path: Path
) -> None:
    assert words in plan([saved(tmp_path / "m.onnx")], settings).sources[0].outputs[0].purpose


def test_what_would_be_replaced_is_pointed_out(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    (tmp_path / "m.required_operators.config").write_text("old")
    refusal = plan([source], ConvertSettings()).sources[0].refusal
    assert isinstance(refusal, RefusedError)
    assert refusal.where.path == str(tmp_path / "m.required_operators.config")
    outputs = plan([source], ConvertSettings(overwrite=True)).sources[0].outputs
    assert [output.replaces for output in outputs] == [False, True]


def test_a_folder_has_one_config_for_all_its_models(tmp_path: Path) -> None:
    for name in ("a.onnx", "sub/b.onnx"):
        saved(tmp_path / "in" / name)
    planned = plan([tmp_path / "in"], ConvertSettings(styles=BOTH, output_dir=str(tmp_path)))
    assert [output.role for row in planned.sources for output in row.outputs] == [
        Role.FIXED, Role.RUNTIME, Role.FIXED, Role.RUNTIME
    ]  # fmt: skip
    assert [output.path for output in planned.configs] == [
        tmp_path / "required_operators.config",
        tmp_path / "required_operators.with_runtime_opt.config",
    ]
    assert plan([tmp_path / "in"], ConvertSettings(write_config=False)).configs == ()


def test_a_folder_of_which_nothing_can_be_converted_has_no_config(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"<html>")
    assert plan([tmp_path], ConvertSettings()).configs == ()


def test_skipped_files_have_their_reason(tmp_path: Path) -> None:
    saved(tmp_path / "m.onnx")
    saved(tmp_path / "m.Optimized.ONNX")
    (tmp_path / "notes.txt").write_text("x")
    saved(tmp_path / ".ortstudio-1.part" / "left.onnx")
    skipped = {one.path.name: one.reason for one in plan([tmp_path], ConvertSettings()).skipped}
    assert skipped == {
        "m.Optimized.ONNX": "named as the optimized graph that an earlier conversion saved",
        "notes.txt": "not named .onnx",
    }


def test_weights_of_a_model_are_not_called_skipped(corpus: Path, tmp_path: Path) -> None:
    for name in ("extdata.onnx", "extdata.bin"):
        (tmp_path / name).write_bytes((corpus / "sources" / name).read_bytes())
    assert plan([tmp_path], ConvertSettings()).skipped == ()


def test_what_is_named_itself_is_not_skipped(tmp_path: Path) -> None:
    (row,) = plan([saved(tmp_path / "m.optimized.onnx")], ConvertSettings()).sources
    assert row.refusal is None


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path / f"{'a' * 240}.onnx")
    refusal = plan([source], ConvertSettings()).sources[0].refusal
    assert refusal is not None
    assert "too long: it has 266 bytes, 255 may be" in refusal.message
    assert plan([source], ConvertSettings(write_config=False)).sources[0].refusal is None


def test_a_folder_that_nothing_can_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved(tmp_path / "m.onnx")
    settings = ConvertSettings(output_dir=str(tmp_path / "not" / "yet"))
    assert plan([source], settings).sources[0].refusal is None
    monkeypatch.setattr(os, "access", lambda *_arguments: False)
    refusal = plan([source], settings).sources[0].refusal
    assert refusal is not None
    assert refusal.message == "There is no permission to write here"
    assert refusal.where.path == str(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    settings = ConvertSettings(output_dir=str(source / "out"))
    refusal = plan([source], settings).sources[0].refusal
    assert refusal is not None
    assert "it is not a folder" in refusal.message


def clash(tmp_path: Path, *files: str) -> ConvertPlan:
    paths = [saved(tmp_path / name) for name in files]
    settings = ConvertSettings(output_dir=str(tmp_path / "out"))
    return plan(paths, settings)


def test_names_that_differ_by_case_alone_are_told_where_both_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "case_matters", lambda _folder: True)
    first, second = clash(tmp_path, "a/model.onnx", "b/Model.onnx").sources
    assert (first.refusal, first.notes) == (None, ())
    assert second.refusal is None
    assert [note.code for note in second.notes] == ["name-differs-by-case"] * 2
    assert "Model.ort and model.ort differ by letter case only" in second.notes[0].message


def test_names_that_differ_by_case_alone_clash_where_only_one_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "case_matters", lambda _folder: False)
    first, second = clash(tmp_path, "a/model.onnx", "b/Model.onnx").sources
    assert first.refusal is None
    assert isinstance(second.refusal, RefusedError)
    assert "has the same name, Model.ort" in second.refusal.message


@pytest.mark.skipif(sys.platform == "win32", reason="names are made of other characters there")
def test_names_in_two_forms_of_unicode_are_told(tmp_path: Path) -> None:
    _, second = clash(tmp_path, "a/caf\u00e9.onnx", "b/cafe\u0301.onnx").sources
    assert second.refusal is not None or second.notes


def test_a_result_may_not_replace_another_source(tmp_path: Path) -> None:
    paths = [saved(tmp_path / "m.onnx"), saved(tmp_path / "m.optimized.onnx")]
    settings = ConvertSettings(optimized_onnx=True, overwrite=True)
    first, second = plan(paths, settings).sources
    assert isinstance(first.refusal, RefusedError)
    assert "m.optimized.onnx would replace a source" in first.refusal.message
    assert second.refusal is None


def test_a_dry_run_answers_in_json(tmp_path: Path) -> None:
    paths = [saved(tmp_path / "m.onnx"), tmp_path / "none.onnx"]
    answer = json.loads(json.dumps(plan(paths, ConvertSettings()).to_json(), allow_nan=False))
    assert (answer["schema"], answer["dry_run"]) == ("ortstudio/convert@1", True)
    assert (answer["ok"], answer["converted"], answer["failed"]) == (False, 0, 1)
    first, second = answer["results"]
    assert first["outputs"][0] == {
        "path": str(tmp_path / "m.ort"),
        "role": "fixed",
        "size_bytes": None,
        "purpose": "for the CPU: all optimizations of the level are applied",
        "replaces": False,
    }
    assert (first["ok"], first["verified"], first["notes"], first["error"]) == (
        True,
        None,
        [],
        None,
    )
    assert first["verify_skipped"]
    assert (second["ok"], second["outputs"]) == (False, [])
    assert second["error"]["kind"] == "missing"


@pytest.mark.parametrize(
    ("files", "code"), [(["m.onnx"], 0), (["m.onnx", "none.onnx"], 1), (["none.onnx"], 3)]
)
def test_the_exit_code_of_a_dry_run_is_that_of_the_run(
    files: list[str], code: int, tmp_path: Path
) -> None:
    saved(tmp_path / "m.onnx")
    assert plan([tmp_path / name for name in files], ConvertSettings()).exit_code == code
