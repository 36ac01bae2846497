"""Conversions from the plan to the published file, through real children."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from ortstudio.errors import DONE_NO, DONE_YES, UNREADABLE, RefusedError
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Style
from tests.e2e.converting import converted, listing, one, plain, save


def test_a_model_is_converted_verified_and_published(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx")
    before = source.read_bytes()
    row = one(source)
    assert row.error is None
    assert listing(tmp_path) == ["m.onnx", "m.ort"]
    assert source.read_bytes() == before
    model = read_model(tmp_path / "m.ort")
    assert (model.kind.value, model.error) == ("ort", None)
    answer = row.to_json()
    assert answer["outputs"] == [
        {
            "path": str(tmp_path / "m.ort"),
            "role": "fixed",
            "size_bytes": (tmp_path / "m.ort").stat().st_size,
            "purpose": "for the CPU: all optimizations of the level are applied",
        }
    ]
    verified = answer["verified"]
    assert isinstance(verified, dict)
    assert verified["agrees"] is True
    assert verified["max_abs"] == verified["max_rel"] == 0
    assert (verified["seed"], verified["rtol"], verified["atol"]) == (0, 1e-3, 1e-4)
    assert verified["inputs"] == {"x": {"type": "tensor(float)[1,3]", "values": "random"}}
    assert verified["sizes"] == {"n": 1}
    assert (answer["ok"], answer["verify_skipped"], answer["error"]) == (True, None, None)


def test_the_answer_is_json_and_counts_its_rows(tmp_path: Path) -> None:
    found = converted([save(tmp_path / "m.onnx"), tmp_path / "none.onnx"])
    answer = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert answer["schema"] == "ortstudio/convert@1"
    assert (answer["ok"], answer["converted"], answer["failed"]) == (False, 1, 1)
    assert answer["results"][1]["error"]["kind"] == "missing"
    assert answer["results"][1]["verify_skipped"]


NOT_LOADED_BACK = {"float4", "int2", "int4"}
OPTIONAL = {"optional", "optional_io"}


def test_the_corpus_converts_but_for_what_the_runtime_cannot(tmp_path: Path, corpus: Path) -> None:
    settings = plain(output_dir=str(tmp_path), keep_going=True)
    found = {row.source.stem: row for row in converted([corpus / "sources"], settings).results}
    failed = {name: str(row.error) for name, row in found.items() if row.error is not None}
    assert set(failed) == NOT_LOADED_BACK | OPTIONAL
    assert all("though it writes one" in failed[name] for name in NOT_LOADED_BACK)
    assert all("optional type" in failed[name] for name in OPTIONAL)
    assert all(row.verified for row in found.values() if row.ok)
    assert listing(tmp_path) == sorted(f"{name}.ort" for name, row in found.items() if row.ok)


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx")
    (tmp_path / "m.ort").write_bytes(b"old")
    assert isinstance(one(source).error, RefusedError)
    assert (tmp_path / "m.ort").read_bytes() == b"old"
    assert one(source, plain(overwrite=True)).ok
    assert read_model(tmp_path / "m.ort").error is None


def test_exit_codes_are_those_of_the_contract(tmp_path: Path) -> None:
    good, missing = save(tmp_path / "m.onnx"), tmp_path / "none.onnx"
    (tmp_path / "bad.onnx").write_bytes(b"<html>")
    again = plain(overwrite=True)
    assert converted([good], again).exit_code == DONE_YES
    assert converted([good]).exit_code == DONE_NO
    assert converted([good, missing], again).exit_code == DONE_NO
    assert converted([missing]).exit_code == UNREADABLE
    assert converted([missing, tmp_path / "bad.onnx"]).exit_code == UNREADABLE


@pytest.mark.parametrize("name", ["m.onnx", "m.ort", "m"])
def test_the_extension_does_not_matter(tmp_path: Path, name: str) -> None:
    settings = plain(output_dir=str(tmp_path / "out"))
    assert one(save(tmp_path / name), settings).verified is not None
    assert listing(tmp_path / "out") == ["m.ort"]


@pytest.mark.parametrize("name", ["日本 é\n.onnx", "-o.onnx", "%s.onnx", f"{'a' * 240}.onnx"])
def test_odd_names_are_names(tmp_path: Path, name: str) -> None:
    assert one(save(tmp_path / name)).verified is not None
    assert (tmp_path / name).with_suffix(".ort").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
def test_a_name_that_is_not_unicode_is_told(tmp_path: Path) -> None:
    source = tmp_path / os.fsdecode(b"caf\xe9.onnx")
    save(tmp_path / "m.onnx").rename(source)
    error = one(source).error
    assert isinstance(error, RefusedError)
    assert error.message == "ONNX Runtime cannot open a path that is not valid Unicode"


def test_both_styles_stand_in_one_row(tmp_path: Path, corpus: Path) -> None:
    shutil.copy(corpus / "sources" / "qdq.onnx", tmp_path)
    row = one(tmp_path / "qdq.onnx", plain(styles=(Style.FIXED, Style.RUNTIME)))
    assert [output.role for output in row.outputs] == ["fixed", "runtime"]
    assert [output.path.name for output in row.outputs] == ["qdq.ort", "qdq.with_runtime_opt.ort"]
    assert row.verified is not None
    assert row.verified.agrees
