"""A second reading of the same picture: a class for each node, with colours, marks and a legend.

Kinds of change, measured times and saved optimizations are all shown this way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.ui.theme import Family, Theme

MAX_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One class: its words in the legend, and how it looks in a theme."""

    text: str
    look: Callable[[Theme], Family]


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """`classes` (int64[n]) names an entry for each node, -1 for one left in the background."""

    title: str
    entries: tuple[Entry, ...]
    classes: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.entries) > MAX_ENTRIES:
            raise ValueError(f"{len(self.entries)} entries, at most {MAX_ENTRIES} are told apart")
        if self.classes.size and not -1 <= self.classes.min() <= self.classes.max() < len(
            self.entries
        ):
            raise ValueError("a class that no entry stands for")
