"""A remote machine as a runtime: an OpenSSH server of the test's own, on loopback."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, helper

from ortstudio.errors import JobError, UsageError
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.remote import address, remote_child
from ortstudio.jobs.runner import Child, Ending, Outcome
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType
from ortstudio.services import runtimes
from ortstudio.services.exchange import Description, TensorValue, read_values, write_values
from ortstudio.services.runtimes import Kind, Places
from ortstudio.services.sessions import Session, Style, saving_config
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value
from tests.e2e.command import ortstudio

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
needs_server = pytest.mark.skipif(
    not (SSHD and shutil.which("ssh") and shutil.which("ssh-keygen")),
    reason="OpenSSH's server is not installed",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An address under which our own interpreter serves; its temporary files go to `far`."""
    folder = tmp_path_factory.mktemp("ssh")
    (folder / "far").mkdir()
    port = free_port()
    write_keys(folder, port)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        with contextlib.suppress(OSError):
            Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "log").open("w") as log:
        assert SSHD
        server = subprocess.Popen([SSHD, "-f", folder / "sshd", "-D", "-e"], stderr=log)
    try:
        wait_for(port, server, folder / "log")
        options = f"config={folder / 'client'}&python={sys.executable}"
        yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}?{options}"
    finally:
        server.terminate()
        server.wait()


def far(place: str) -> Path:
    return Path(address(place).config).with_name("far")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def write_keys(folder: Path, port: int) -> None:
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    (folder / "sshd").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\n"
        f"AuthorizedKeysFile {folder / 'user.pub'}\nStrictModes no\nUsePAM no\n"
        f"PasswordAuthentication no\nSetEnv TMPDIR={folder / 'far'}\n"
    )
    (folder / "client").write_text(
        f"Host *\n IdentityFile {folder / 'user'}\n IdentitiesOnly yes\n LogLevel ERROR\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile {folder / 'known'}\n"
    )


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    pytest.skip(f"OpenSSH's server does not start here: {log.read_text()[-300:]}")


@pytest.fixture(scope="module")
def child(place: str) -> Iterator[Child]:
    with remote_child(place) as made:
        yield made


def session(path: Path, kind: FileKind = FileKind.ONNX, **changes: object) -> dict[str, object]:
    return Session(str(path), kind).to_json() | changes


def run_arguments(folder: Path, model: ModelProto, given: TensorValue) -> dict[str, object]:
    onnx.save(model, folder / "m.onnx")
    described = write_values(folder / "in.npz", {"x": given})
    return {
        "session": session(folder / "m.onnx"),
        "inputs": {"file": str(folder / "in.npz"), "values": described},
        "outputs": str(folder / "out.npz"),
    }


def output_of(outcome: Outcome, folder: Path) -> TensorValue:
    assert outcome.ok, outcome.words
    described = cast("list[Description]", outcome.value["outputs"])
    found = read_values(folder / "out.npz", described)["x_out"]
    assert isinstance(found, TensorValue)
    return found


@needs_server
def test_it_says_what_it_has_to_offer(child: Child) -> None:
    found = child.ask("probe", {})
    assert found.ok, found.words
    assert found.value["onnxruntime"] == onnxruntime.__version__
    assert child.hello is not None
    assert child.hello.platform == sys.platform


@needs_server
def test_it_loads_and_runs_a_model_and_brings_the_outputs(
    child: Child, place: str, tmp_path: Path
) -> None:
    """Of many pieces either way, and the model is sent once."""
    numbers = np.arange(2_000_000, dtype=np.float32)
    given = TensorValue(DataType.FLOAT, numbers.shape, numbers)
    arguments = run_arguments(tmp_path, identity(value("x", FLOAT, [None])), given)
    heard: list[str] = []

    def hear(message: Progress | Log) -> None:
        if isinstance(message, Progress):
            heard.append(message.phase)

    outcome = child.ask("run", arguments, on_message=hear)
    np.testing.assert_array_equal(output_of(outcome, tmp_path).numbers, numbers)
    assert outcome.value["run_ns"]
    assert list(dict.fromkeys(heard)) == ["send", "load", "run", "fetch"]
    assert heard.count("send") == heard.count("fetch") + 1 == 4
    heard.clear()
    assert child.ask("run", arguments, on_message=hear).ok
    assert heard.count("send") == 0
    load = child.ask("load", {"session": session(tmp_path / "m.onnx")})
    assert load.ok
    (folder,) = far(place).glob("ortstudio-*")
    assert {path.suffix for path in folder.iterdir()} >= {".onnx", ".npz"}


@needs_server
def test_a_file_that_changed_is_sent_again(child: Child, tmp_path: Path) -> None:
    one = TensorValue(DataType.FLOAT, (1,), np.array([1.5], np.float32))
    model = identity(value("x", FLOAT, [None]))
    first = child.ask("run", run_arguments(tmp_path, model, one))
    assert output_of(first, tmp_path).numbers.tolist() == [1.5]
    two = TensorValue(DataType.FLOAT, (2,), np.array([2.5, 3.5], np.float32))
    second = child.ask("run", run_arguments(tmp_path, model, two))
    assert output_of(second, tmp_path).numbers.tolist() == [2.5, 3.5]


@needs_server
def test_it_converts_and_brings_the_result(child: Child, tmp_path: Path) -> None:
    onnx.save(identity(value("x")), tmp_path / "m.onnx")
    config = saving_config(Style.FIXED) | {"session.load_model_format": "ONNX"}
    arguments = {
        "session": session(tmp_path / "m.onnx", config=config),
        "output": str(tmp_path / "result"),
    }
    assert child.ask("convert", arguments).ok
    assert (tmp_path / "result").read_bytes()[4:8] == b"ORTM"


@needs_server
def test_it_times_load_and_run_over_there(child: Child, tmp_path: Path) -> None:
    given = TensorValue(DataType.FLOAT, (2,), np.array([1.5, -2], np.float32))
    arguments = run_arguments(tmp_path, identity(value("x")), given) | {
        "way": "path",
        "files": [str(tmp_path / "m.onnx")],
        "cache": "warm",
        "warmup": 1,
        "runs": 3,
        "run_ns": 0,
        "cpus": [],
    }
    outcome = child.ask("measure", arguments)
    assert outcome.ok, outcome.words
    assert outcome.value["load_ns"]
    assert output_of(outcome, tmp_path).numbers.tolist() == [1.5, -2]


@needs_server
def test_what_cannot_be_done_over_there_is_an_answer(child: Child, tmp_path: Path) -> None:
    onnx.save(identity(value("x")), tmp_path / "m.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    for asked, kind, words in (
        (session(tmp_path / "none.onnx"), "load", "No such file"),
        (session(tmp_path / "bad.onnx"), "load", "rotobuf"),
        (session(tmp_path / "m.onnx", custom_ops="/lib.so"), "unsupported", "not sent"),
    ):
        outcome = child.ask("load", {"session": asked})
        assert outcome.failure is not None
        assert outcome.failure.kind == kind
        assert words in outcome.failure.message
    outcome = child.ask("unheard of", {})
    assert outcome.failure is not None
    assert "not done on another machine" in outcome.failure.message
    assert child.ask("probe", {}).ok


@needs_server
def test_cancelling_ends_the_work_over_there_and_leaves_nothing(place: str, tmp_path: Path) -> None:
    nodes = [helper.make_node("MatMul", [f"v{i}", "x"], [f"v{i + 1}"]) for i in range(20_000)]
    nodes[0].input[0] = "x"
    model = onnx_model(nodes, [value("x", FLOAT, [512, 512])], [value("v20000", FLOAT, None)])
    given = TensorValue(DataType.FLOAT, (512, 512), np.zeros((512, 512), np.float32))
    arguments = run_arguments(tmp_path, model, given)
    arguments["session"] = session(tmp_path / "m.onnx", level="disable")
    before = set(far(place).glob("ortstudio-*"))
    phases: list[str] = []
    with remote_child(place) as child:
        outcome = child.ask(
            "run",
            arguments,
            on_message=lambda message: phases.append(getattr(message, "phase", "")),
            cancelled=lambda: "run" in phases,
        )
    assert outcome.ending is Ending.CANCELLED
    deadline = time.monotonic() + 60
    while set(far(place).glob("ortstudio-*")) != before:
        assert time.monotonic() < deadline, "files of the cancelled run stay"
        time.sleep(0.05)


@needs_server
def test_convert_takes_the_machine_by_its_name(place: str, tmp_path: Path) -> None:
    places = Places(tmp_path / "config" / "ortstudio" / "runtimes.json", tmp_path / "data")
    added = runtimes.add(place, places)
    assert (added.kind, added.where) == (Kind.SSH, place)
    assert added.name == f"{getpass.getuser()}@127.0.0.1"
    assert runtimes.find(added.name, places) == added
    assert runtimes.add(place, places) == added
    assert added in runtimes.look_around(places)

    onnx.save(identity(value("x")), tmp_path / "m.onnx")
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "APPDATA": str(tmp_path / "config")}
    arguments = ("convert", tmp_path / "m.onnx", "--runtime", added.name, "--json")
    done = ortstudio(*arguments, environment=home)
    assert done.code == 0, done.err
    assert done.json["results"][0]["verified"]["agrees"]
    assert (tmp_path / "m.ort").exists()


@needs_server
def test_a_machine_that_cannot_be_used_says_why(place: str, tmp_path: Path) -> None:
    places = Places(tmp_path / "runtimes.json", tmp_path / "data")
    for wrong, words in (
        (place.replace(str(address(place).port), str(free_port())), "Connection refused"),
        (place.replace(f"python={sys.executable}", "python=python2.1"), "not found"),
    ):
        with pytest.raises(JobError, match=words):
            runtimes.add(wrong, places)
    assert [runtime.name for runtime in runtimes.at_hand(places)] == ["own"]


@pytest.mark.parametrize(
    "text",
    [
        "ssh://",
        "ssh://-oProxyCommand=x",
        "ssh://-l@host",
        "ssh://host:port",
        "ssh://host?python=python3;reboot",
        "ssh://host?python=$(reboot)",
        "ssh://host?python=-c",
        "ssh://host?colour=red",
        "ssh://host?python",
        "ssh://ho st",
        "http://host",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not an address"):
        address(text)


def test_an_address_becomes_a_command() -> None:
    found = address("ssh://pi@raspberry.local:2222?python=~/venv/bin/python")
    assert found.name == "pi@raspberry.local"
    words = found.command()
    assert words[1:4] == ["-T", "-o", "BatchMode=yes"]
    assert words[-4:-1] == ["-p", "2222", "pi@raspberry.local"]
    assert words[-1].startswith("~/venv/bin/python -c ")
    assert address("ssh://[::1]").name == "::1"
    assert address("ssh://phone").command()[-2] == "phone"
