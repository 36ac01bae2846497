from __future__ import annotations

import sys
import time

import pytest

from ortstudio.jobs import command


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_what_it_prints_comes_line_by_line_from_both_streams() -> None:
    seen: list[str] = []
    program = "import sys; print('a'); print('b'); print('c', file=sys.stderr); sys.exit(3)"
    done = command.run(python(program), on_line=seen.append)
    assert sorted(seen) == ["a", "b", "c"]
    assert done.code == 3
    assert sorted(done.text.split()) == ["a", "b", "c"]


def test_it_gets_no_input_and_what_is_added_to_the_environment() -> None:
    program = "import os, sys; print(sys.stdin.read() + os.environ['GIVEN'])"
    done = command.run(python(program), environment={"GIVEN": "value"})
    assert (done.code, done.last_line) == (0, "value")


def test_the_last_line_is_the_last_that_says_something() -> None:
    assert command.run(python("print('why\\n\\n')")).last_line == "why"
    assert command.run(python("")).last_line == ""


def test_cancelling_ends_it_and_what_it_started() -> None:
    program = (
        "import subprocess, sys, time\n"
        "inner = 'import time; print(1, flush=True); time.sleep(600)'\n"
        "subprocess.run([sys.executable, '-c', inner])\n"
    )
    seen: list[str] = []
    start = time.monotonic()
    done = command.run(python(program), on_line=seen.append, cancelled=lambda: bool(seen))
    assert done.code is None
    assert time.monotonic() - start < 300


def test_it_does_not_outlast_its_time() -> None:
    assert command.run(python("import time; time.sleep(600)"), timeout_s=0.2).code is None


def test_what_cannot_be_started_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="No such file"):
        command.run(["/nonexistent/program"])
