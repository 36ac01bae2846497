"""Runs the program as a person or a script would, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Answer: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Answer:
        """The one object on stdout, read as strictly as JSON is meant."""

        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


def ortstudio(
    *arguments: str | Path,
    environment: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    timeout: float = 100,
) -> Done:
    """Run it to its end. A variable that is None is taken out of the environment."""
    env = os.environ | {"COLUMNS": "100"}  # Lines break in the same places wherever this runs.
    for name, text in (environment or {}).items():
        env.pop(name, None)
        if text is not None:
            env[name] = text
    done = subprocess.run(
        [sys.executable, "-m", "ortstudio", *map(str, arguments)],
        capture_output=True,
        check=False,
        env=env,
        cwd=cwd,
        timeout=timeout,
    )
    out, err = done.stdout.decode(errors="surrogateescape"), done.stderr.decode("utf-8")
    assert "Traceback" not in err, err
    return Done(done.returncode, out, err)


def on_terminal(start: Callable[[int], subprocess.Popen[bytes]]) -> bytes:
    """What a program writes to a terminal, whose descriptor `start` passes on. POSIX only."""
    import pty

    ours, theirs = pty.openpty()
    with start(theirs) as child:
        os.close(theirs)
        text = b""
        # Linux fails where others see the end, once the program has closed its side.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 1 << 16):
                text += part
        os.close(ours)
        assert child.wait() == 0
    return text
