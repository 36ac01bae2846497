"""From process start to the whole picture of 10 000 nodes, against Netron in headless Chromium.

Netron is timed from opening its page on its own local server until its drawing stands: starting
the server and the browser is not counted against it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Claim, run
from tests.bench.models import node_heavy

CHILD = Path(__file__).with_name("window_child.py")
ROUNDS = 3
NODES = 10_000
FLAGS = [
    "--no-sandbox",
    # Nothing outside this machine is waited for.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
]
SERVE = """
import netron, sys
netron.start(sys.argv[1], address=("localhost", int(sys.argv[2])), browse=False)
netron.wait()
"""
# The page's own evaluation is switched off by Netron; waiting in it needs it back.
UNLOCK = """
const original = window.eval;
Object.defineProperty(window, 'eval', {get: () => original, set: () => {}});
"""
DRAWN = """
() => document.body && /\\bdefault\\b/.test(document.body.className)
    && !/spinner|notification/.test(document.body.className)
    && document.querySelectorAll('#canvas #nodes > *').length > 0
"""
# About cookies, before anything is read. A later question offers to stop drawing.
ASKED = "() => document.body && document.body.className === 'welcome notification'"


def claims() -> Iterator[Claim]:
    """In turns, medians."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = [name for name in ("netron", "playwright") if importlib.util.find_spec(name) is None]
    if chromium is None or missing:
        wanted = [*missing, *(["Chromium"] if chromium is None else [])]
        print(f"  skipped: needs {' and '.join(wanted)}")
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    path = str(node_heavy(NODES, ".ort"))
    ours = [sys.executable, str(CHILD), "ours", path]
    run(ours)
    pairs = [(run(ours).seconds, netron(path, chromium)) for _ in range(ROUNDS)]
    mine, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    yield Claim(
        f"whole picture of {NODES:,} nodes, Netron against ours",
        statistics.median(theirs / mine for mine, theirs in pairs),
        10.0,
        at_most=False,
        detail=f"{theirs:.1f} s against {mine:.1f} s",
    )


def netron(path: str, chromium: str) -> float:
    """Seconds from opening the page until the drawing stands."""
    from playwright.sync_api import sync_playwright

    port = _free_port()
    command = [sys.executable, "-c", SERVE, path, str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _await_server(port)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(viewport={"width": 1360, "height": 860})
            page.add_init_script(UNLOCK)
            start = time.perf_counter()
            page.goto(f"http://localhost:{port}/", wait_until="commit")
            while not page.evaluate(DRAWN):
                if page.evaluate(ASKED):
                    page.click("#message-button")
                page.wait_for_timeout(50)
            seconds = time.perf_counter() - start
            browser.close()
            return seconds
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_server(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("Netron's server did not start")
