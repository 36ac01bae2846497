"""A sample of a file's bytes: enough to say what it is, few enough to read at once."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.format.source import Source

EDGE_BYTES = 1 << 16
MIDDLE_PARTS, MIDDLE_BYTES = 16, 1 << 12


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of a file's bytes: `head` and `tail` touch its ends, `middle` is pieces in between."""

    size: int
    head: bytes
    middle: bytes = b""
    tail: bytes = b""

    @property
    def seen(self) -> bytes:
        """All that was sampled; what stands in both `head` and `tail` of a small file, once."""
        overlap = max(0, len(self.head) + len(self.tail) - self.size)
        return self.head + self.middle + self.tail[overlap:]

    @staticmethod
    def of(source: Source) -> Sample:
        """Sample a file: at most 200 kB are read, and not kept."""
        size, edge = source.size, min(source.size, EDGE_BYTES)
        head = source.payload(0, edge)
        if size <= EDGE_BYTES:
            return Sample(size, head)
        tail = source.payload(size - edge, edge)
        step = (size - 2 * EDGE_BYTES) // MIDDLE_PARTS
        middle = b"".join(
            source.payload(EDGE_BYTES + i * step, min(step, MIDDLE_BYTES))
            for i in range(MIDDLE_PARTS if step > 0 else 0)
        )
        return Sample(size, head, middle, tail)
