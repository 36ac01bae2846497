"""Files that are no ONNX Runtime model, told by how they begin."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ortstudio.analysis.words import count, size_text

UNPACK = "Unpack it first, then open the model inside."
EXPORT = "Export the model to ONNX with the tool that made it, then convert."


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a file is instead: a stable kind, a plain statement, and what to do next."""

    kind: str
    message: str
    hint: str


_MAGIC = (
    (0, b"PK\x05\x06", "zip", "This is an empty ZIP archive", UNPACK),
    (0, b"\x1f\x8b", "gzip", "This is a gzip-compressed file", UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "zstd", "This is a Zstandard-compressed file", UNPACK),
    (0, b"\xfd7zXZ\0", "xz", "This is an xz-compressed file", UNPACK),
    (0, b"BZh", "bzip2", "This is a bzip2-compressed file", UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "7z", "This is a 7-Zip archive", UNPACK),
    (0, b"Rar!\x1a\x07", "rar", "This is a RAR archive", UNPACK),
    (257, b"ustar", "tar", "This is a tar archive", UNPACK),
    (
        4,
        b"TFL3",
        "tflite",
        "This is a TensorFlow Lite model (FlatBuffers, identifier TFL3)",
        EXPORT,
    ),
    (0, b"GGUF", "gguf", "This is a GGUF model, the format of llama.cpp", EXPORT),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5", "This is an HDF5 file, perhaps a Keras model", EXPORT),
    (0, b"\x93NUMPY", "npy", "This is a NumPy array, not a model", "Look for the model file."),
    (0, b"\x7fELF", "library", "This is a program or library for Linux", "Look for the model."),
    (0, b"MZ", "library", "This is a program or library for Windows", "Look for the model."),
    (0, b"\x89PNG", "image", "This is a PNG image, not a model", "Look for the model file."),
    (0, b"\xff\xd8\xff", "image", "This is a JPEG image, not a model", "Look for the model file."),
    (0, b"%PDF", "document", "This is a PDF document, not a model", "Look for the model file."),
)

_LFS = b"version https://git-lfs.github.com/spec/v1"
_PICKLE = re.compile(rb"\x80[\x02-\x05][\x8a\x95}(\]cq]")
_SAVED_MODEL = re.compile(rb"\x08[\x01-\x20]\x12[\x80-\xff]*[\x00-\x7f]\x0a", re.DOTALL)


def foreign(head: bytes, size: int) -> Diagnosis | None:
    """The format that the first bytes belong to; None where they belong to none we know."""
    for offset, magic, kind, message, hint in _MAGIC:
        if head.startswith(magic, offset):
            return Diagnosis(kind, message, hint)
    return _pointer(head) or _zip(head) or _weights(head, size) or _protobuf(head)


def _pointer(head: bytes) -> Diagnosis | None:
    """What version control left in place of a large file."""
    if head.startswith(_LFS):
        size = re.search(rb"\nsize (\d+)", head)
        stands_for = f" of {size_text(int(size[1]))}" if size and len(size[1]) < 20 else ""
        return Diagnosis(
            "git-lfs-pointer",
            f"This is a Git LFS pointer, which stands for a file{stands_for}",
            "Fetch the real file with `git lfs pull`, or download it from its page.",
        )
    if head.startswith(b"/annex/objects/"):
        return Diagnosis(
            "git-annex-pointer",
            "This is a git-annex pointer, which stands for a larger file",
            "Fetch the real file with `git annex get`.",
        )
    return None


def _zip(head: bytes) -> Diagnosis | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    if b"/data.pkl" in head or b"/constants.pkl" in head:
        return Diagnosis("pytorch", "This is a PyTorch model (a ZIP of pickled tensors)", EXPORT)
    return Diagnosis("zip", "This is a ZIP archive", UNPACK)


def _weights(head: bytes, size: int) -> Diagnosis | None:
    """Pickles and safetensors: weights without a graph."""
    if _PICKLE.match(head):
        return Diagnosis(
            "pickle", "This is a Python pickle, perhaps a PyTorch model or its weights", EXPORT
        )
    length = int.from_bytes(head[:8], "little")
    if len(head) > 8 and 2 <= length <= size - 8 and re.match(rb'\{\s*["}]', head[8:]):
        return Diagnosis(
            "safetensors", "This is a safetensors file: weights without a graph", EXPORT
        )
    return None


def _protobuf(head: bytes) -> Diagnosis | None:
    """Models of other tools in protobuf: their second field is a message, ONNX's is text."""
    if _SAVED_MODEL.match(head):
        return Diagnosis(
            "protobuf", "This is a model of another tool: TensorFlow SavedModel or Core ML", EXPORT
        )
    return None


def text_file(head: bytes, size: int) -> Diagnosis | None:
    """What kind of text the file is; None where it is no text."""
    text = _decoded(head)
    if text is None:
        return None
    start = text.lstrip("\ufeff \t\r\n").lower()
    if start.startswith(("<!doctype html", "<html", "<head", "<body")) or "<html" in start[:2000]:
        return Diagnosis(
            "web-page",
            "This is a web page, not a model: probably an error or login page that was"
            " downloaded in its place",
            "Download the file again from its direct address.",
        )
    if start.startswith(("<?xml", "<error")):
        message = "This is an XML document, not a model: perhaps a server's error message"
        return Diagnosis("xml", message, "Open it in a text editor to see what it says.")
    if start[:1] in ("{", "[") and _is_json(text, whole=len(head) == size):
        message = "This is JSON text, not a model: perhaps a server's answer or a configuration"
        return Diagnosis("json", message, "Open it in a text editor to see what it says.")
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    quoted = f", beginning {first[:60]!r}" if first else f" of {count(size, 'blank')}"
    return Diagnosis(
        "text", f"This is a text file{quoted}", "Open it in a text editor to see what it says."
    )


def _decoded(head: bytes) -> str | None:
    """The bytes as text; a character cut at the end is left out, anything unprintable refuses."""
    for cut in range(4):
        try:
            text = head[: len(head) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        plain = all(c.isprintable() or c in "\t\r\n\f\ufeff" for c in text)
        return text if text and plain else None
    return None


def _is_json(text: str, whole: bool) -> bool:
    if not whole:
        return True
    try:
        json.loads(text.lstrip("\ufeff"))
    except ValueError:
        return False
    return True
