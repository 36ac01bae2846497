"""The wizard without a window: what it asks, back, cancel, and files that fail in the middle."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ortstudio.errors import StudioError
from ortstudio.services.conversion import CancelledError, Conversion, ConvertProgress, State
from ortstudio.services.runtimes import Kind, Runtime, own
from ortstudio.services.upgrade.planned import UpgradePlan
from ortstudio.services.upgrade.run import run
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.wizard import Explained, Looking, Reported, Request, Upgrading
from tests.builders.knowledge import CORPUS
from tests.builders.upgrades import WEIGHTS_LEFT_OUT

V4 = "v4_ort1.12.1_mlp_fixed_basic.ort"
RECORDS_4 = "v4_ort1.11.1_qdq_conv_runtime_all.ort"
V5 = "v5_ort1.13.1_mlp_fixed_basic.ort"
V6 = "v6_ort1.16.0_mlp_fixed_disable.ort"


def looked(looking: Looking, *more: Runtime) -> Explained:
    return looking.looked(looking.look(runtimes=lambda: [own(), *more]))


@pytest.fixture
def explained(tmp_path: Path) -> Callable[..., Explained]:
    """What is said of copies of these files, in a folder of their own."""

    def look(*names: str, settings: UpgradeSettings | None = None) -> Explained:
        folder = tmp_path / "models"
        folder.mkdir()
        for name in names:
            shutil.copy(CORPUS / name, folder)
        paths = (folder,) if len(names) > 1 else (folder / names[0],)
        request = Request(paths) if settings is None else Request(paths, settings)
        return looked(Looking(request))

    return look


def test_of_an_old_file_only_the_version_is_asked(explained: Callable[..., Explained]) -> None:
    found = explained(V4)
    asked = found.questions
    assert [choice.to for choice in asked.versions] == [None, 5]
    assert (asked.losing, asked.needs_library, asked.release) == (0, False, "")
    assert found.obstacle == ""


def test_a_file_of_version_5_is_left_as_it_is_until_it_is_asked_for(
    explained: Callable[..., Explained],
) -> None:
    found = explained(V5)
    assert [choice.to for choice in found.questions.versions] == [None, 6]
    assert found.obstacle == "Nothing to upgrade"
    assert "Nothing need be done" in found.plan.rows[0].skipped
    asked_for = looked(found.chosen(UpgradeSettings(to=6, cautious=True)))
    assert asked_for.obstacle == ""
    assert asked_for.wanted[0].to == 6


def test_nothing_is_asked_of_a_current_file(explained: Callable[..., Explained]) -> None:
    found = explained(V6)
    assert found.questions.versions == ()
    assert found.obstacle == "Nothing to upgrade"


def test_in_a_folder_old_files_are_upgraded_and_others_left_alone(
    explained: Callable[..., Explained],
) -> None:
    found = explained(V4, V5, V6)
    assert [choice.to for choice in found.questions.versions] == [None, 5, 6]
    assert [row.source.name for row in found.wanted] == [V4]
    everything = looked(found.chosen(UpgradeSettings(to=6, cautious=True)))
    assert [row.source.name for row in everything.wanted] == [V4, V5]


def test_the_loss_of_saved_optimizations_is_agreed_to_before_it_starts(
    explained: Callable[..., Explained],
) -> None:
    found = explained(V4, RECORDS_4)
    assert found.questions.losing == 5
    assert found.obstacle == "The loss of saved optimizations has to be agreed to"
    with pytest.raises(AssertionError):
        found.started()
    assert found.agreeing(True).obstacle == ""
    (losing,) = (row.source for row in found.wanted if row.source.name == RECORDS_4)
    without = found.leaving_out(losing, out=True)
    assert without.questions.losing == 0
    assert without.obstacle == ""
    assert without.leaving_out(losing, out=False).questions.losing == 5
    assert looked(found.agreeing(True).chosen(UpgradeSettings(cautious=True))).agreed


def test_a_release_that_is_missing_can_be_brought(explained: Callable[..., Explained]) -> None:
    found = explained(V4, settings=UpgradeSettings(to=5, cautious=True))
    assert found.questions.release == "1.15.1"
    assert found.obstacle == "Nothing to upgrade"
    brought = Runtime("1.15.1", Kind.INSTALLED, "python", "1.15.1")
    again = looked(found.chosen(found.request.settings), brought)
    assert again.questions.release == ""
    assert again.wanted[0].to == 5


def test_with_everything_left_out_there_is_nothing_to_do(
    explained: Callable[..., Explained],
) -> None:
    found = explained(V4)
    assert found.leaving_out(found.wanted[0].source, out=True).obstacle == "Nothing to upgrade"


def test_looking_that_is_cancelled_changes_nothing(tmp_path: Path) -> None:
    shutil.copy(CORPUS / V4, tmp_path / "m.ort")
    shutil.copy(CORPUS / "sources" / "mlp.onnx", tmp_path / "m.onnx")
    looking = Looking(Request((tmp_path / "m.ort",)))
    with pytest.raises(CancelledError):
        looking.look(runtimes=list, cancelled=lambda: True)
    assert looking.before is None


def worked(upgrading: Upgrading) -> tuple[Upgrading, Conversion]:
    told: list[ConvertProgress] = []
    done = upgrading.upgrade(on_progress=told.append)
    for now in told:
        upgrading = upgrading.told(now)
    return upgrading, done


def test_it_goes_all_the_way_and_back(explained: Callable[..., Explained]) -> None:
    found = explained(V4, V5, WEIGHTS_LEFT_OUT)
    upgrading, done = worked(found.started())
    assert [now.state for now in upgrading.progress.values()] == [State.DONE]
    reported = upgrading.ended(done)
    assert isinstance(reported, Reported)
    assert done.exit_code == 0
    again = looked(reported.back())
    assert again.obstacle == "Nothing to upgrade"
    refused = {row.source.name: str(row.refusal) for row in again.plan.rows if row.refusal}
    assert "The result exists already" in refused[V4]
    assert "are not in the file" in refused[WEIGHTS_LEFT_OUT]


def test_a_file_that_fails_in_the_middle_is_one_row_of_the_report(
    explained: Callable[..., Explained],
) -> None:
    found = explained(V4, "v3_ort1.7.0_cnn_fixed_basic.ort", "v2_ort1.6.0_mlp_fixed_disable.ort")
    found.wanted[1].source.write_bytes(b"")
    _, done = worked(found.started())
    assert [row.state for row in done.results] == [State.DONE, State.FAILED, State.DONE]
    assert isinstance(done.results[1].error, StudioError)
    again = looked(found.started().ended(done).back())
    assert [row.opened for row in again.plan.rows].count(False) == 1


def test_cancelled_in_the_middle_it_still_reports(explained: Callable[..., Explained]) -> None:
    found = explained(V4, "v3_ort1.7.0_cnn_fixed_basic.ort")
    upgrading = found.started()
    ended: list[int] = []

    def hear(now: ConvertProgress) -> None:
        if now.state.is_end:
            ended.append(now.index)

    done = run(upgrading.plan, on_progress=hear, cancelled=lambda: bool(ended))
    reported = upgrading.ended(done)
    assert [row.state for row in reported.done.results] == [State.DONE, State.CANCELLED]
    assert [row.source.name for row in looked(reported.back()).wanted] == [V4]


def test_only_what_is_wanted_is_upgraded(explained: Callable[..., Explained]) -> None:
    plan: UpgradePlan = explained(V4, V5, V6).started().plan
    assert [row.source.name for row in plan.rows] == [V4]
