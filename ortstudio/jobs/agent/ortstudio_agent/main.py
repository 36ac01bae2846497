"""Starts serving."""

import faulthandler
import os
import platform
import queue
import sys
import threading
import time
from typing import Optional

from ortstudio_agent.channel import PROTOCOL, Channel, Stop
from ortstudio_agent.files import Files
from ortstudio_agent.worker import Worker

ORPHAN_S = 10
"""How long work may go on after stdin was closed, should it not let itself be interrupted."""


def read_requests(requests: "queue.Queue[Optional[bytes]]", stop: Stop, files: Files) -> None:
    """For a thread of its own: the end of stdin must be seen while a request is served."""
    for line in iter(sys.stdin.buffer.readline, b""):
        requests.put(line)
    requests.put(None)
    stop.request()
    time.sleep(ORPHAN_S)
    files.remove()
    os._exit(0)


def main() -> None:
    """Serve requests until stdin ends."""
    faulthandler.enable()
    channel, stop, files = Channel(), Stop(), Files()
    requests: queue.Queue[Optional[bytes]] = queue.Queue()
    threading.Thread(target=read_requests, args=(requests, stop, files), daemon=True).start()
    python = platform.python_version()
    channel.say("hello", protocol=PROTOCOL, python=python, platform=sys.platform)
    worker = Worker(channel, stop, files)
    for line in iter(requests.get, None):
        worker.serve(line)
    files.remove()
    os._exit(0)  # Taking native libraries down in order may crash, and nothing is left to do.
