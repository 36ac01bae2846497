"""`ortstudio check` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.knowledge import CORPUS
from tests.e2e.command import ortstudio

CONTROL = CORPUS / "v6_ort1.32.0_control_fixed_disable.ort"
INT4 = CORPUS / "v6_ort1.32.0_int4_fixed_disable.ort"
CNN = CORPUS / "sources" / "cnn.onnx"


def test_a_sound_file_is_answered_with_yes() -> None:
    done = ortstudio("check", CONTROL)
    assert (done.code, done.err) == (0, "")
    assert "  sound               no errors" in done.out.splitlines()
    assert "portable" in done.out


def test_the_answer_in_json_has_every_key(tmp_path: Path) -> None:
    config = tmp_path / "o.config"
    config.write_text("ai.onnx;7;Add\nai.onnx;14;Relu")
    done = ortstudio("check", CONTROL, "--config", config, "--json")
    assert done.code == 1
    answer = done.json
    assert (answer["schema"], answer["ok"], answer["runtime"]) == ("ortstudio/check@1", False, None)
    assert all(one.keys() >= {"severity", "code", "message"} for one in answer["findings"])
    assert answer["portability"].keys() == {"verdict", "reasons"}
    found = answer["config"]
    assert found["covered"] is False
    rows = {row["op_id"]: row for row in found["missing"]}
    assert ":Add:7" not in rows
    assert rows[":If:11"] == {
        "op_id": ":If:11",
        "types": None,
        "nodes": [{"graph": "/", "index": 0}, {"graph": "/loop/body", "index": 1}],
        "on_replay": False,
    }
    assert found["unused"] == [{"op_id": ":Relu:14", "line": 2}]
    assert found["notes"] == []


def test_of_an_onnx_model_it_is_said_that_fused_operators_are_not_looked_at(
    tmp_path: Path,
) -> None:
    config = tmp_path / "o.config"
    config.write_text("!no_ops_specified_means_all_ops_are_required")
    answer = ortstudio("check", CNN, "--config", config, "--json").json
    assert answer["config"]["covered"] is True
    assert [note["code"] for note in answer["config"]["notes"]] == ["from-onnx"]


def test_of_an_operator_that_replay_makes_it_is_said_where(tmp_path: Path) -> None:
    model = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"
    config = tmp_path / "o.config"
    assert ortstudio("ops", model, "-o", config).code == 0
    lines = config.read_text().splitlines(keepends=True)
    config.write_text("".join(line for line in lines if "FusedConv" not in line))
    done = ortstudio("check", model, "--config", config)
    assert done.code == 1
    assert "lacks 1 operator or its types" in done.out
    assert "the operator, when saved optimizations are replayed at 1 node (#" in done.out


def test_a_config_made_for_a_model_covers_it(tmp_path: Path) -> None:
    config = tmp_path / "o.config"
    assert ortstudio("ops", CONTROL, "--types", "-o", config).code == 0
    done = ortstudio("check", CONTROL, "--config", config)
    assert done.code == 0
    assert "a build by it has all operators and types" in done.out


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (INT4.read_bytes(), 1, "not sound"),
        (CONTROL.read_bytes()[:3000], 1, "not sound"),
        (b"\x08\0\0\0ORTM", 1, "No node can be read"),
        (CNN.read_bytes()[:4000], 1, "not sound"),
        (b"<html><body>not found</body></html>", 3, "web page"),
        (b"", 3, "empty"),
        (None, 3, "no such file"),
    ],
)
def test_a_file_of_a_known_kind_is_answered_and_any_other_is_an_error(
    content: bytes | None, code: int, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.ort"
    if content is not None:
        path.write_bytes(content)
    done = ortstudio("check", path)
    assert done.code == code
    assert words in done.out + done.err


def test_of_a_damaged_file_it_is_not_known_whether_a_config_covers_it(tmp_path: Path) -> None:
    config, model = tmp_path / "o.config", tmp_path / "m.ort"
    config.write_text("!no_ops_specified_means_all_ops_are_required")
    for content in (CONTROL.read_bytes()[:3000], b"\x08\0\0\0ORTM"):
        model.write_bytes(content)
        done = ortstudio("check", model, "--config", config, "--json")
        assert (done.code, done.json["config"]["covered"]) == (1, None)


def test_a_config_that_is_none_is_an_error_with_its_place(tmp_path: Path) -> None:
    config = tmp_path / "o.config"
    config.write_text("ai.onnx;seven;Add")
    done = ortstudio("check", CONTROL, "--config", config)
    assert done.code == 3
    assert "line 1, column 9" in done.err
