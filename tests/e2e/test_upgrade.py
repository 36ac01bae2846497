"""Upgrades through real children: what goes wrong on the way, and what never may."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import onnx
import pytest

from ortstudio.errors import ChangedError, FormatError, JobError, StudioError
from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    ConvertProgress,
    NotStartedError,
    State,
)
from ortstudio.services.document import open_document
from ortstudio.services.lossless_upgrade import upgrade_lossless
from ortstudio.services.ort_edits import set_format_version
from ortstudio.services.ort_write import rewrite
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import Runtime, own
from ortstudio.services.sessions import Level, Session, saving_config
from ortstudio.services.sessions import Style as SavedStyle
from ortstudio.services.upgrade.compare import compared
from ortstudio.services.upgrade.plan import plan
from ortstudio.services.upgrade.planned import UpgradePlan
from ortstudio.services.upgrade.route import Route
from ortstudio.services.upgrade.run import run
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.upgraded import Upgraded
from ortstudio.services.verify_words import DisagreementError
from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.builders.native_libraries import TWICE, built
from tests.builders.onnx_files import FLOAT, onnx_model, value
from tests.builders.releases import release
from tests.builders.toolchains import headers
from tests.builders.upgrades import aged, rows_of, upgraded
from tests.oracles.runtime import REPLAY

V4 = CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort"
OTHER_WEIGHTS = CORPUS / "v4_ort1.12.1_cnn_fixed_all.ort"
RECORDS_5 = CORPUS / "v5_ort1.13.1_cnn_runtime_all.ort"
TAMPERED = Path(__file__).with_name("tampered_agent.py")


def tampered(_runtime: Runtime) -> Child:
    return Child([sys.executable, str(TAMPERED)])


def do(*paths: Path, **settings: object) -> Conversion:
    """With the agent that goes wrong at certain names."""
    return run(planned(*paths, **settings), child_under=tampered)


def planned(*paths: Path, **settings: object) -> UpgradePlan:
    wanted = UpgradeSettings(**settings)  # type: ignore[arg-type]
    return plan(list(paths), wanted, runtimes=lambda: [own()])


def named(folder: Path, *names: str, source: Path = V4) -> list[Path]:
    return [Path(shutil.copy(source, folder / f"{name}.ort")) for name in names]


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("crash", JobError, "crashed"),
        ("garbage", FormatError, "What was written cannot be read back"),
        ("empty", FormatError, "What was written cannot be read back"),
        ("touch", ChangedError, "changed during the upgrade"),
        ("refuse", JobError, ""),
        ("other", FormatError, "What was written is not the same model"),
    ],
)
def test_what_goes_wrong_in_the_child_leaves_nothing(
    name: str, kind: type[StudioError], words: str, tmp_path: Path
) -> None:
    named(tmp_path, name)
    shutil.copy(OTHER_WEIGHTS, tmp_path / "other.source")
    before = listing(tmp_path)
    done = do(tmp_path / f"{name}.ort")
    (row,) = rows_of(done)
    assert isinstance(row.error, kind)
    assert words in row.error.message
    assert row.outputs == ()
    assert row.proof is None
    assert listing(tmp_path) == before


def test_a_file_that_fails_in_the_middle_ends_only_itself(tmp_path: Path) -> None:
    named(tmp_path, "a", "crash", "z")
    told: list[ConvertProgress] = []
    done = run(planned(tmp_path), child_under=tampered, on_progress=told.append)
    assert [(row.source.stem, row.state) for row in done.results] == [
        ("a", State.DONE),
        ("crash", State.FAILED),
        ("z", State.DONE),
    ]
    assert done.exit_code == 1
    assert done.is_partial
    assert listing(tmp_path) == ["a.ort", "a.v6.ort", "crash.ort", "z.ort", "z.v6.ort"]
    of_first = [one.phase for one in told if one.index == 0]
    assert list(dict.fromkeys(of_first)) == ["write", "compare", "load", "run", "publish", ""]
    assert [one.result.state for one in told if one.result] == [row.state for row in done.results]


def test_cancelled_it_leaves_what_is_finished_and_tries_nothing_more(tmp_path: Path) -> None:
    named(tmp_path, "a", "hang", "z")
    hanging: list[bool] = []

    def hear(now: ConvertProgress) -> None:
        if now.source.stem == "hang" and now.phase == "hanging":
            hanging.append(True)

    done = run(
        planned(tmp_path), child_under=tampered, on_progress=hear, cancelled=lambda: bool(hanging)
    )
    assert [row.state for row in done.results] == [
        State.DONE,
        State.CANCELLED,
        State.CANCELLED,
    ]
    assert done.exit_code == 130
    assert all(isinstance(row.error, CancelledError) for row in done.results[1:])
    assert listing(tmp_path) == ["a.ort", "a.v6.ort", "hang.ort", "z.ort"]


def test_without_a_child_nothing_is_tried_twice(tmp_path: Path) -> None:
    named(tmp_path, "a", "b")
    done = run(planned(tmp_path), child_under=lambda _one: Child(["/nonexistent/python"]))
    assert done.exit_code == 4
    assert isinstance(done.results[0].error, NotStartedError)
    assert [row.state for row in done.results] == [State.FAILED, State.NOT_TRIED]


def test_the_old_file_stays_as_it_was(tmp_path: Path) -> None:
    (old,) = named(tmp_path, "m")
    status = old.stat()
    (row,) = rows_of(upgraded([old]))
    assert row.ok
    assert (old.read_bytes(), old.stat()) == (V4.read_bytes(), status)


def test_a_result_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    (old,) = named(tmp_path, "m")
    made = planned(old)
    (tmp_path / "m.v6.ort").write_text("mine")
    (row,) = rows_of(run(made))
    assert row.error is not None
    assert "appeared meanwhile" in row.error.message
    assert (tmp_path / "m.v6.ort").read_text() == "mine"
    (row,) = rows_of(upgraded([old], overwrite=True))
    assert row.ok


def test_a_file_that_changed_since_the_plan_is_not_upgraded(tmp_path: Path) -> None:
    (old,) = named(tmp_path, "m")
    made = planned(old)
    os.utime(old, ns=(1, 1))
    (row,) = rows_of(run(made))
    assert isinstance(row.error, ChangedError)
    assert listing(tmp_path) == ["m.ort"]


def test_outputs_that_differ_keep_the_result_back(tmp_path: Path) -> None:
    """The child runs the old file's namesake with other weights in its place."""
    (old,) = named(tmp_path, "m")

    def swapped(runtime: Runtime) -> Child:
        child = runtime.child()
        ask = child.ask

        def asked(verb, arguments, **keywords):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN003, ANN202
            session = arguments["session"]
            if verb == "run" and session["model"] == str(old):
                arguments = {**arguments, "session": {**session, "model": str(other)}}
            return ask(verb, arguments, **keywords)

        child.ask = asked  # type: ignore[method-assign]
        return child

    model = onnx.load(CORPUS / "sources" / "mlp.onnx")
    for tensor in model.graph.initializer:
        if tensor.data_type == FLOAT:
            array = onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array * 1.5, tensor.name))
    other = to_ort(model, tmp_path / "other.bin", Level.BASIC)
    (row,) = rows_of(run(planned(old), child_under=swapped))
    assert isinstance(row.error, DisagreementError)
    assert row.error.message.startswith(f"Under {own().onnxruntime}: Source and result compute")
    assert listing(tmp_path) == ["m.ort", "other.bin"]
    (row,) = rows_of(run(planned(old, verify=False), child_under=swapped))
    assert row.ok
    assert row.verified is None
    assert row.verify_skipped == "Verification was switched off"


def test_a_resolver_that_lacks_an_operator_in_use_is_noticed(tmp_path: Path) -> None:
    lacking = aged(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "lacking.ort", "6")
    old = open_document(aged(lacking, tmp_path / "old.ort", "4"))
    with pytest.raises(FormatError, match="resolver has no entry for :Gemm:"):
        compared(old, lacking, Route(4, 6, own()))


def test_lost_records_are_noticed_where_they_were_to_stay(tmp_path: Path) -> None:
    upgrade_lossless(RECORDS_5, tmp_path / "kept.ort")
    old = open_document(RECORDS_5)
    _, proof = compared(old, tmp_path / "kept.ort", Route(5, 6, None))
    assert (proof.records_before, proof.records_after) == (1, 1)
    with children(agent_child) as child:
        config = saving_config(SavedStyle.FIXED)
        session = Session(str(RECORDS_5), FileKind.ORT, Level.DISABLE, config)
        lost = tmp_path / "lost.ort"
        request = {"session": session.to_json(), "output": str(lost)}
        assert child().ask("convert", request).ok
    with pytest.raises(FormatError, match="other saved optimizations"):
        compared(old, lost, Route(5, 6, None))


def test_another_version_than_was_wanted_is_noticed(tmp_path: Path) -> None:
    rewrite(RECORDS_5, tmp_path / "m.ort", [set_format_version(6)])
    with pytest.raises(FormatError, match="not of format version 5"):
        compared(open_document(RECORDS_5), tmp_path / "m.ort", Route(4, 5, None))


def test_custom_operators_are_upgraded_with_their_library(tmp_path: Path) -> None:
    library = built(TWICE, tmp_path, f"-I{headers()}")
    node = onnx.helper.make_node("Twice", ["x"], ["y"], domain="my.ops", name="two")
    model = onnx_model(
        [node], [value("x", FLOAT, [2, 3])], [value("y", FLOAT, [2, 3])], domains=["my.ops"]
    )
    onnx.save(model, tmp_path / "source.onnx")
    with children(agent_child) as child:
        source, fixed = str(tmp_path / "source.onnx"), saving_config(SavedStyle.FIXED)
        session = Session(source, FileKind.ONNX, config=fixed, custom_ops=str(library))
        request = {"session": session.to_json(), "output": str(tmp_path / "new.ort")}
        assert child().ask("convert", request).ok
    old = aged(tmp_path / "new.ort", tmp_path / "m.ort")
    (row,) = rows_of(upgraded([old]))
    assert row.refused
    assert "Twice of domain my.ops (node 'two') is not known: it needs a custom" in str(row.error)
    (row,) = rows_of(upgraded([old], custom_ops=str(library)))
    assert row.error is None
    assert row.verified is not None
    assert row.verified.agrees


def replayed(runtime: Runtime, path: Path) -> list[str]:
    """The operators of the graph that a release runs with saved optimizations applied."""
    config = {**saving_config(SavedStyle.FIXED), REPLAY: "1"}
    session = Session(str(path), FileKind.ORT, Level.EXTENDED, config)
    saved = path.with_name("replayed.ort")
    with runtime.child() as child:
        outcome = child.ask("convert", {"session": session.to_json(), "output": str(saved)})
        assert outcome.ok, outcome
    return sorted(op for graph in read_model(saved).graphs for op in graph.nodes.op_types)


@pytest.mark.parametrize("under", ["own", "1.16.3"])
def test_a_file_of_version_5_keeps_its_optimizations_and_they_are_replayed(
    under: str, tmp_path: Path
) -> None:
    runtime = own() if under == "own" else release(under)
    (old,) = named(tmp_path, "m", source=RECORDS_5)
    (row,) = rows_of(upgraded([old], to=6, runtimes=(runtime,)))
    assert row.error is None
    made = row.outputs[0].path
    operators = replayed(runtime, made)
    assert "FusedConv" in operators
    assert operators == replayed(runtime, old)
    assert row.proof is not None
    plain, applied = row.proof.runs
    assert (plain.replayed, applied.replayed) == (False, True)
    for found in (plain.found, applied.found):
        assert not isinstance(found, str), found
        assert found.agrees


def test_an_optimization_that_stops_the_load_is_said_to(tmp_path: Path) -> None:
    (old,) = named(tmp_path, "m", source=CORPUS / "v5_ort1.15.1_qdq_runtime_all.ort")
    (row,) = rows_of(upgraded([old], to=6))
    assert row.ok
    assert row.verified is not None
    assert row.proof is not None
    assert row.proof.records_after == row.proof.records_before == 7
    assert row.proof.runs[1].replayed
    assert "cannot be applied" in str(row.proof.runs[1].found)


def test_old_and_new_run_under_several_releases(tmp_path: Path) -> None:
    """Where one does not read the old file, our own runs that."""
    old_release, newer = release("1.14.1"), release("1.16.3")
    (old,) = named(tmp_path, "m")
    (row,) = rows_of(upgraded([old], runtimes=(newer, own())))
    assert row.proof is not None
    assert [run.words for run in row.proof.runs] == ["1.16.3", own().onnxruntime]
    assert row.verified is not None
    to_5 = upgraded([old], to=5, runtimes=(newer,), at_hand=[own(), old_release])
    (row,) = rows_of(to_5)
    assert row.error is None
    assert row.proof is not None
    assert [run.words for run in row.proof.runs] == ["1.16.3"]


def test_a_release_that_does_not_read_the_old_file_runs_the_new_one(tmp_path: Path) -> None:
    way = release("1.14.1")
    thirteen = replace(way, name="1.13.1", onnxruntime="1.13.1")
    (old,) = named(tmp_path, "m")
    (row,) = rows_of(upgraded([old], to=5, runtimes=(thirteen,), at_hand=[own(), way]))
    assert isinstance(row, Upgraded)
    assert row.error is None
    assert row.proof is not None
    (found,) = row.proof.runs
    assert found.words == "1.13.1, the old file under 1.14.1"
    assert row.verified is not None
