"""Models whose outermost structure is broken: FlatBuffers by their root, ONNX by its fields."""

from __future__ import annotations

from ortstudio.analysis.foreign import EXPORT, Diagnosis
from ortstudio.analysis.sample import Sample

AGAIN = "Copy or download it again."

_FLATBUFFERS = {
    "ET12": "an ExecuTorch program",
    "PTMF": "a PyTorch mobile model",
    "ORTM": "an ORT-format model",
    "ODTC": "an ONNX Runtime training checkpoint",
    "TORT": "a LoRA adapter",
}
_OUR_OFFSETS = {"ORTM": (0, 1, 2, 3), "ODTC": (1, 2, 3), "TORT": (3,)}
"""Our identifiers, and which slots of the root table refer to another place."""

MOST_BYTES = (1 << 31) - 1
"""The longest FlatBuffers file."""


def flatbuffer(sample: Sample) -> Diagnosis | None:
    """One of our formats with a broken structure, or another format with an identifier."""
    identifier = sample.head[4:8].decode("latin-1")
    if identifier in _OUR_OFFSETS:
        return _broken(sample, identifier)
    if sample.head[8:12] == b"ORTM":
        return Diagnosis(
            "size-prefixed",
            "This is an ORT-format model behind a length of four bytes, as streams use it",
            "Remove the first four bytes: the runtime does not read size-prefixed models.",
        )
    named = len(identifier) == 4 and identifier.isascii() and identifier.isalnum()
    if not named or _root_fields(sample.head) is None:
        return None
    what = _FLATBUFFERS.get(identifier, "a file of another FlatBuffers format")
    return Diagnosis(
        "other-flatbuffers", f"This is {what}: its identifier is {identifier}, not ORTM", EXPORT
    )


def _broken(sample: Sample, identifier: str) -> Diagnosis:
    """Why a file with the right identifier cannot be read."""
    what = _FLATBUFFERS[identifier]
    root = _number(sample.head, 0, 4) or 0
    if not any(sample.seen[8:]):
        message = f"The file has the header of {what} and nothing else"
        return Diagnosis("header-only", message, f"Its writer stopped at once. {AGAIN}")
    if not 8 <= root <= sample.size - 4:
        return Diagnosis(
            "root-outside",
            f"The identifier is that of {what}, but the first four bytes point to byte {root:,},"
            f" outside the {sample.size:,} bytes of the file",
            f"The file is cut short or damaged. {AGAIN}",
        )
    needed = _needed(sample.head, _OUR_OFFSETS[identifier])
    if needed > sample.size:
        return Diagnosis(
            "cut-short",
            f"The file is cut short: as {what} it needs at least {needed:,} bytes, and has"
            f" {sample.size:,}",
            AGAIN,
        )
    end = (sample.tail or sample.head)[-256:]
    if len(end) == 256 and not any(end):
        return Diagnosis(
            "unfilled",
            f"The file begins as {what} and ends in zeros: it was reserved but not filled",
            f"A download or copy stopped half way. {AGAIN}",
        )
    message = f"The identifier is that of {what}, but the structure behind it is broken"
    return Diagnosis("broken", message, f"The file is damaged. {AGAIN}")


def _number(data: bytes, at: int, width: int, signed: bool = False) -> int | None:
    """A little-endian number; None outside the bytes at hand."""
    if not 0 <= at <= len(data) - width:
        return None
    return int.from_bytes(data[at : at + width], "little", signed=signed)


def _vtable(head: bytes) -> int | None:
    """Where the root table's description should be; None without a root table in sight."""
    root = _number(head, 0, 4) or 0
    back = _number(head, root, 4, signed=True) if root >= 8 else None
    return None if back is None else root - back


def _root_fields(head: bytes) -> dict[int, int] | None:
    """Where the root table's fields stand, by slot; None where its description is not at hand."""
    vtable = _vtable(head)
    if vtable is None:
        return None
    length, table = _number(head, vtable, 2), _number(head, vtable + 2, 2)
    if length is None or table is None or length < 4 or length % 2 or table < 4:
        return None
    root = int.from_bytes(head[:4], "little")
    places = [_number(head, vtable + 4 + 2 * slot, 2) for slot in range((length - 4) // 2)]
    return {slot: root + place for slot, place in enumerate(places) if place}


def _needed(head: bytes, slots: tuple[int, ...]) -> int:
    """How long the file must be for the root and its references to lead anywhere.

    Writers begin with the version text, which therefore stands at the very end of the file: its
    length, one digit and a zero byte.
    """
    needed = min((_vtable(head) or 0) + 4, MOST_BYTES)
    fields = _root_fields(head) or {}
    for slot in slots:
        place = fields.get(slot)
        target = None if place is None else _number(head, place, 4)
        if place is not None and target is not None and target < MOST_BYTES:
            needed = max(needed, place + target + (6 if slot == 0 else 4))
    return needed


_IR_VERSION = 0x08
"""The tag with which an ONNX model begins: field 1, a number."""


def cut_onnx(sample: Sample) -> Diagnosis | None:
    """An ONNX model that ends too soon, told by the lengths of its outermost fields."""
    at, seen = 0, set()
    while True:
        tag, at = _varint(sample.head, at)
        value, at = _varint(sample.head, at)
        if tag is None or value is None or tag >> 3 not in range(1, 26) or tag & 7 not in (0, 2):
            return None
        seen.add(tag)
        if tag & 7 == 0:
            continue
        at += value
        if at > sample.size and _IR_VERSION in seen:
            return Diagnosis(
                "cut-short",
                f"The file is cut short: as an ONNX model it needs at least {at:,} bytes, and has"
                f" {sample.size:,}",
                AGAIN,
            )


def _varint(data: bytes, at: int) -> tuple[int | None, int]:
    """A protobuf number and the place behind it; None where the bytes at hand end too soon."""
    value = 0
    for i, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    return None, at
