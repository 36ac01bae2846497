"""The agent, with faults at certain models. Run by path.

The name of the model says what goes wrong: `crash`, `garbage`, `empty`, `hang`, `touch`, `refuse`,
`other` (the result is that of `other.source`, beside the model), `crash_run`.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[2] / "ortstudio" / "jobs" / "agent.py"
spec = importlib.util.spec_from_file_location("agent", PATH)
assert spec is not None
assert spec.loader is not None
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)

convert, run = agent.Worker.convert, agent.Worker.run


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV if sys.platform != "win32" else signal.SIGTERM)


def tampered_convert(worker: object, number: int, arguments: dict[str, Any]) -> object:
    model, output = Path(arguments["session"]["model"]), Path(arguments["output"])
    if model.stem == "crash":
        output.write_bytes(b"half of a")
        crash()
    elif model.stem == "hang":
        output.write_bytes(b"half of a")
        worker._channel.say("progress", request=number, phase="hanging", done=0, total=1)  # type: ignore[attr-defined]
        time.sleep(600)
    elif model.stem == "garbage":
        output.write_bytes(b"\x18\0\0\0ORTM" + b"garbage" * 10)
        return {}
    elif model.stem == "empty":
        output.write_bytes(b"")
        return {}
    elif model.stem == "touch":
        os.utime(model, ns=(0, 0))
    elif model.stem == "refuse":
        raise agent.FailedError("load", "Failed to save ORT format model to file: x")
    elif model.stem == "other":
        arguments["session"]["model"] = str(model.with_name("other.source"))
    return convert(worker, number, arguments)


def tampered_run(worker: object, number: int, arguments: dict[str, Any]) -> object:
    if Path(arguments["session"]["model"]).stem == "crash_run":
        crash()
    return run(worker, number, arguments)


if __name__ == "__main__":
    agent.Worker.convert, agent.Worker.run = tampered_convert, tampered_run
    agent.main()
