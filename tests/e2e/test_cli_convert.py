"""`ortstudio convert` from the outside: exit codes, the answer, the terminal, Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.command import on_terminal, ortstudio

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="signals and terminals as POSIX has them"
)
SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "keyword_spotting.onnx"


def small(path: Path, *ops: str) -> Path:
    """A chain of unary nodes."""
    names = [f"v{i}" for i in range(len(ops))] + ["out"]
    nodes = [helper.make_node(op, [names[i]], [names[i + 1]]) for i, op in enumerate(ops)]
    ends = value("v0", FLOAT, ["n", 3]), value("out", FLOAT, ["n", 3])
    onnx.save(onnx_model(nodes, ends[:1], ends[1:], opset=17), path)
    return path


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_model_is_converted_beside_itself_and_proved(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu", "Exp")
    done = ortstudio("convert", source)
    assert (done.code, done.err) == (0, "")
    assert f"{tmp_path / 'm.ort'}  " in done.out
    assert "verified: outputs agree with the source's" in done.out
    assert "seed 0, n = 1" in done.out
    assert ortstudio("inspect", tmp_path / "m.ort").code == 0
    assert listing(tmp_path) == ["m.onnx", "m.ort", "m.required_operators.config"]


def test_the_answer_in_json_has_every_key(tmp_path: Path) -> None:
    source, out = small(tmp_path / "m.onnx", "Relu"), tmp_path / "made" / "here"
    done = ortstudio(
        "convert", source, "-o", out, "--level", "basic", "--style", "both", "--json",
        "--dim", "n=5", "--range", "v0=-2:3", "--seed", "9", "--rtol", "0.01", "--atol", "0",
    )  # fmt: skip
    assert done.code == 0
    answer = done.json
    (row,) = answer["results"]
    assert (answer["schema"], answer["ok"]) == ("ortstudio/convert@1", True)
    assert (answer["converted"], answer["failed"]) == (1, 0)
    assert [(Path(output["path"]).name, output["role"]) for output in row["outputs"]] == [
        ("m.basic.ort", "fixed"),
        ("m.required_operators.basic.config", "config"),
        ("m.basic.with_runtime_opt.ort", "runtime"),
        ("m.required_operators.basic.with_runtime_opt.config", "config"),
    ]
    assert all(Path(o["path"]).stat().st_size == o["size_bytes"] for o in row["outputs"])
    assert all(o["purpose"] for o in row["outputs"])
    verified = row["verified"]
    assert (verified["agrees"], verified["seed"]) == (True, 9)
    assert (verified["rtol"], verified["atol"]) == (0.01, 0.0)
    assert verified["inputs"]["v0"]["type"] == "tensor(float)[5,3]"
    assert "-2" in verified["inputs"]["v0"]["values"]
    assert row["verify_skipped"] is None
    assert row["error"] is None


def test_a_dry_run_tells_and_writes_nothing(tmp_path: Path) -> None:
    good, bad = small(tmp_path / "m.onnx", "Relu"), tmp_path / "page.onnx"
    bad.write_text("<!DOCTYPE html><html></html>")
    small(tmp_path / "old.optimized.onnx", "Relu")
    done = ortstudio("convert", good, "--dry-run", "--style", "both", "--overwrite")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith(f"would write {tmp_path / 'm.ort'}  for the CPU")
    assert len(lines) == 4
    done = ortstudio("convert", tmp_path, "--dry-run")
    assert done.code == 1
    assert f"would write {tmp_path / 'm.ort'}\n" in done.out
    assert f"would write {tmp_path / 'required_operators.config'}  the operators" in done.out
    assert f"would skip {tmp_path / 'old.optimized.onnx'}: named as the optimized" in done.out
    assert "This is a web page" in done.err
    assert listing(tmp_path) == ["m.onnx", "old.optimized.onnx", "page.onnx"]


def test_a_dry_run_in_json_has_the_form_of_the_answer(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu")
    planned = ortstudio("convert", source, "--dry-run", "--json").json
    done = ortstudio("convert", source, "--json").json
    assert planned["dry_run"]
    assert planned["ok"]
    common = {"schema", "results", "ok", "converted", "failed"}
    assert common <= planned.keys() & done.keys()
    assert done["results"][0].keys() <= planned["results"][0].keys()
    for before, after in zip(
        planned["results"][0]["outputs"], done["results"][0]["outputs"], strict=True
    ):
        assert before.items() >= (after | {"size_bytes": None}).items()


def test_names_that_the_runtime_does_not_have_are_a_wrong_command_line(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu")
    done = ortstudio("convert", source, "--disable-optimizer", "NhwcTransform", "--json")
    assert done.code == 2
    assert done.json["hint"].startswith("Did you mean NhwcTransformer,")
    done = ortstudio("convert", source, "--provider", "CUDA")
    assert done.code == 2
    assert "CPUExecutionProvider" in done.err
    assert listing(tmp_path) == ["m.onnx"]


def test_the_report_says_what_was_compared_on_what(tmp_path: Path) -> None:
    """Two inputs share a size, one is an index below 10, and one output is NaN in places."""
    nodes = [
        helper.make_node("Add", ["a", "b"], ["sum"]),
        helper.make_node("Gather", ["table", "ids"], ["found"]),
        helper.make_node("Sqrt", ["a"], ["root"]),
    ]
    inputs = [
        value("a", FLOAT, ["seq"]), value("b", FLOAT, ["seq"]), value("ids", TensorProto.INT64, [4])
    ]  # fmt: skip
    outputs = [
        value("sum", FLOAT, ["seq"]),
        value("found", FLOAT, [4]),
        value("root", FLOAT, ["seq"]),
    ]
    table = weight("table", np.arange(10, dtype=np.float32))
    onnx.save(onnx_model(nodes, inputs, outputs, [table], opset=17), tmp_path / "m.onnx")
    done = ortstudio(
        "convert", tmp_path / "m.onnx", "--dim", "seq=5", "--range", "ids=2:9", "--range", "a=-2:-1"
    )
    assert (done.code, done.err) == (0, "")
    assert (
        "  verified: outputs agree with the source's, all equal; NaN in both in 5 places"
        " (seed 0, seq = 5, a within -2 and -1 and ids within 2 and 9)\n"
    ) in done.out


def test_without_verification_the_reason_stands_in_its_place(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu")
    row = ortstudio("convert", source, "--no-verify", "--json").json["results"][0]
    assert row["verified"] is None
    assert row["verify_skipped"]
    assert "not verified: " in ortstudio("convert", source, "--no-verify", "--overwrite").out


def test_a_result_that_exists_is_replaced_only_when_asked(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu")
    (tmp_path / "m.ort").write_text("precious")
    done = ortstudio("convert", source)
    assert (done.code, done.out) == (1, "")
    assert "exists already" in done.err
    assert (tmp_path / "m.ort").read_text() == "precious"
    assert ortstudio("convert", source, "--overwrite").code == 0
    assert ortstudio("inspect", tmp_path / "m.ort").code == 0


def test_what_fails_is_told_in_its_row_and_in_one_line(tmp_path: Path) -> None:
    ends = value("x", FLOAT, [1]), value("y", FLOAT, [1])
    node = helper.make_node("BpeLike", ["x"], ["y"], domain="my.ops")
    source = tmp_path / "m.onnx"
    onnx.save(onnx_model([node], ends[:1], ends[1:], domains=["my.ops"]), source)
    done = ortstudio("convert", source, "--json")
    row = done.json["results"][0]
    assert done.code == 1
    assert (done.json["ok"], row["ok"], row["outputs"]) == (False, False, [])
    assert row["error"]["schema"] == "ortstudio/error@1"
    assert done.err.count("\n") == 1
    assert row["error"]["message"] in done.err
    assert listing(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("none.onnx", None, 3, "There is no such file"),
        ("empty.onnx", b"", 3, "The file is empty"),
        ("page.onnx", b"<!DOCTYPE html><html></html>", 3, "web page"),
        ("archive.onnx", b"PK\x03\x04" + bytes(40), 3, "This is a ZIP archive"),
    ],
)
def test_what_cannot_be_opened_is_exit_code_3(
    name: str, content: bytes | None, code: int, words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = ortstudio("convert", tmp_path / name, "--json")
    assert done.code == code
    assert words in done.json["results"][0]["error"]["message"]


def test_what_is_in_ort_format_already_is_refused_whatever_its_name(
    corpus: Path, tmp_path: Path
) -> None:
    content = (corpus / "v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()
    for name in ("a.onnx", "b", "c.ORT"):
        (tmp_path / name).write_bytes(content)
        done = ortstudio("convert", tmp_path / name)
        assert done.code == 1
        assert "already is an ORT-format model" in done.err
    assert listing(tmp_path) == ["a.onnx", "b", "c.ORT"]


def test_a_folder_without_models_is_refused(tmp_path: Path) -> None:
    done = ortstudio("convert", tmp_path)
    assert done.code == 1
    assert "The folder holds no .onnx model" in done.err


def test_a_size_for_a_symbol_that_the_model_has_not_is_a_wrong_command_line(tmp_path: Path) -> None:
    source = small(tmp_path / "m.onnx", "Relu")
    done = ortstudio("convert", source, "--dim", "batch=2", "--json")
    assert done.code == 2
    assert "batch" in done.json["message"]


def start(*arguments: str | Path, stderr: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ortstudio", "convert", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_130_and_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    # Slow enough that the interrupt comes while the child works.
    source = small(tmp_path / "m.onnx", *["Exp", "Neg"] * 4000)
    out = tmp_path / "out"
    with start(source, "-o", out, stderr=subprocess.PIPE) as child:
        deadline = time.monotonic() + 60
        while not (out.is_dir() and listing(out)):
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.send_signal(number)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert listing(out) == []
    assert b"Traceback" not in err


@POSIX
def test_progress_is_one_line_that_is_wiped_on_a_terminal_and_nothing_elsewhere(
    tmp_path: Path,
) -> None:
    text = on_terminal(lambda terminal: start(SAMPLE, "-o", tmp_path, stderr=terminal))
    assert b"converting ..." in text
    assert b"running, to verify ..." in text
    assert b"\n" not in text
    assert text.endswith(b"\r\x1b[K")
    done = ortstudio("convert", SAMPLE, "-o", tmp_path, "--overwrite")
    assert done.err == ""
