"""What is said of an upgrade before anything is written, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from ortstudio.errors import FormatError, MissingError, RefusedError, UsageError
from ortstudio.services.conversion import CancelledError
from ortstudio.services.inputs import InputSettings
from ortstudio.services.runtimes import Kind, Runtime, own
from ortstudio.services.upgrade.plan import plan
from ortstudio.services.upgrade.route import NoWriterError
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.words import NOT_NEEDED
from ortstudio.services.verify import Verification
from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import onnx_model, value
from tests.builders.siblings import write_adapter, write_checkpoint
from tests.builders.upgrades import aged, planned

V1, V4, V5, V6 = (
    CORPUS / name
    for name in (
        "v1_ort1.5.2_mlp_fixed_basic.ort",
        "v4_ort1.12.1_mlp_fixed_basic.ort",
        "v5_ort1.13.1_mlp_fixed_basic.ort",
        "v6_ort1.16.0_mlp_fixed_disable.ort",
    )
)
RECORDS_4 = CORPUS / "v4_ort1.11.1_qdq_conv_runtime_all.ort"
RECORDS_5 = CORPUS / "v5_ort1.13.1_qdq_conv_runtime_all.ort"
WRITES_5 = Runtime("1.15.1", Kind.INSTALLED, "python", "1.15.1")
REFUSES_6 = Runtime("1.12.1", Kind.INSTALLED, "python", "1.12.1")


def test_it_is_said_what_the_version_means_and_who_refuses_it(tmp_path: Path) -> None:
    (row,) = planned(V4, output_dir=tmp_path)
    assert row.refusal is None
    assert row.target == tmp_path / "v4_ort1.12.1_mlp_fixed_basic.v6.ort"
    written, refused, read = row.words.meaning
    assert written.startswith("Format version 4, written by ONNX Runtime 1.8 to 1.12; a guess from")
    assert refused.startswith("1.13 refuses it, and so do minimal builds of 1.13 and newer")
    assert "kernel type resolver, which version 5 brought in place of kernel hashes" in refused
    assert read == "Of the newer releases, only full builds from 1.14 on can still read it"


def test_it_is_said_what_stays_what_is_lost_and_what_is_won(tmp_path: Path) -> None:
    (row,) = planned(V4, output_dir=tmp_path)
    assert row.words.kept[0].startswith("6 nodes with their names and attributes, all weights")
    assert row.words.lost == (
        "6 kernel hashes: the kernel type resolver takes their place",
        "Full builds of 1.8 to 1.12, 1.14 to 1.15 read version 4 and refuse version 6",
        "Minimal builds of 1.8 to 1.12 read version 4 and refuse version 6",
    )
    gained = "Minimal builds of 1.16 and newer load the new file and refuse the old one"
    assert row.words.gained == (gained,)
    assert list(tmp_path.iterdir()) == []


def test_saved_optimizations_that_cannot_come_along_are_counted_by_optimizer() -> None:
    (row,) = planned(RECORDS_4)
    assert row.words.lost[0].startswith(
        "5 saved optimizations (1 of ConvActivationFusion and 4 of QDQSelectorActionTransformer):"
        " they cannot be carried over from a format older than 5"
    )


def test_those_of_version_5_all_come_along() -> None:
    (row,) = planned(RECORDS_5)
    assert row.route is not None
    assert row.route.runtime is None
    assert row.words.kept[1].startswith("5 saved optimizations (1 of ConvActivationFusion and 4 ")
    assert row.words.lost == (
        "Full and minimal builds of 1.13 to 1.15 read version 5 and refuse version 6",
    )


def test_version_5_is_the_widest_and_comes_by_way_of_an_older_release(tmp_path: Path) -> None:
    (row,) = planned(V4, to=5, at_hand=[own(), WRITES_5], output_dir=tmp_path)
    assert row.refusal is None
    assert row.route is not None
    assert row.route.runtime == WRITES_5
    assert row.target.name == "v4_ort1.12.1_mlp_fixed_basic.v5.ort"
    verbs = "load the new file and refuse the old one"
    assert row.words.gained == (
        f"Full builds of 1.13 {verbs}",
        f"Minimal builds of 1.13 and newer {verbs}",
    )
    assert row.words.lost[1:] == (
        "Full and minimal builds of 1.8 to 1.12 read version 4 and refuse version 5",
    )


def test_where_no_release_writes_version_5_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    (row,) = planned(V4, to=5, output_dir=tmp_path)
    assert isinstance(row.refusal, NoWriterError)
    assert row.refusal.release == "1.15.1"
    assert "written by ONNX Runtime 1.13 to 1.15, and none is at hand" in str(row.refusal)
    assert "ortstudio runtimes install 1.15.1" in row.refusal.hint


def test_a_file_of_version_5_is_left_alone_unless_it_is_asked_for(tmp_path: Path) -> None:
    shutil.copy(V5, tmp_path)
    for row in planned(tmp_path) + planned(V5, cautious=True):
        assert (row.skipped, row.refusal, row.is_wanted) == (NOT_NEEDED, None, False)
    for row in planned(tmp_path, to=6) + planned(tmp_path / V5.name):
        assert row.is_wanted
        assert row.to == 6


def test_a_current_file_is_refused_and_in_a_folder_left_alone(tmp_path: Path) -> None:
    (row,) = planned(V6)
    assert isinstance(row.refusal, RefusedError)
    assert "already is of format version 6: there is nothing to upgrade" in str(row.refusal)
    shutil.copy(V6, tmp_path)
    (row,) = planned(tmp_path)
    assert row.skipped == "The file already is of format version 6"


def test_an_upgrade_does_not_go_down() -> None:
    (row,) = planned(V6, to=5)
    assert "does not go down to 5" in str(row.refusal)
    assert "ortstudio convert M.onnx --runtime 1.15.1" in str(row.refusal)


@pytest.mark.parametrize(
    ("version", "words"),
    [("7", "Format 7 is newer than this tool knows"), ("x", "x"), ("0", "no release writes")],
)
def test_an_unknown_version_is_no_starting_point(version: str, words: str, tmp_path: Path) -> None:
    (row,) = planned(aged(V6, tmp_path / "m.ort", version))
    assert row.refusal is not None
    assert words.lower() in row.refusal.message.lower()
    assert row.refusal.message.endswith("there is nothing to upgrade it from")


def test_what_is_no_model_in_ort_format_is_refused_as_what_it_is(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "checkpoint")
    write_adapter(tmp_path / "a.onnx_adapter")
    onnx_file = CORPUS / "sources" / "mlp.onnx"
    rows = planned(onnx_file, tmp_path / "checkpoint", tmp_path / "a.onnx_adapter")
    words = [str(row.refusal) for row in rows]
    assert "is an ONNX model, which has no ORT format version: convert it" in words[0]
    assert "is a training checkpoint" in words[1]
    assert "is a LoRA adapter" in words[2]
    assert all(row.opened for row in rows)


def test_damaged_and_missing_files_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "cut.ort").write_bytes(V4.read_bytes()[:3000])
    cut, missing = planned(tmp_path / "cut.ort", tmp_path / "none.ort")
    assert isinstance(cut.refusal, FormatError)
    assert isinstance(missing.refusal, MissingError)
    assert not cut.opened
    assert not missing.opened


def test_a_folder_without_models_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    made = plan([tmp_path], UpgradeSettings(), runtimes=list)
    assert "The folder holds no .ort model" in str(made.rows[0].refusal)
    assert [one.path.name for one in made.skipped] == ["notes.txt"]
    assert made.exit_code == 1


def with_other_operator(folder: Path, op_type: str) -> Path:
    """A version 4 file whose only node is another operator than it was converted with."""
    model = onnx_model(
        [onnx.helper.make_node("Selu", ["x"], ["y"], name="only")], [value("x")], [value("y")]
    )
    made = to_ort(model, folder / "plain.ort")
    content = made.read_bytes()
    assert content.count(b"\x04\0\0\0Selu\0") == 1
    replaced = content.replace(b"\x04\0\0\0Selu\0", b"\x04\0\0\0" + op_type.encode() + b"\0")
    made.write_bytes(replaced)
    return aged(made, folder / "m.ort")


def test_operators_that_no_library_was_given_for_are_named(tmp_path: Path) -> None:
    (row,) = planned(with_other_operator(tmp_path, "Solu"))
    assert isinstance(row.refusal, RefusedError)
    assert "The operator Solu of domain ai.onnx (node 'only') is not in this build" in str(
        row.refusal
    )


def test_a_release_that_would_refuse_the_result_is_told_beforehand() -> None:
    (row,) = planned(V4, runtimes=(REFUSES_6,))
    assert row.refusal is not None
    assert "onnxruntime 1.12.1 would refuse the result" in row.refusal.message
    assert "too new for 1.12.1" in row.refusal.message
    assert "`ortstudio convert M.onnx --runtime 1.12.1`" in row.refusal.hint


def test_a_release_that_reads_version_5_only_is_told_of_it() -> None:
    thirteen = Runtime("1.13.1", Kind.INSTALLED, "python", "1.13.1")
    (row,) = planned(V4, runtimes=(thirteen,))
    assert row.refusal is not None
    assert "--to 5" in row.refusal.hint


def test_the_source_is_found_beside_the_file_by_what_is_in_it(tmp_path: Path) -> None:
    old = Path(shutil.copy(V4, tmp_path / "net.basic.ort"))
    shutil.copy(CORPUS / "sources" / "cnn.onnx", tmp_path / "net.onnx")
    source = Path(shutil.copy(CORPUS / "sources" / "mlp.onnx", tmp_path / "other name.onnx"))
    (row,) = planned(old)
    assert row.onnx is not None
    assert row.onnx.path == source
    found, why, command = row.words.better
    assert found == "other name.onnx lies beside it and is its source: convert that again instead"
    assert "an upgrade leaves every node as it is" in why
    assert command == f"The command: ortstudio convert '{source}' --level basic"


def test_a_source_with_saved_optimizations_is_the_way_to_get_them_back(tmp_path: Path) -> None:
    old = Path(shutil.copy(RECORDS_4, tmp_path / "m.with_runtime_opt.ort"))
    source = CORPUS / "sources" / "qdq_conv.onnx"
    (row,) = planned(old, onnx=source)
    assert row.words.better[0] == "qdq_conv.onnx is its source: convert that again instead"
    assert "the way to get saved optimizations back" in row.words.better[1]
    assert row.words.better[2].endswith(f"{source} --style runtime")


def test_a_model_that_was_trained_on_is_no_source(tmp_path: Path) -> None:
    model = onnx.load(CORPUS / "sources" / "mlp.onnx")
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(array + np.float32(0.25), tensor.name))
    onnx.save(model, tmp_path / "m.onnx")
    old = Path(shutil.copy(V4, tmp_path / "m.ort"))
    (row,) = planned(old)
    assert row.onnx is None
    (row,) = planned(old, onnx=tmp_path / "m.onnx")
    assert row.words.better == (
        "m.onnx is not its source: weights of the same name hold other numbers",
    )


def test_another_model_is_no_source() -> None:
    (row,) = planned(V4, onnx=CORPUS / "sources" / "cnn.onnx")
    misfit = "cnn.onnx is not its source: its inputs and outputs have other names"
    assert row.words.better == (misfit,)
    (row,) = planned(V4, onnx=V5)
    assert "What was named as the source is no ONNX model" in str(row.refusal)


def test_results_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(V4, tmp_path / name / "m.ort")
    rows = planned(*(tmp_path / n / "m.ort" for n in "ab"), output_dir=tmp_path / "out")
    assert rows[0].refusal is None
    assert "has the same name, m.v6.ort" in str(rows[1].refusal)
    rows = planned(tmp_path, output_dir=tmp_path / "out")
    assert [row.target.relative_to(tmp_path).as_posix() for row in rows] == [
        "out/a/m.v6.ort",
        "out/b/m.v6.ort",
    ]


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    old = Path(shutil.copy(V4, tmp_path / "m.ort"))
    (tmp_path / "m.v6.ort").write_text("mine")
    (row,) = planned(old)
    assert "The result exists already" in str(row.refusal)
    (row,) = planned(old, overwrite=True)
    assert row.refusal is None


def test_a_size_holds_for_those_files_that_have_it() -> None:
    rows = planned(V4, RECORDS_4, inputs=InputSettings(dims={"batch": 3}))
    assert [row.refusal for row in rows] == [None, None]
    used = [row.verification for row in rows if isinstance(row.verification, Verification)]
    assert [one.inputs.settings.dims for one in used] == [{"batch": 3}, {}]


def test_a_size_that_no_file_has_is_refused() -> None:
    for files in ([V4], [V4, RECORDS_4]):
        with pytest.raises(UsageError, match="no open size named no_such"):
            planned(*files, inputs=InputSettings(dims={"no_such": 3}))
    (row,) = planned(V4, verify=False, inputs=InputSettings(dims={"no_such": 3}))
    assert row.refusal is None


def test_a_plan_can_be_cancelled(tmp_path: Path) -> None:
    shutil.copy(CORPUS / "sources" / "mlp.onnx", tmp_path / "m.onnx")
    old = Path(shutil.copy(V4, tmp_path / "m.ort"))
    with pytest.raises(CancelledError):
        plan([old], UpgradeSettings(), runtimes=list, cancelled=lambda: True)
