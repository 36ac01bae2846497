"""Where two models begin to compute different things: outputs first, then value after value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ortstudio.analysis.words import listed
from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.compare import CompareSettings, compared
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_sides import asking
from ortstudio.services.conversion import CancelledError
from ortstudio.services.diff import Comparison, compare_documents
from ortstudio.services.document import Document
from ortstudio.services.inputs import Inputs
from ortstudio.services.layers_look import Looking
from ortstudio.services.layers_side import Side
from ortstudio.services.verify import Ask


def compare_layers(
    a: Document,
    b: Document,
    settings: CompareSettings,
    *,
    on_phase: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Compared:
    """Compare outputs, and what both compute on the way to them. Blocks.

    As `compare_outputs`; the inside is that of the models as they are stored, whatever the level
    for the outputs is. Where all agrees, larger sizes are tried as well: among single rows a wrong
    axis does not show.
    """

    def report(what: str) -> None:
        if on_phase:
            on_phase(what)

    with asking(on_phase, cancelled, make_child) as (ask, folder):
        found = compared(a, b, settings, ask, folder)
        report("pairing the nodes")
        work = _Work(compare_documents(a, b, cancelled=cancelled), ask, folder, report)
        found = work.look_into(found, settings)
        return found if _differs(found) else work.tried_larger(found, settings)


class _Work:
    """One comparison of what is inside."""

    def __init__(
        self, comparison: Comparison, ask: Ask, folder: Path, report: Callable[[str], None]
    ) -> None:
        self._comparison = comparison
        self._ask = ask
        self._folder = folder
        self._report = report

    def look_into(self, found: Compared, settings: CompareSettings) -> Compared:
        """With its layers. Raises StudioError where a model cannot be looked into."""
        sides = (
            Side(found.a, settings.session(found.a, "a"), self._folder / "a", self._ask),
            Side(found.b, settings.session(found.b, "b"), self._folder / "b", self._ask),
        )

        def report(what: str, done: int, total: int) -> None:
            self._report(f"{what}, {done:,} of {total:,}")

        looking = Looking(self._comparison, sides, found.fed, settings.tolerance, report)
        layers = looking.look()
        for side in sides:
            side.remove()
        return replace(found, layers=layers)

    def tried_larger(self, found: Compared, settings: CompareSettings) -> Compared:
        """The same with the next sizes; as it was where A refuses those or nothing differs."""
        sizes = _larger(found, settings)
        if not sizes:
            return found
        again = replace(settings, inputs=replace(settings.inputs, dims=sizes))
        try:
            other = compared(found.a, found.b, again, self._ask, self._folder)
            other = self.look_into(other, again)
        except CancelledError:
            raise
        except StudioError:
            return found
        if _differs(other):
            return other
        texts = [f"{symbol} = {size}" for symbol, size in sizes.items()]
        return replace(found, notes=(*found.notes, f"With {listed(texts)} all agrees too"))


def _differs(found: Compared) -> bool:
    return not found.found.agrees or (found.layers is not None and not found.layers.agree)


def _larger(found: Compared, settings: CompareSettings) -> Mapping[str, int]:
    """The sizes to try after those that were used; none where the user chose all of them."""
    sizes = found.fed.sizes
    for attempt in Inputs(found.a.model, settings.inputs).attempts():
        if attempt.sizes != sizes and all(attempt.sizes[name] >= sizes[name] for name in sizes):
            return attempt.sizes
    return {}
