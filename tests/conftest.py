"""What holds for every test: no display, no traces in the user's folders, no unexpected warning."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ortstudio.jobs.runner import agent_child, children
from tests.oracles.runtime import Runtime

# The same examples in every run, and no limit on their time: a busy machine is no fault.
settings.register_profile(
    "steady",
    max_examples=80,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("steady"), max_examples=1000)
settings.load_profile("steady")

# Before Qt is loaded. A platform that was asked for stays, such as xcb under Xvfb.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

USER_FOLDERS = {
    "XDG_CONFIG_HOME": "config",
    "XDG_CACHE_HOME": "cache",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "APPDATA": "config",
    "LOCALAPPDATA": "cache",
}


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that holds pyproject.toml."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Files written by released runtimes, their sources and expected outputs."""
    return Path(__file__).parent / "corpus"


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    """ONNX Runtime, in a process that may crash without harm."""
    with children(agent_child) as child:
        yield Runtime(child, tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="session", autouse=True)
def own_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and caches go to a folder of this run."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for variable, folder in USER_FOLDERS.items():
            patch.setenv(variable, str(home / folder))
        yield


@pytest.fixture(autouse=True)
def no_unexpected_warnings(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fail a test that logs a warning or worse, unless a `logs` marker names its words."""
    yield
    expected = [re.compile(marker.args[0]) for marker in request.node.iter_markers("logs")]
    unexpected = [
        f"{record.name}: {record.getMessage()}"
        for record in caplog.get_records("call")
        if record.levelno >= logging.WARNING
        and not any(pattern.search(record.getMessage()) for pattern in expected)
    ]
    if unexpected:
        pytest.fail("unexpected log records:\n" + "\n".join(unexpected))
