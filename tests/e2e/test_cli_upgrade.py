"""`ortstudio upgrade` from the outside: what is said before, what is made, what is proved."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from ortstudio.services import runtimes
from ortstudio.services.lossless_upgrade import unresolved
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import Places, Runtime
from ortstudio.services.sessions import Style
from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.builders.releases import release
from tests.builders.upgrades import WEIGHTS_LEFT_OUT, aged
from tests.e2e.command import ortstudio

PIXELS = np.linspace(-1, 1, 3 * 8 * 8, dtype=np.float32).reshape(1, 3, 8, 8)
KERNELS = np.linspace(-1, 1, 8 * 3 * 3 * 3, dtype=np.float32).reshape(8, 3, 3, 3)


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def conv_relu() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv"),
        helper.make_node("Relu", ["c"], ["y"], name="relu"),
    ]
    ends = value("x", FLOAT, [1, 3, 8, 8]), value("y", FLOAT, [1, 8, 6, 6])
    return onnx_model(nodes, ends[:1], ends[1:], [weight("w", KERNELS)])


def quantized_conv() -> onnx.ModelProto:
    """A convolution between quantizers, as a converter of models makes it."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "s", "wz"], ["wd"]),
        helper.make_node("Conv", ["xd", "wd"], ["c"], name="conv"),
        helper.make_node("QuantizeLinear", ["c", "s", "z"], ["cq"]),
        helper.make_node("DequantizeLinear", ["cq", "s", "z"], ["y"]),
    ]
    weights = [
        weight("w", np.arange(-108, 108, dtype=np.int8).reshape(8, 3, 3, 3)),
        weight("s", np.array(0.05, np.float32)),
        weight("z", np.array(128, np.uint8)),
        weight("wz", np.array(0, np.int8)),
    ]
    ends = value("x", FLOAT, [1, 3, 8, 8]), value("y", FLOAT, [1, 8, 6, 6])
    return onnx_model(nodes, ends[:1], ends[1:], weights)


def output(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": PIXELS})[0])


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Conv and Relu, said to be of version 4, without a resolver."""
    made = to_ort(conv_relu(), tmp_path / "made.bin")
    return aged(made, tmp_path / "m.ort")


def test_an_old_file_without_its_source_is_explained_upgraded_and_proved(
    old: Path, tmp_path: Path
) -> None:
    before, stamp = old.read_bytes(), old.stat().st_mtime_ns
    done = ortstudio("upgrade", old, "--json")
    assert done.code == 0, done.err
    (row,) = done.json["results"]
    # The old version, why 1.13 and newer minimal builds refuse it, and who still reads it.
    assert row["file"]["format_version"] == 4
    said = " ".join(row["explained"]["meaning"])
    assert "1.13 refuses it, and so do minimal builds of 1.13 and newer" in said
    assert "Of the newer releases, only full builds from 1.14 on can still read it" in said
    # The current version, and a resolver entry for every distinct operator in use.
    made = read_model(tmp_path / "m.v6.ort")
    assert made.ort is not None
    assert made.ort.format_version == 6
    assert unresolved(made) == []
    entries = {entry.op_id for entry in made.ort.resolver or ()}
    assert entries >= {"com.microsoft:FusedConv:1"}
    # Outputs equal those of the old file, which is untouched.
    np.testing.assert_array_equal(output(tmp_path / "m.v6.ort"), output(old))
    assert (old.read_bytes(), old.stat().st_mtime_ns) == (before, stamp)
    assert row["verified"]["agrees"]
    # The report names what changed.
    changes = row["proof"]["changes"]
    assert "format: ORT format 4, now ORT format 6" in changes
    assert "kernel type resolver: new, 1 entry" in changes
    assert row["proof"]["source_sha256"] == hashlib.sha256(before).hexdigest()


def test_where_the_source_is_given_converting_it_again_is_recommended(
    old: Path, tmp_path: Path
) -> None:
    onnx.save(conv_relu(), tmp_path / "source.onnx")
    done = ortstudio("upgrade", old, "--plan", "--source", tmp_path / "source.onnx")
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "source.onnx is its source: convert that again instead" in text
    assert "A conversion optimizes with all that the release has learned since" in text
    assert "ortstudio convert" in text
    assert listing(tmp_path) == ["m.ort", "made.bin", "source.onnx"]


def test_the_loss_of_saved_optimizations_is_said_before_anything_is_written(
    tmp_path: Path,
) -> None:
    onnx.save(quantized_conv(), tmp_path / "m.onnx")
    made = to_ort(tmp_path / "m.onnx", tmp_path / "made.bin", style=Style.RUNTIME)
    old = aged(made, tmp_path / "m.ort")
    done = ortstudio("upgrade", old, "--plan", "--json")
    assert done.code == 0, done.err
    (row,) = done.json["results"]
    # How many, by optimizer, and that they cannot be carried over from a format older than 5.
    assert row["file"]["runtime_optimizations"] == {"QDQSelectorActionTransformer": 1}
    lost = row["explained"]["lost"][0]
    assert lost.startswith("1 saved optimization (1 of QDQSelectorActionTransformer): they cannot")
    assert "from a format older than 5" in lost
    # Converting again from ONNX, which lies beside it, is the way to get them back.
    better = " ".join(row["explained"]["better"])
    assert "m.onnx lies beside it and is its source" in better
    assert "m.onnx --style runtime" in better
    assert "the way to get saved optimizations back, in the runtime style" in better
    assert not (tmp_path / "m.v6.ort").exists()
    # The upgraded file works and has none.
    done = ortstudio("upgrade", old)
    assert done.code == 0, done.err
    assert done.out.index("1 saved optimization (") < done.out.index("m.v6.ort")
    upgraded = read_model(tmp_path / "m.v6.ort")
    assert upgraded.ort is not None
    assert [graph.runtime_optimizations for graph in upgraded.ort.graphs] == [()]
    np.testing.assert_array_equal(output(tmp_path / "m.v6.ort"), output(old))


def test_a_current_file_with_saved_optimizations_is_not_saved_again(tmp_path: Path) -> None:
    onnx.save(conv_relu(), tmp_path / "m.onnx")
    made = to_ort(tmp_path / "m.onnx", tmp_path / "m.ort", style=Style.RUNTIME)
    before = made.read_bytes()
    done = ortstudio("upgrade", made)
    assert done.code == 1
    assert "already is of format version 6: there is nothing to upgrade" in done.err
    assert made.read_bytes() == before
    assert listing(tmp_path) == ["m.onnx", "m.ort"]


def test_version_5_becomes_6_with_all_its_records(tmp_path: Path) -> None:
    name = "v5_ort1.13.1_qdq_conv_runtime_all"
    done = ortstudio("upgrade", CORPUS / f"{name}.ort", "-o", tmp_path / "new", "--json")
    assert done.code == 0, done.err
    (row,) = done.json["results"]
    assert row["outputs"][0]["path"] == str(tmp_path / "new" / f"{name}.v6.ort")
    assert row["proof"]["runtime_optimizations"] == {"before": 5, "after": 5}
    applied = [run["saved_optimizations_applied"] for run in row["proof"]["runs"]]
    assert applied == [False, True]
    assert "1.13 to 1.15 read version 5 and refuse version 6" in row["explained"]["lost"][0]


def test_a_folder_is_upgraded_but_for_what_cannot_be_and_what_need_not(tmp_path: Path) -> None:
    for name in (
        WEIGHTS_LEFT_OUT,
        "v4_ort1.11.1_cnn_runtime_all.ort",
        "v4_ort1.12.1_mlp_fixed_basic.ort",
        "v5_ort1.13.1_mlp_fixed_basic.ort",
        "v6_ort1.16.0_mlp_fixed_disable.ort",
    ):
        shutil.copy(CORPUS / name, tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    done = ortstudio("upgrade", tmp_path)
    assert done.code == 1
    lost = "1 saved optimization (1 of ConvActivationFusion) cannot come along"
    assert done.out.index(lost) < done.out.index("cnn_runtime_all.v6.ort")
    assert "2 of 5 files upgraded, 2 left alone, 1 failed" in done.out
    assert "'b_ext' and 'w_ext' are not in the file" in done.err
    again = ortstudio("upgrade", tmp_path, "--json", "--overwrite")
    states = {Path(row["source"]).name: row["state"] for row in again.json["results"]}
    assert states == {
        WEIGHTS_LEFT_OUT: "refused",
        "v4_ort1.11.1_cnn_runtime_all.ort": "done",
        "v4_ort1.11.1_cnn_runtime_all.v6.ort": "skipped",
        "v4_ort1.12.1_mlp_fixed_basic.ort": "done",
        "v4_ort1.12.1_mlp_fixed_basic.v6.ort": "skipped",
        "v5_ort1.13.1_mlp_fixed_basic.ort": "skipped",
        "v6_ort1.16.0_mlp_fixed_disable.ort": "skipped",
    }
    assert (again.json["converted"], again.json["failed"]) == (6, 1)
    skipped = next(row["skipped"] for row in again.json["results"] if "v5" in row["source"])
    assert skipped.startswith("Nothing need be done: format version 5 is read by 1.13 and every")


def test_what_cannot_be_opened_ends_with_3(tmp_path: Path) -> None:
    done = ortstudio("upgrade", tmp_path / "none.ort", "--json")
    assert done.code == 3
    assert done.json["results"][0]["error"]["kind"] == "missing"
    assert ortstudio("upgrade", tmp_path / "none.ort", "--plan").code == 3


@pytest.mark.parametrize(
    "arguments",
    [["--to", "4"], ["--to", "7"], ["--report", "r.pdf"], ["--runtime", "no-such-release"]],
)
def test_what_makes_no_sense_is_a_wrong_command_line(arguments: list[str]) -> None:
    done = ortstudio("upgrade", CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort", *arguments)
    assert (done.code, done.out) == (2, "")


def test_the_proof_is_saved_for_machines_and_for_people(old: Path, tmp_path: Path) -> None:
    for name in ("r.json", "r.html"):
        done = ortstudio("upgrade", old, "--report", tmp_path / name, "-o", tmp_path / name[2:])
        assert done.code == 0, done.err
    kept = json.loads((tmp_path / "r.json").read_text())
    assert kept["schema"] == "ortstudio/upgrade@1"
    assert kept["made_by"]["ORT Studio"]
    digest = hashlib.sha256((tmp_path / "json" / "m.v6.ort").read_bytes()).hexdigest()
    assert kept["results"][0]["proof"]["result_sha256"] == digest
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "1 of 1 file upgraded" in page
    assert hashlib.sha256(old.read_bytes()).hexdigest() in page
    assert "1.13.1: refuses. Format version 4 is too old for 1.13.1" in page
    done = ortstudio("upgrade", old, "--overwrite", "--report", tmp_path / "r.json", "--no-verify")
    assert done.code == 0
    done = ortstudio("upgrade", old, "--report", tmp_path / "r.json")
    assert done.code == 1
    assert "The file exists already" in done.err


def at_hand(home: Path, *under: Runtime) -> dict[str, str]:
    """An environment in which these are at hand."""
    places = Places(home / "ortstudio" / "runtimes.json", home / "data")
    for one in under:
        runtimes.add(one.where, places)
    return {"XDG_CONFIG_HOME": str(home), "APPDATA": str(home)}


def test_old_and_new_run_under_the_releases_asked_for(old: Path, tmp_path: Path) -> None:
    home = at_hand(tmp_path / "config", release("1.16.3"))
    done = ortstudio("upgrade", old, "--runtime", "1.16.3", "--runtime", "own", environment=home)
    assert done.code == 0, done.err
    assert "verified            1.16.3: outputs agree with the old file's, all equal" in done.out
    assert f"verified            {onnxruntime.__version__}: outputs agree" in done.out


@pytest.mark.parametrize(
    ("under", "version", "refused"), [("1.12.1", 4, "1.13.1"), ("1.14.1", 5, "1.12.1")]
)
def test_a_release_that_reads_less_leads_to_converting_with_it(
    under: str, version: int, refused: str, old: Path, tmp_path: Path
) -> None:
    """Down as well: by way of the source, with the release that the device has."""
    model = conv_relu()
    model.ir_version = 7
    model.opset_import[0].version = 13
    onnx.save(model, tmp_path / "m.onnx")
    home = at_hand(tmp_path / "config", release(under))
    if version == 4:
        done = ortstudio("upgrade", old, "--runtime", under, environment=home)
        assert done.code == 1
        hint = f"`ortstudio convert {tmp_path / 'm.onnx'} --runtime {under}`"
        assert hint in done.err
    arguments = ("convert", tmp_path / "m.onnx", "--runtime", under, "-o", tmp_path / "out")
    done = ortstudio(*arguments, "--json", environment=home)
    assert done.code == 0, done.err
    assert done.json["results"][0]["verified"]["agrees"]
    made = tmp_path / "out" / "m.ort"
    model_made = read_model(made)
    assert model_made.ort is not None
    assert model_made.ort.format_version == version
    for asked, loads in ((under, "yes"), (refused, "no")):
        check = ortstudio("check", made, "--runtime", asked, "--json")
        assert check.json["runtime"]["loads"] == loads
