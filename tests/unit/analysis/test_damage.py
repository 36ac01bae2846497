from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import tarfile
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.analysis.damage import diagnose, explain
from ortstudio.analysis.sample import EDGE_BYTES, Sample
from ortstudio.errors import FormatError, Where
from ortstudio.format.source import Source
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS

GOOD = (CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()
ONNX = (CORPUS / "sources" / "cnn.onnx").read_bytes()
NOISE = np.random.default_rng(7).integers(0, 256, 20_000, np.uint8).tobytes()


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "content")
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("model.onnx"))
    return file.getvalue()


def safetensors() -> bytes:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(4)


def other_flatbuffer(identifier: bytes) -> bytes:
    """Root at 16, whose vtable at 8 has one field."""
    vtable = struct.pack("<HHHH", 6, 8, 4, 0)
    return struct.pack("<I", 16) + identifier + vtable + struct.pack("<ii", 8, 1) + NOISE[:64]


def kind(content: bytes) -> str:
    return diagnose(Sample.of(Source.of_bytes(content))).kind


@pytest.mark.parametrize(
    ("content", "expected", "words"),
    [
        (b"", "empty", "The file is empty"),
        (GOOD[: len(GOOD) // 2], "cut-short", "cut short"),
        (bytes(len(GOOD)), "all-zeros", "never filled"),
        (bytes(300_000), "all-zeros", "300 kB"),
        (b"\xff" * 4096, "one-value", "0xff"),
        (b"\n<!DOCTYPE html>\n<html><body>404</body></html>", "web-page", "web page"),
        (b"\xef\xbb\xbf<HTML lang=en>", "web-page", "web page"),
        (b"<!-- x --><html></html>", "web-page", "web page"),
        (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "xml", "XML"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345678\n",
            "git-lfs-pointer",
            "a file of 12.3 MB",
        ),
        (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs-pointer", "Git LFS pointer"),
        (b"/annex/objects/SHA256E-s1--x\n", "git-annex-pointer", "git-annex"),
        (b"\x1c\0\0\0TFL3" + bytes(20), "tflite", "TFL3"),
        (other_flatbuffer(b"ABCD"), "other-flatbuffers", "ABCD"),
        (other_flatbuffer(b"ET12"), "other-flatbuffers", "ExecuTorch"),
        (bytes(b ^ 0x5A for b in GOOD), "scrambled", "0x5a"),
        (NOISE, "high-entropy", "possibly encrypted or compressed"),
        (zlib.compress(NOISE + GOOD)[2:], "high-entropy", "possibly encrypted or compressed"),
        (b"\xff\xff\xff\x7f" + GOOD[4:], "root-outside", "byte 2,147,483,647"),
        (b"\0\0\0\0" + GOOD[4:], "root-outside", "byte 0"),
        (GOOD[:8], "header-only", "nothing else"),
        (GOOD[:8] + bytes(100), "header-only", "nothing else"),
        (GOOD[:60] + NOISE + GOOD[20_060:], "broken", "structure behind it is broken"),
        (GOOD + bytes(300), "unfilled", "ends in zeros"),
        (struct.pack("<I", len(GOOD)) + GOOD, "size-prefixed", "behind a length"),
        (ONNX[: len(ONNX) // 2], "cut-short", "as an ONNX model"),
        (zipped("model.onnx", "ext.bin"), "zip", "ZIP archive"),
        (zipped(), "zip", "empty ZIP"),
        (zipped("net/data.pkl", "net/data/0"), "pytorch", "PyTorch"),
        (gzip.compress(ONNX), "gzip", "gzip"),
        (b"\x28\xb5\x2f\xfd" + NOISE, "zstd", "Zstandard"),
        (b"\xfd7zXZ\0" + NOISE, "xz", "xz"),
        (b"BZh91AY" + NOISE, "bzip2", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c" + NOISE, "7z", "7-Zip"),
        (b"Rar!\x1a\x07\0" + NOISE, "rar", "RAR"),
        (tarred(), "tar", "tar archive"),
        (pickle.dumps({"weights": [1.0, 2.0]}), "pickle", "pickle"),
        (pickle.dumps([1, 2, 3], protocol=2), "pickle", "pickle"),
        (safetensors(), "safetensors", "safetensors"),
        (b"GGUF\x03\0\0\0" + NOISE[:100], "gguf", "GGUF"),
        (b"\x89HDF\r\n\x1a\n" + NOISE[:100], "hdf5", "Keras"),
        (b"\x93NUMPY\x01\0" + NOISE[:100], "npy", "NumPy"),
        (b"\x7fELF\x02\x01" + NOISE[:100], "library", "Linux"),
        (b"MZ\x90\0" + NOISE[:100], "library", "Windows"),
        (b"\x89PNG\r\n\x1a\n" + NOISE[:100], "image", "PNG"),
        (b"\xff\xd8\xff\xe0" + NOISE[:100], "image", "JPEG"),
        (b"%PDF-1.7\n" + NOISE[:100], "document", "PDF"),
        (b"\x08\x01\x12\xf4\x03\x0a\x10" + NOISE[:600], "protobuf", "SavedModel"),
        (b'{"message": "Not Found"}', "json", "JSON"),
        (b'{"not": json', "text", "text file"),
        (b"Entry not found\n", "text", "'Entry not found'"),
        ("Größe".encode() + b"\n", "text", "Größe"),
        (b"\r\n\r\n", "text", "text file"),
        (b"\x01\x02\x03\x04\x05\x06", "unrecognised", "unrecognised"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08" * 1000, "unrecognised", "unrecognised"),
    ],
)
def test_each_kind_of_file_has_its_own_statement(content: bytes, expected: str, words: str) -> None:
    found = diagnose(Sample.of(Source.of_bytes(content)))
    assert found.kind == expected
    assert words in found.message
    assert found.hint.endswith(".")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_every_file_cut_anywhere_is_told_to_be_cut_short(part: float) -> None:
    for file in corpus_files():
        content = (CORPUS / file["file"]).read_bytes()
        if content[4:8] == b"ORTM":
            assert kind(content[: int(len(content) * part)]) == "cut-short", file["file"]


def test_losing_the_last_bytes_is_told_too() -> None:
    end = len(GOOD.rstrip(b"\0"))
    assert kind(GOOD[: end - 1]) == "cut-short"


def test_of_a_long_file_the_ends_and_some_of_the_middle_are_looked_at() -> None:
    content = bytes(EDGE_BYTES) + NOISE * 20 + bytes(EDGE_BYTES)
    sample = Sample.of(Source.of_bytes(content))
    assert sample.size == len(content)
    assert len(sample.seen) <= 200_000
    assert any(sample.middle)


def test_the_ends_of_a_file_between_one_and_two_edges_are_seen_once() -> None:
    content = NOISE * 5
    assert EDGE_BYTES < len(content) < 2 * EDGE_BYTES
    assert Sample.of(Source.of_bytes(content)).seen == content


def test_an_error_keeps_its_place_and_gains_the_statement() -> None:
    source = Source.of_bytes(GOOD[:5000], "model.ort")
    error = explain(FormatError("A reference leads nowhere", where=Where("", 24, "Model")), source)
    assert error.message.startswith("The file is cut short")
    assert error.message.endswith("(A reference leads nowhere)")
    assert str(error.where) == "model.ort, byte 24, Model"
    assert error.hint


@given(st.binary(max_size=400))
def test_no_bytes_are_beyond_words(content: bytes) -> None:
    assert diagnose(Sample.of(Source.of_bytes(content))).message


@given(st.integers(0, 120), st.binary(min_size=1, max_size=8))
def test_no_damage_to_the_root_is_beyond_words(place: int, change: bytes) -> None:
    content = GOOD[:place] + change + GOOD[place + len(change) :]
    assert diagnose(Sample.of(Source.of_bytes(content))).message


@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_no_damage_to_a_protobuf_is_beyond_words(place: int, change: bytes) -> None:
    content = ONNX[:place] + change + ONNX[place + len(change) : 3000]
    assert diagnose(Sample.of(Source.of_bytes(content))).message
