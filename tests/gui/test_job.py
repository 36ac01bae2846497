"""How a row of the list of conversions reads, and the sum of a run."""

from __future__ import annotations

import time
from pathlib import Path

from ortstudio.errors import JobError, RefusedError
from ortstudio.services.agreement import OutputAgreement, Tolerance
from ortstudio.services.conversion import (
    CancelledError,
    Converted,
    ConvertProgress,
    FolderConfig,
    Output,
    State,
)
from ortstudio.services.sessions import Level, Style
from ortstudio.services.verify import Verified
from ortstudio.ui.job import Job, details, summary, verification_text
from ortstudio.ui.job_columns import columns, summed_up

SOURCE = Path("models/m.onnx")
MODEL = Output(Path("models/m.ort"), "fixed", 1500, "for the CPU")
CONFIG = Output(Path("models/m.config"), "config", 10, "for a build")


def verified(*outputs: OutputAgreement) -> Verified:
    inputs = {"ids": {"type": "tensor(int64)[2]", "values": "random within 0 and 9"}}
    return Verified(outputs, inputs, {"n": 2}, 5, Tolerance(), Level.BASIC)


def job(state: State, result: Converted | None = None, phase: str = "", ns: int = 0) -> Job:
    sizes = (100, 1510 if result and result.outputs else 0)
    progress = ConvertProgress(SOURCE, 0, 1, phase, state, *sizes, elapsed_ns=ns, result=result)
    return Job(progress)


def cells(of: Job) -> list[str]:
    return [column.text(column.cell(of)) for column in columns()]


def test_a_finished_row_has_sizes_time_verdict_and_names() -> None:
    result = Converted(SOURCE, (MODEL, CONFIG), (verified(OutputAgreement("y")),))
    row = job(State.DONE, result, ns=1_260_000_000)
    assert cells(row) == [
        "done",
        "m.onnx",
        "100 bytes",
        "1.51 kB",
        "1.3 s",
        "outputs agree",
        "m.ort and m.config",
    ]
    assert row.paths == [SOURCE, MODEL.path]


def test_a_row_without_verification_says_why() -> None:
    result = Converted(SOURCE, (MODEL,), ("The source cannot be run",))
    row = job(State.DONE, result, ns=30_000_000)
    assert cells(row)[4:] == [
        "30 ms",
        "not compared",
        "m.ort. Not verified: The source cannot be run",
    ]
    assert summary(result) == "m.ort, 1.50 kB. Not verified: The source cannot be run."


def test_a_failed_row_gives_the_reason_and_what_to_do_in_words_of_the_window() -> None:
    error = RefusedError("It is there", hint="Replace it with --overwrite.")
    row = job(State.REFUSED, Converted(SOURCE, (), error=error, refused=True))
    assert row.text == "It is there. Replace it by ticking Replace what is there."
    assert row.verdict == ""
    assert row.paths == [SOURCE]
    assert details(JobError("It failed", details="its own words")) == "its own words"
    assert details(error) == ""


def test_a_row_under_way_says_what_is_done_and_its_time_goes_on() -> None:
    row = job(State.VERIFYING, phase="run", ns=1)
    assert row.text == "Verifying: running"
    first = row.elapsed_s()
    time.sleep(0.02)
    later = row.elapsed_s()
    assert first is not None
    assert later is not None
    assert later > first
    assert job(State.QUEUED).elapsed_s() is None


def test_several_files_are_summed_up_by_the_first() -> None:
    result = Converted(SOURCE, (MODEL, CONFIG), (verified(OutputAgreement("y")),))
    assert summary(result) == "m.ort, 1.50 kB, and 1 more file. Outputs agree."


def test_a_verification_says_what_it_takes_to_repeat_it() -> None:
    assert verification_text(verified(OutputAgreement("y"))).splitlines() == [
        "Outputs agree with the source's, all equal.",
        "Compared on the same inputs: seed 5, n = 2, ids within 0 and 9.",
        "They may differ by 0.001 of the value and 0.0001 of the largest; both ran at level basic.",
    ]


def test_a_run_is_summed_up_by_what_is_really_there() -> None:
    done = Converted(SOURCE, (MODEL,))
    rows = [
        job(State.DONE, done),
        job(State.DONE, done),
        job(State.REFUSED, Converted(SOURCE, (), error=RefusedError("No"), refused=True)),
    ]
    config = FolderConfig(Path("c.config"), Style.FIXED, (SOURCE,))
    assert summed_up(rows, ()) == "2 of 3 models converted, 1 refused"
    assert summed_up(rows, (config,)) == (
        "2 of 3 models converted, 1 refused; the operator config covers 2 of 3 models"
    )
    whole = FolderConfig(Path("c.config"), Style.FIXED, ())
    assert summed_up(rows[:2], (whole,)) == (
        "2 of 2 models converted; the operator config covers them all"
    )
    broken = FolderConfig(Path("c.config"), Style.FIXED, (), RefusedError("No room"))
    assert summed_up(rows[:1], (broken,)).endswith("; no operator config: No room")
    cancelled = job(State.CANCELLED, Converted(SOURCE, (), error=CancelledError("Cancelled")))
    assert summed_up([cancelled], ()) == "0 of 1 model converted, 1 cancelled"
