"""`ortstudio ops` from the outside: the matrix, the config, the answer, exit codes."""

from __future__ import annotations

from pathlib import Path

from tests.builders.knowledge import CORPUS
from tests.e2e.command import ortstudio
from tests.oracles import upstream_config

CONTROL = CORPUS / "v6_ort1.32.0_control_fixed_disable.ort"
CNN = CORPUS / "sources" / "cnn.onnx"


def test_the_matrix_the_notes_and_the_config_are_shown() -> None:
    done = ortstudio("ops", CONTROL, CNN, "--types")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("14 operators of 2 sources")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["ai.onnx", "9", "Greater", "1", "·", "input", "0", "int64_t"] in lines
    assert ["ai.onnx", "11", "Conv", "·", "2"] in lines
    assert "the version that introduced that form of the operator" in done.out
    assert "ONNX Runtime fuses operators" in done.out
    assert "  ai.onnx;11;Conv,Flatten,Gemm,If,Loop,Scan\n" in done.out


def test_the_answer_in_json_has_every_key_and_the_config_is_upstreams(tmp_path: Path) -> None:
    target = tmp_path / "made" / "o.config"
    done = ortstudio("ops", CONTROL, "--types", "-o", target, "--json")
    assert (done.code, done.err) == (0, "")
    answer = done.json
    assert (answer["schema"], answer["ok"]) == ("ortstudio/ops@1", True)
    assert (answer["converted"], answer["failed"]) == (1, 0)
    (row,) = answer["results"]
    size = target.stat().st_size
    assert row["outputs"] == [{"path": str(target), "role": "config", "size_bytes": size}]
    assert row["verified"] is None
    assert row["verify_skipped"]
    assert all(one.keys() >= {"op_id", "types", "models"} for one in answer["operators"])
    theirs = upstream_config.written([CONTROL], tmp_path, types=True)
    assert upstream_config.lines(target.read_text()) == theirs


def test_one_failed_input_makes_the_exit_code_one_and_none_that_opened_three(
    tmp_path: Path,
) -> None:
    missing, target = tmp_path / "none.ort", tmp_path / "o.config"
    partly = ortstudio("ops", CONTROL, missing, "-o", target)
    assert partly.code == 1
    assert "There is no such file" in partly.err
    assert "# Not covered: none.ort" in target.read_text()
    assert ortstudio("ops", missing, "-o", tmp_path / "other.config").code == 3
    assert not (tmp_path / "other.config").exists()


def test_configs_merge_into_one(tmp_path: Path) -> None:
    for name, kind in (("a", "int32_t"), ("b", "int64_t")):
        text = f'ai.onnx;11;ReduceProd{{"inputs": {{"0": ["{kind}"]}}}}'
        (tmp_path / f"{name}.config").write_text(text)
    done = ortstudio("ops", "merge", "a.config", "b.config", "-o", "c.config", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "ReduceProd  1 2  input 0 int32_t or int64_t" in done.out
    both = {"inputs": {"0": ["int32_t", "int64_t"]}}
    assert upstream_config.types(tmp_path / "c.config", "ai.onnx:ReduceProd") == both


def test_a_model_named_merge_is_given_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "merge").write_bytes(CONTROL.read_bytes())
    assert ortstudio("ops", "./merge", cwd=tmp_path).code == 0
    assert ortstudio("ops", "merge", cwd=tmp_path).code == 2


def test_the_flags_of_a_build_are_told_with_their_reasons(tmp_path: Path) -> None:
    runtime = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"
    done = ortstudio("ops", "flags", runtime, "-o", tmp_path / "o.config")
    assert (done.code, done.err) == (0, "")
    assert "--minimal_build extended" in done.out
    assert "replays saved optimizations" in done.out
    assert "  --minimal_build extended --include_ops_by_config o.config" in done.out
    assert (tmp_path / "o.config").exists()


def test_contradictions_make_the_answer_a_no() -> None:
    done = ortstudio(
        "ops", "flags", CONTROL, CNN, "--given", "--minimal_build --use_nnapi", "--json"
    )
    assert done.code == 1
    answer = done.json
    assert answer["schema"] == "ortstudio/ops@1"
    assert answer["build_flags"].startswith("--minimal_build --include_ops_by_config ops.config")
    assert all(flag.keys() == {"flag", "arguments", "reason", "models"} for flag in answer["flags"])
    assert [one["models"] for one in answer["contradictions"]] == [["cnn.onnx"], []]


def test_flags_that_contradict_nothing_are_said_to() -> None:
    done = ortstudio("ops", "flags", CONTROL, "--given=--minimal_build")
    assert done.code == 0
    assert "--minimal_build: nothing here speaks against them." in done.out
    apart = ortstudio("ops", "flags", CONTROL, "--given", "--minimal_build")
    assert apart.code == 2
    assert "begins with - is written as OPTION=VALUE" in apart.err


def test_options_of_flags_stand_alone_nowhere_else() -> None:
    assert ortstudio("ops", CONTROL, "--given", "--minimal_build x").code == 2
    assert ortstudio("ops", "flags").code == 2


def test_a_config_where_a_model_is_due_is_told_where_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "a.config").write_text("ai.onnx;14;Relu\n")
    done = ortstudio("ops", "a.config", cwd=tmp_path)
    assert (done.code, done.out) == (3, "")
    assert "This is an operator config, not a model (a.config). `ortstudio ops merge`" in done.err
