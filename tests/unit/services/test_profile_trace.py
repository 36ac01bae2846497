from __future__ import annotations

import json
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.services.profile_trace import write_trace


def test_a_trace_holds_no_folder_of_this_machine(tmp_path: Path) -> None:
    raw, target = tmp_path / "raw.json", tmp_path / "out.json"
    secret = tmp_path / "secret"
    event = {"name": f"load {secret}/m.ort", "args": {"paths": [f"{secret}\\m.ort"], "n": 3}}
    raw.write_text(json.dumps([event, {"name": "/encoder/MatMul_kernel_time"}]))
    write_trace(raw, target, [secret])
    assert json.loads(target.read_text()) == [
        {"name": "load m.ort", "args": {"paths": ["m.ort"], "n": 3}},
        {"name": "/encoder/MatMul_kernel_time"},
    ]


def test_a_trace_replaces_no_file_unasked(tmp_path: Path) -> None:
    raw, target = tmp_path / "raw.json", tmp_path / "out.json"
    raw.write_text("[]")
    target.write_text("precious")
    with pytest.raises(RefusedError, match="exists already"):
        write_trace(raw, target, [])
    write_trace(raw, target, [], overwrite=True)
    assert target.read_text() == "[]\n"
