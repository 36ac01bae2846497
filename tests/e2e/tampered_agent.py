"""The agent, with faults at certain models. Run by path.

The name of the model says what goes wrong: `crash`, `garbage`, `empty`, `hang`, `touch`, `refuse`,
`other` (the result is that of `other.source`, beside the model), `crash_run`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "ortstudio" / "jobs" / "agent"))

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import FailedError
from ortstudio_agent.main import main
from ortstudio_agent.verbs import convert, run
from ortstudio_agent.work import Work
from ortstudio_agent.worker import VERBS


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV if sys.platform != "win32" else signal.SIGTERM)


def tampered_convert(work: Work, arguments: Json) -> Json:
    model, output = Path(arguments["session"]["model"]), Path(arguments["output"])
    if model.stem == "crash":
        output.write_bytes(b"half of a")
        crash()
    elif model.stem == "hang":
        output.write_bytes(b"half of a")
        work.progress("hanging")
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
        raise FailedError("load", "Failed to save ORT format model to file: x")
    elif model.stem == "other":
        arguments["session"]["model"] = str(model.with_name("other.source"))
    return convert.serve(work, arguments)


def tampered_run(work: Work, arguments: Json) -> Json:
    if Path(arguments["session"]["model"]).stem == "crash_run":
        crash()
    return run.serve(work, arguments)


if __name__ == "__main__":
    VERBS.update(convert=tampered_convert, run=tampered_run)
    main()
