"""What converting takes in the window: runs, the card that offers them, the page that lists them.

Loaded when the first conversion is offered: who only looks need not wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.services.conversion import Conversion, Converted
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.conversions import Conversions, KnownPlan
from ortstudio.ui.jobs_page import JobsPage
from ortstudio.ui.offer_pane import OfferPane


class Converting(QObject):
    """Offers sources, converts them, and says what became of them."""

    converted = Signal(list)
    """Source and result of a single conversion that succeeded."""
    stopped = Signal()
    """A run ended without a single result to open."""
    open_requested = Signal(list)
    """Paths of a conversion in the list."""
    chosen = Signal(str, str)
    """Level and style of the run that begins."""
    result_requested = Signal(object)
    """All of one `Converted` is to be said."""
    page_requested = Signal(str)
    """A page below has more to say."""
    listed = Signal()
    """A run of several is worth a look at the list."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._sources: tuple[Path, ...] = ()
        self.result: Converted | None = None
        self.made: tuple[Path, ...] = ()
        """The models that the last run made."""
        self.conversions = Conversions(self)
        self.offer_pane = OfferPane(self.conversions)
        self._page: JobsPage | None = None
        self.offer_pane.convert_requested.connect(self.start)
        self.offer_pane.open_requested.connect(self.open_requested)
        self.offer_pane.reasons_requested.connect(lambda: self.page_requested.emit("advice"))
        self.conversions.ended.connect(self._ended)
        self.conversions.failed.connect(self.stopped)

    @property
    def page(self) -> JobsPage:
        """The list of all conversions, made when first needed."""
        if self._page is None:
            self._page = JobsPage(self.conversions)
            self._page.open_requested.connect(self.open_requested)
            self._page.result_requested.connect(self.result_requested)
        return self._page

    def offer(self, sources: Sequence[Path], level: str, style: str) -> None:
        """Offer to convert these, with these choices to begin with."""
        self._sources = tuple(sources)
        self.offer_pane.offer(sources, level, style)

    def start(self, settings: ConvertSettings, known: KnownPlan | None = None) -> None:
        """Convert what is offered, by a plan that is known where it still holds."""
        self.result = None
        self.chosen.emit(settings.level.value, settings.styles[0].value)
        if len(self._sources) > 1 or self._sources[0].is_dir():
            self.listed.emit()
        self.conversions.start(self._sources, settings, known)

    def _ended(self, conversion: Conversion) -> None:
        """A single result is to be opened beside its source; several are told in the list."""
        rows = conversion.results
        self.made = tuple(made.path for row in rows for made in row.outputs if made.is_model)
        if len(rows) == 1 and rows[0].ok:
            self.result = rows[0]
            self.converted.emit([rows[0].source, rows[0].outputs[0].path])
            return
        if len(rows) > 1:
            self.listed.emit()
        self.stopped.emit()
