"""Serves requests: finds the verb, and says how it ended."""

import json
import time
import traceback
from typing import Callable, Dict

from ortstudio_agent import STARTED
from ortstudio_agent.channel import Channel, Json, Stop
from ortstudio_agent.failures import FailedError, failing
from ortstudio_agent.files import Files
from ortstudio_agent.sessions import Sessions
from ortstudio_agent.verbs import (
    accelerators,
    check_onnx,
    convert,
    gather_weights,
    get,
    load,
    measure,
    probe,
    profile,
    put,
    run,
    survey,
    tap,
    update_opset,
)
from ortstudio_agent.work import Work

VERBS: Dict[str, Callable[[Work, Json], Json]] = {
    "accelerators": accelerators.serve,
    "check-onnx": check_onnx.serve,
    "convert": convert.serve,
    "gather-weights": gather_weights.serve,
    "get": get.serve,
    "load": load.serve,
    "measure": measure.serve,
    "probe": probe.serve,
    "profile": profile.serve,
    "put": put.serve,
    "run": run.serve,
    "survey": survey.serve,
    "tap": tap.serve,
    "update-opset": update_opset.serve,
}


class Worker:
    """Serves one request after the other."""

    def __init__(self, channel: Channel, stop: Stop, files: Files) -> None:
        self._channel = channel
        self._stop = stop
        self._files = files
        self._sessions = Sessions(stop)
        self._imports_s = time.perf_counter() - STARTED

    def serve(self, line: bytes) -> None:
        """Answer one request with its last word."""
        number = 0
        try:
            with failing("request"):
                request = json.loads(line.decode())
                number = request["request"]
                value = VERBS[request["verb"]](self._work(number), request["arguments"])
        except FailedError as error:
            if self._stop.requested:
                self._channel.say("cancelled", request=number)
                return
            words = traceback.format_exc()
            self._channel.say(
                "error", request=number, kind=error.kind, message=str(error), traceback=words
            )
        else:
            self._channel.say("result", request=number, value=value)

    def _work(self, number: int) -> Work:
        return Work(number, self._channel, self._stop, self._sessions, self._files, self._imports_s)
