"""The runner against a scripted child that does everything wrong that a child can."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ortstudio.errors import CHILD_FAILED
from ortstudio.jobs import pipes, runner
from ortstudio.jobs.protocol import Failure, Log, Progress
from ortstudio.jobs.runner import Child, Ending, Outcome, children

FAKE = Path(__file__).with_name("fake_agent.py")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals end children on POSIX only")


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (runner, pipes):
        monkeypatch.setattr(module, "GRACE_S", 0.3)


def fake(behaviour: str, *, memory_bytes: int | None = None) -> Child:
    return Child([sys.executable, str(FAKE), behaviour], memory_bytes=memory_bytes)


def gone(pid: int) -> bool:
    """Whether no process, not even a dead unreaped one, has this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_one_child_serves_many_requests() -> None:
    with fake("echo") as child:
        values = [child.ask("echo", {}).value for _ in range(3)]
    assert [value["number"] for value in values] == [1, 2, 3]
    assert len({value["pid"] for value in values}) == 1


def test_progress_and_remarks_arrive_in_order() -> None:
    heard: list[Progress | Log] = []
    with fake("echo") as child:
        child.ask("echo", {}, on_message=heard.append)
    assert heard == [Progress(1, "echo", 1, 1), Log(1, "a remark")]


def test_closing_reaps_the_child() -> None:
    with fake("echo") as child:
        pid = child.ask("echo", {}).value["pid"]
        assert isinstance(pid, int)
        assert not gone(pid)
    assert gone(pid)
    assert not child.usable


def test_closing_a_child_that_never_started_does_nothing() -> None:
    fake("echo").close()


def test_a_program_that_is_not_there_did_not_start(tmp_path: Path) -> None:
    with Child([str(tmp_path / "python")]) as child:
        outcome = child.ask("echo", {})
    assert outcome.ending is Ending.NOT_STARTED
    assert outcome.words.startswith("did not start: ")
    assert not child.usable


@POSIX
def test_a_crash_is_named_by_its_signal_and_keeps_the_last_words() -> None:
    with fake("segfault") as child:
        outcome = child.ask("x", {})
    assert (outcome.ending, outcome.words) == (Ending.CRASHED, "crashed (SIGSEGV)")
    assert outcome.stderr == "last words\n"
    error = outcome.error("Converting")
    assert error.message == "Converting failed: the child process crashed (SIGSEGV)"
    assert (error.details, error.exit_code) == ("last words\n", CHILD_FAILED)
    assert not child.usable


@pytest.mark.parametrize(("behaviour", "code"), [("status", 2), ("silent_exit", 0)])
def test_an_end_without_an_answer_gives_the_status(behaviour: str, code: int) -> None:
    with fake(behaviour) as child:
        outcome = child.ask("x", {})
    assert (outcome.ending, outcome.words) == (Ending.EXITED, f"exited with status {code}")


def test_a_child_that_hangs_times_out_and_is_gone() -> None:
    with fake("hang") as child:
        outcome = child.ask("x", {}, timeout_s=0.2)
    assert (outcome.ending, outcome.words) == (Ending.TIMED_OUT, "timed out")


def test_a_child_that_floods_times_out_too() -> None:
    with fake("endless_flood") as child:
        outcome = child.ask("x", {}, timeout_s=0.5)
    assert outcome.ending is Ending.TIMED_OUT


def test_a_child_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "HELLO_S", 0.2)
    with Child([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        outcome = child.ask("x", {})
    assert outcome.ending is Ending.TIMED_OUT
    assert "no sign" in outcome.words


def test_a_child_that_does_not_read_is_ended_all_the_same() -> None:
    with fake("deaf") as child:
        outcome = child.ask("x", {"much": "x" * (1 << 20)}, timeout_s=0.2)
    assert outcome.ending is Ending.TIMED_OUT


@pytest.mark.parametrize(
    "behaviour", ["polite", pytest.param("stubborn", marks=POSIX)], ids=["asked", "killed"]
)
def test_cancel_ends_every_child(behaviour: str) -> None:
    heard: list[Progress | Log] = []
    with fake(behaviour) as child:
        outcome = child.ask("x", {}, on_message=heard.append, cancelled=lambda: bool(heard))
    assert (outcome.ending, outcome.words) == (Ending.CANCELLED, "was cancelled")
    assert not child.usable


def test_noise_on_stdout_does_no_harm_and_is_kept() -> None:
    with fake("noise") as child:
        outcome = child.ask("x", {})
        assert outcome.ok
        assert "Welcome to this interpreter" in child.ask("x", {}, timeout_s=0.1).stderr


def test_half_a_line_is_no_answer() -> None:
    with fake("half_a_line") as child:
        outcome = child.ask("x", {})
    assert outcome.ending is Ending.EXITED


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("wrong_version", "speaks version 2 of the protocol, this program version 1"),
        ("no_hello", "broke the protocol: it did not say hello first"),
        ("unknown_type", "broke the protocol: unknown message type 'surprise'"),
        ("wrong_field", "broke the protocol: value of a result message is 'text'"),
        ("huge_line", "broke the protocol: a line is longer than 16777216 bytes"),
        ("closed_output", "closed its output and went on running"),
    ],
)
def test_a_broken_protocol_ends_the_child(behaviour: str, words: str) -> None:
    with fake(behaviour) as child:
        outcome = child.ask("x", {})
    assert (outcome.ending, outcome.words) == (Ending.BROKEN, words)
    assert not child.usable


def test_a_flood_on_both_pipes_neither_blocks_nor_piles_up() -> None:
    heard: list[Progress | Log] = []
    with fake("flood") as child:
        outcome = child.ask("x", {}, on_message=heard.append)
        assert outcome.ok
        assert len(heard) == 20_000
        ended = child.ask("x", {}, timeout_s=0.1)
    assert len(ended.stderr.encode()) == pipes.STDERR_BYTES
    assert ended.stderr.endswith("19999\n")


def test_cancel_is_seen_within_moments() -> None:
    started = time.monotonic()
    with fake("hang") as child:
        child.ask("x", {}, cancelled=lambda: time.monotonic() > started + 0.2)
    # Far below the ten minutes that the child sleeps.
    assert time.monotonic() < started + 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process's memory")
def test_a_memory_limit_holds_in_the_child() -> None:
    with fake("memory", memory_bytes=512 << 20) as child:
        outcome = child.ask("x", {})
    assert outcome.failure is not None
    assert (outcome.ending, outcome.failure.kind) == (Ending.FAILED, "memory")
    with fake("memory") as child:
        assert child.ask("x", {}).value == {"size": 1 << 30}


def test_variables_that_steer_the_runtime_do_not_reach_the_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ORT_LOAD_CONFIG_FROM_MODEL", "1")
    monkeypatch.setenv("ORTSTUDIO_OWN", "kept")
    with fake("environment") as child:
        child.variables["ORTSTUDIO_MORE"] = "added"
        found = child.ask("x", {}).value
    assert "ORT_LOAD_CONFIG_FROM_MODEL" not in found
    assert found["ORT_DISABLE_TELEMETRY"] == "1"
    assert found["OPENBLAS_NUM_THREADS"] == "1"
    assert found["ORTSTUDIO_MORE"] == "added"
    assert found["ORTSTUDIO_OWN"] == "kept"


def test_a_new_child_takes_the_place_of_one_that_ended() -> None:
    behaviours = iter(["status", "echo"])
    with children(lambda: fake(next(behaviours))) as child:
        assert child().ask("x", {}).ending is Ending.EXITED
        assert child().ask("x", {}).ok
        assert child().ask("x", {}).ok


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process's memory")
def test_a_limit_may_change_while_the_child_lives_and_want_of_memory_is_noticed() -> None:
    with fake("memory") as child:
        child.limit_memory(512 << 20)
        assert child.ask("x", {}).failure is not None
        assert child.starved
        child.limit_memory(2 << 30)
        assert child.ask("x", {}).value == {"size": 1 << 30}
        assert child.resident_bytes is not None
        assert child.resident_bytes > 1 << 20


@pytest.mark.parametrize(
    ("message", "starved"),
    [
        ("Exception during initialization: std::bad_alloc", True),
        ("Failed to allocate memory for requested buffer of size 5242880", True),
        ("This is an invalid model", False),
    ],
)
def test_what_the_runtime_says_where_there_is_no_memory_is_known(
    message: str, starved: bool
) -> None:
    failure = Failure(1, "load", message)
    assert Outcome(Ending.FAILED, "failed", failure=failure).starved is starved


@pytest.mark.parametrize(
    ("words", "stderr", "starved"),
    [
        ("crashed (SIGKILL)", "", True),
        ("crashed (SIGABRT)", "terminate called after throwing 'std::bad_alloc'", True),
        ("crashed (SIGABRT)", "", False),
    ],
)
def test_crashes_for_want_of_memory_are_known(words: str, stderr: str, starved: bool) -> None:
    assert Outcome(Ending.CRASHED, words, stderr=stderr).starved is starved
