from __future__ import annotations

import ast
import json
import re

import pytest

from ortstudio.jobs import protocol
from ortstudio.jobs.protocol import (
    PROTOCOL,
    Cancelled,
    Failure,
    Hello,
    Log,
    Message,
    Progress,
    ProtocolError,
    Request,
    Result,
    parse,
)
from ortstudio.jobs.runner import AGENT

LATER = {
    "contextlib.nullcontext",
    "dataclasses.dataclass",
    "functools.cache",
    "functools.cached_property",
    "math.prod",
    "shlex.join",
    "shutil.copytree(dirs_exist_ok=)",
    "subprocess.Popen(text=)",
    "subprocess.run(capture_output=)",
    "subprocess.run(text=)",
    "sys.orig_argv",
    "time.monotonic_ns",
    "time.perf_counter_ns",
    "time.process_time_ns",
    "time.time_ns",
    "typing.Final",
    "typing.Literal",
    "typing.Protocol",
    "typing.TypedDict",
}
"""Of the standard library, what is likely to be asked for and came after Python 3.6."""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "hello", "protocol": 1, "python": "3.6.9"}', Hello(1, "3.6.9")),
        ('{"type": "progress", "request": 2, "phase": "load"}', Progress(2, "load")),
        (
            '{"type": "progress", "request": 2, "phase": "load", "done": 1, "total": null}',
            Progress(2, "load", 1, None),
        ),
        ('{"type": "log", "request": 2, "text": "t"}', Log(2, "t")),
        ('{"type": "result", "request": 2, "value": {"a": 1}}', Result(2, {"a": 1})),
        (
            '{"type": "error", "request": 2, "kind": "load", "message": "m", "traceback": "t"}',
            Failure(2, "load", "m", "t"),
        ),
        ('{"type": "cancelled", "request": 2, "later": "field"}', Cancelled(2)),
    ],
)
def test_a_line_is_read_as_its_message(line: str, message: Message) -> None:
    assert parse(line.encode()) == message


@pytest.mark.parametrize("line", [b"", b"noise", b"[1]", b"{}", b'{"type": "he', b"\xff", b"12"])
def test_what_is_not_ours_is_noise(line: bytes) -> None:
    assert parse(line) is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "unheard of"}',
        b'{"type": null}',
        b'{"type": "result", "request": 1, "value": []}',
        b'{"type": "progress", "request": "1", "phase": "p"}',
        b'{"type": "hello"}',
        b'{"type": "log", "request": 1, "text": 5}',
    ],
)
def test_what_claims_to_be_ours_must_be_right(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse(line)


def test_a_request_is_one_line_whatever_stands_in_it() -> None:
    line = Request(7, "run", {"path": "a\nb\udc80é", "list": [1]}).line()
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "request": 7,
        "verb": "run",
        "arguments": {"path": "a\nb\udc80é", "list": [1]},
    }


def test_the_agent_speaks_this_version_in_old_python() -> None:
    paths = [*sorted(AGENT.rglob("*.py")), AGENT.with_name("remote_start.py")]
    sources = [path.read_text(encoding="utf-8") for path in paths]
    for source in sources:
        ast.parse(source, feature_version=(3, 6))
    found = re.search(r"^PROTOCOL = (\d+)$", "".join(sources), re.MULTILINE)
    assert found is not None
    assert int(found[1]) == PROTOCOL


def test_the_agent_asks_the_library_for_nothing_that_old_python_lacks() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in AGENT.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    asked = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            asked |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Call):
            asked |= {f"{ast.unparse(node.func)}({word.arg}=)" for word in node.keywords}
    assert "time.perf_counter" in asked
    assert not asked & LATER


def test_every_message_names_its_fields_kinds() -> None:
    fields = {
        name
        for made in (Hello, Progress, Log, Result, Failure, Cancelled)
        for name, field in made.__dataclass_fields__.items()
        if field.type != "str"
    }
    assert fields == set(protocol._KINDS)
