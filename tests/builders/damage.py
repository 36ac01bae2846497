"""Files with a few bytes changed."""

from __future__ import annotations

from hypothesis import strategies as st

changes = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)),
    min_size=1,
    max_size=4,
)
"""Places in a file, as shares of its length, and what is to stand there."""


def damaged(content: bytes, places: list[tuple[float, bytes]]) -> bytes:
    """The content with these changes, of the same length."""
    made = bytearray(content)
    for place, new in places:
        at = int(place * len(made))
        made[at : at + len(new)] = new
    return bytes(made[: len(content)])
