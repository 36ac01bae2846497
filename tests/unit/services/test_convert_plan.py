from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ortstudio.errors import ChangedError, FormatError, MissingError, RefusedError, UsageError
from ortstudio.model.model import FileKind
from ortstudio.services.convert_outputs import output_name
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.verify import Verification
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value

ORT_FILE = "v6_ort1.32.0_cnn_runtime_all.ort"


def saved(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(identity(value("x", FLOAT, ["n"])), path)
    return path


def planned(path: Path, settings: ConvertSettings | None = None) -> PlannedSource:
    (row,) = plan([path], settings or ConvertSettings()).sources
    return row


@pytest.mark.parametrize(
    ("source", "level", "style", "name"),
    [
        ("m.onnx", Level.ALL, Style.FIXED, "m.ort"),
        ("m.onnx", Level.BASIC, Style.FIXED, "m.basic.ort"),
        ("m.onnx", Level.ALL, Style.RUNTIME, "m.with_runtime_opt.ort"),
        ("m.onnx", Level.LAYOUT, Style.RUNTIME, "m.layout.with_runtime_opt.ort"),
        ("M.ONNX", Level.DISABLE, Style.FIXED, "M.disable.ort"),
        ("v1.5.onnx", Level.ALL, Style.FIXED, "v1.5.ort"),
        ("v1.5", Level.ALL, Style.FIXED, "v1.5.ort"),
        ("m", Level.EXTENDED, Style.FIXED, "m.extended.ort"),
        ("wrong.ort", Level.ALL, Style.FIXED, "wrong.ort"),
        (".onnx", Level.ALL, Style.FIXED, ".onnx.ort"),
    ],
)
def test_results_are_named_as_upstream_names_them(
    source: str, level: Level, style: Style, name: str
) -> None:
    assert output_name(Path("folder", source), level, style) == name


def test_results_go_beside_the_source_or_where_they_are_wanted(tmp_path: Path) -> None:
    source = saved(tmp_path / "in" / "m.onnx")
    alone = ConvertSettings(write_config=False)
    assert [o.path for o in planned(source, alone).outputs] == [tmp_path / "in" / "m.ort"]
    both = replace(alone, output_dir=str(tmp_path / "out"), styles=(Style.FIXED, Style.RUNTIME))
    assert [o.path.relative_to(tmp_path).as_posix() for o in planned(source, both).outputs] == [
        "out/m.ort",
        "out/m.with_runtime_opt.ort",
    ]
    assert not (tmp_path / "out").exists()


def test_a_folder_stands_for_its_models_and_keeps_its_shape(tmp_path: Path) -> None:
    for name in ("a.onnx", "sub/b.ONNX", "sub/c.optimized.onnx", "sub/d.txt"):
        saved(tmp_path / "in" / name)
    settings = ConvertSettings(output_dir=str(tmp_path / "out"))
    rows = plan([tmp_path / "in"], settings).sources
    assert [row.outputs[0].path.relative_to(tmp_path).as_posix() for row in rows] == [
        "out/a.ort",
        "out/sub/b.ort",
    ]


def test_a_folder_without_models_is_refused(tmp_path: Path) -> None:
    refusal = planned(tmp_path).refusal
    assert isinstance(refusal, RefusedError)
    assert "no .onnx" in refusal.message


def test_what_is_not_there_is_missing(tmp_path: Path) -> None:
    row = planned(tmp_path / "none.onnx")
    assert isinstance(row.refusal, MissingError)
    assert row.refusal.where.path == str(tmp_path / "none.onnx")
    assert not row.opened


@pytest.mark.parametrize("content", [b"", b"<html>", b"\x08\x08rubbish"])
def test_what_is_no_model_is_a_format_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.onnx").write_bytes(content)
    row = planned(tmp_path / "m.onnx")
    assert isinstance(row.refusal, FormatError)
    assert not row.opened


def test_a_damaged_model_is_refused_before_anything_runs(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    source.write_bytes(source.read_bytes()[:-3])
    assert isinstance(planned(source).refusal, FormatError)


@pytest.mark.parametrize("name", ["m.onnx", "m", "m.ort"])
def test_an_ort_model_is_refused_by_content(tmp_path: Path, corpus: Path, name: str) -> None:
    (tmp_path / name).write_bytes((corpus / ORT_FILE).read_bytes())
    row = planned(tmp_path / name)
    assert isinstance(row.refusal, RefusedError)
    assert "already is an ORT-format model, version 6" in row.refusal.message
    assert row.opened


def test_an_onnx_model_named_ort_is_accepted_into_another_folder_only(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.ort")
    for overwrite in (False, True):
        refusal = planned(source, ConvertSettings(overwrite=overwrite)).refusal
        assert isinstance(refusal, RefusedError)
        assert "made from" in refusal.message
    assert planned(source, ConvertSettings(output_dir=str(tmp_path / "out"))).refusal is None


def test_an_existing_result_is_replaced_only_when_asked(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    (tmp_path / "m.ort").write_bytes(b"old")
    refusal = planned(source).refusal
    assert isinstance(refusal, RefusedError)
    assert "exists" in refusal.message
    assert planned(source, ConvertSettings(overwrite=True)).refusal is None


def test_a_folder_in_the_way_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    (tmp_path / "m.ort").mkdir()
    assert planned(source, ConvertSettings(overwrite=True)).refusal is not None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_broken_link_in_the_way_is_refused(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    (tmp_path / "m.ort").symlink_to(tmp_path / "nowhere")
    assert planned(source).refusal is not None


def test_a_result_may_not_replace_the_weights_it_is_made_from(tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="m.ort")
    node = helper.make_node("Add", ["x", "w"], ["y"])
    onnx.save(onnx_model([node], [value("x")], [value("y")], [tensor]), tmp_path / "m.onnx")
    (tmp_path / "m.ort").write_bytes(bytes(8))
    refusal = planned(tmp_path / "m.onnx", ConvertSettings(overwrite=True)).refusal
    assert isinstance(refusal, RefusedError)
    assert "made from" in refusal.message


def test_two_sources_may_not_write_the_same_result(tmp_path: Path) -> None:
    paths = [saved(tmp_path / "a" / "m.onnx"), saved(tmp_path / "b" / "m.onnx")]
    settings = ConvertSettings(output_dir=str(tmp_path / "out"))
    first, second = plan(paths, settings).sources
    assert first.refusal is None
    assert isinstance(second.refusal, RefusedError)
    assert str(paths[0]) in second.refusal.message


def test_a_custom_operator_library_must_be_there(tmp_path: Path) -> None:
    settings = ConvertSettings(custom_ops=str(tmp_path / "none.so"))
    with pytest.raises(MissingError) as caught:
        planned(saved(tmp_path / "m.onnx"), settings)
    assert caught.value.where.path == str(tmp_path / "none.so")


CHOICES = [
    (ConvertSettings(fixed_dims={"batch": 2}), "symbolic size named batch"),
    (ConvertSettings(inputs=InputSettings(dims={"batch": 2})), "open size named batch"),
    (ConvertSettings(inputs=InputSettings(ranges={"ids": (0, 9)})), "input named ids"),
]


@pytest.mark.parametrize(("settings", "words"), CHOICES)
def test_what_no_source_has_is_a_wrong_command_line(
    settings: ConvertSettings, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"The model has no {words}"):
        planned(saved(tmp_path / "m.onnx"), settings)
    (tmp_path / "broken.onnx").write_bytes(b"")
    with pytest.raises(UsageError, match=f"The models have no {words}"):
        plan([tmp_path], settings)


@pytest.mark.parametrize("settings", [settings for settings, _ in CHOICES])
def test_what_some_source_has_is_chosen_for_that_one(
    settings: ConvertSettings, tmp_path: Path
) -> None:
    has, lacks = tmp_path / "has.onnx", saved(tmp_path / "lacks.onnx")
    onnx.save(identity(value("ids", FLOAT, ["batch"])), has)
    rows = plan([lacks, has], settings).sources
    assert [row.refusal for row in rows] == [None, None]
    assert [dict(row.settings.fixed_dims) for row in rows] == [{}, dict(settings.fixed_dims)]
    used = [row.verification.inputs.settings for row in rows]  # type: ignore[union-attr]
    assert used[0] == InputSettings()
    assert used[1].ranges == settings.inputs.ranges
    assert used[1].dims == {**settings.inputs.dims, **settings.fixed_dims}
    codes = [[note.code for note in row.notes] for row in rows]
    assert codes == [["size-not-there"] if settings.fixed_dims else [], []]


def test_a_name_is_not_looked_for_where_no_source_can_be_read(tmp_path: Path) -> None:
    row = planned(tmp_path / "none.onnx", ConvertSettings(fixed_dims={"batch": 2}))
    assert isinstance(row.refusal, MissingError)


def test_inputs_that_cannot_be_made_only_skip_verification(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    assert isinstance(planned(source).verification, Verification)
    model = onnx.load(source)
    model.graph.input[0].ClearField("type")
    onnx.save(model, source)
    row = planned(source)
    assert row.refusal is None
    assert row.verification == "The model does not say what type its input x has"
    assert planned(source, ConvertSettings(verify=False)).verification == (
        "Verification was switched off"
    )


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    source = saved(tmp_path / "m.onnx")
    row = planned(source)
    row.check_unchanged()
    os.utime(source, ns=(0, 0))
    with pytest.raises(ChangedError):
        row.check_unchanged()
    source.unlink()
    with pytest.raises(ChangedError):
        row.check_unchanged()


def test_changed_weights_are_noticed(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    weights = onnx.numpy_helper.from_array(np.ones(2, np.float32), "w")
    model = onnx_model([node], [value("x")], [value("y")], [weights])
    onnx.save(
        model, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0
    )
    row = planned(tmp_path / "m.onnx")
    (tmp_path / "w.bin").write_bytes(bytes(9))
    with pytest.raises(ChangedError) as caught:
        row.check_unchanged()
    assert caught.value.where.path == str(tmp_path / "w.bin")


@pytest.mark.parametrize(
    ("level", "target", "disabled"),
    [
        (Level.ALL, None, ["NchwcTransformer"]),
        (Level.LAYOUT, Target.ARM, ["NchwcTransformer"]),
        (Level.ALL, Target.AMD64, []),
        (Level.EXTENDED, None, []),
    ],
)
def test_the_blocked_layout_is_for_amd64_alone(
    level: Level, target: Target | None, disabled: list[str]
) -> None:
    settings = ConvertSettings(level=level, target=target)
    saving = settings.saving_session(Path("m.onnx"), Style.FIXED).to_json()
    assert saving["disabled_optimizers"] == disabled
    more = replace(settings, disabled_optimizers=("Other",))
    saving = more.saving_session(Path("m.onnx"), Style.FIXED).to_json()
    assert saving["disabled_optimizers"] == [*disabled, "Other"]


def test_sessions_are_those_of_the_upstream_converter() -> None:
    settings = ConvertSettings(
        target=Target.ARM, custom_ops="ops.so", fixed_dims={"n": 2}, providers=("P",)
    )
    path = Path("folder", "m.onnx")
    saving = settings.saving_session(path, Style.RUNTIME).to_json()
    assert saving == {
        "model": str(path.absolute()),
        "level": "all",
        "config": {
            "session.load_model_format": "ONNX",
            "session.save_model_format": "ORT",
            "session.qdqisint8allowed": "1",
            "optimization.minimal_build_optimizations": "save",
        },
        "disabled_optimizers": ["NchwcTransformer"],
        "custom_ops": str(Path("ops.so").absolute()),
        "free_dims": {"n": 2},
        "providers": ["P"],
        "threads": None,
    }
    running = settings.running_session(path, FileKind.ORT, Style.FIXED).to_json()
    assert running["config"] == {
        "session.load_model_format": "ORT",
        "session.qdqisint8allowed": "1",
    }
    assert running["free_dims"] == {}


@pytest.mark.parametrize(
    ("level", "style", "expected"),
    [
        (Level.ALL, Style.FIXED, "all"),
        (Level.ALL, Style.RUNTIME, "basic"),
        (Level.DISABLE, Style.RUNTIME, "disable"),
    ],
)
def test_a_model_runs_at_the_level_that_its_graph_has(
    level: Level, style: Style, expected: str
) -> None:
    settings = ConvertSettings(level=level)
    session = settings.running_session(Path("m.onnx"), FileKind.ONNX, style)
    assert session.to_json()["level"] == expected


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is Unicode")
def test_a_name_that_is_no_unicode_is_refused_before_anything_runs(tmp_path: Path) -> None:
    source = saved(tmp_path / "bad\udcff" / "m.onnx")
    refusal = planned(source).refusal
    assert isinstance(refusal, RefusedError)
    assert refusal.message == "ONNX Runtime cannot open a path that is not valid Unicode"
