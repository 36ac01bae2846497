"""What a file that is no readable model is, in one plain statement.

The runtime answers nearly every such file with the same sentence. Here a sample of the bytes is
enough: how the file begins, some of its middle, how it ends.
"""

from __future__ import annotations

import numpy as np

from ortstudio.analysis.foreign import Diagnosis, foreign, text_file
from ortstudio.analysis.sample import Sample
from ortstudio.analysis.structure import AGAIN, cut_onnx, flatbuffer
from ortstudio.analysis.words import size_text
from ortstudio.errors import FormatError, Where
from ortstudio.format.source import Source


def diagnose(sample: Sample) -> Diagnosis:
    """Say what the file is. Ask only of a file that could not be read as a model."""
    return (
        _empty(sample)
        or _filled(sample)
        or flatbuffer(sample)
        or foreign(sample.head, sample.size)
        or text_file(sample.head, sample.size)
        or cut_onnx(sample)
        or _scrambled(sample)
        or _unrecognised(sample)
    )


def explain(error: FormatError, source: Source) -> FormatError:
    """The reader's error with the statement first, its place and its own words kept."""
    found = diagnose(Sample.of(source))
    message = f"{found.message} ({error.message})" if error.message else found.message
    where = Where(error.where.path or source.path, error.where.offset_bytes, error.where.field)
    return FormatError(message, where=where, hint=found.hint)


def _empty(sample: Sample) -> Diagnosis | None:
    if sample.size:
        return None
    return Diagnosis(
        "empty",
        "The file is empty",
        "Write or download it again. ONNX Runtime leaves an empty file behind when it fails to"
        " save a model, as with more than 2 GB.",
    )


def _filled(sample: Sample) -> Diagnosis | None:
    """One value all over: memory or disk space that was set aside and never written."""
    seen = np.frombuffer(sample.seen, np.uint8)
    if (seen != seen[0]).any():
        return None
    if seen[0] == 0:
        return Diagnosis(
            "all-zeros",
            f"The file is all zeros ({size_text(sample.size)}): its buffer was never filled",
            f"A download or copy reserved it and stopped. {AGAIN}",
        )
    return Diagnosis("one-value", f"Every byte of the file is 0x{seen[0]:02x}", AGAIN)


def _scrambled(sample: Sample) -> Diagnosis | None:
    """A good file with one value XORed into every byte, as simple protections do."""
    keys = {byte ^ wanted for byte, wanted in zip(sample.head[4:8], b"ORTM", strict=False)}
    if len(sample.head) < 8 or len(keys) != 1:
        return None
    key = keys.pop()
    return Diagnosis(
        "scrambled",
        "The file is unrecognised, possibly encrypted: it has no identifier, but XORed with"
        f" 0x{key:02x} it begins like an ORT-format model",
        "Ask whoever made it how to decode it; the application that it is for may do so.",
    )


def _unrecognised(sample: Sample) -> Diagnosis:
    """Nothing fits; how even the bytes are spread tells packed data from plain."""
    seen = np.frombuffer(sample.seen, np.uint8)
    shares = np.bincount(seen, minlength=256) / len(seen)
    bits = -float(np.sum(shares[shares > 0] * np.log2(shares[shares > 0])))
    # So many bits an evenly spread sample of this length has (Miller's correction).
    full = 8 - 255 / (2 * len(seen) * np.log(2))
    if len(seen) >= 256 and bits > full - 0.25:
        return Diagnosis(
            "high-entropy",
            "The file is unrecognised, possibly encrypted or compressed: it has no identifier,"
            f" and its bytes look random ({bits:.1f} bits of entropy in each)",
            "Ask whoever made it how to decode it; the application that it is for may do so.",
        )
    return Diagnosis(
        "unrecognised",
        "The file is unrecognised: it has the identifier of no format that this tool knows",
        "Make sure that it is the model and that it was copied in binary mode.",
    )
