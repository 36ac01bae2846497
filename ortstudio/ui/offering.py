"""From the offer to convert what is open to the result that stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ortstudio.ui.pair_view import PairView
from ortstudio.ui.verdicts import Verdicts
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.jobs.runner import Child
    from ortstudio.services.conversion import Converted
    from ortstudio.services.convert_settings import ConvertSettings
    from ortstudio.ui.converting import Converting


class Offering(QObject):
    """Belongs to one pair of views; what converting takes is loaded when it is first offered."""

    open_requested = Signal(list)
    """A source and its result are to be opened, or one of them."""
    page_requested = Signal(str)
    """A page below has more to say."""
    listed = Signal()
    """A run of several is worth a look at the list."""
    chosen = Signal(str, str)
    """Level and style of the conversion that begins."""
    stopped = Signal()
    """A conversion ended without a result to open."""

    def __init__(
        self,
        workspace: Workspace,
        pair: PairView,
        verdicts: Verdicts,
        make_child: Callable[[], Child],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._pair = pair
        self._verdicts = verdicts
        self._make_child = make_child
        self._converting: Converting | None = None
        self._told: Converted | None = None
        self.sources: tuple[Path, ...] = ()
        """The ONNX models, or the folders of them, that can be converted now."""
        self.choices = "all", "fixed"
        """Level and style of last time."""
        pair.notice.details_requested.connect(lambda: self._show_result(self._told))

    @property
    def converting(self) -> Converting:
        """All that converting takes, made when first needed."""
        if self._converting is None:
            from ortstudio.ui.converting import Converting

            made = self._converting = Converting(self)
            made.conversions.make_child = self._make_child
            self._pair.add_offer(made.offer_pane)
            made.converted.connect(self._converted)
            made.open_requested.connect(self.open_requested)
            made.stopped.connect(self.stopped)
            made.listed.connect(self.listed)
            made.result_requested.connect(self._show_result)
            made.page_requested.connect(self.page_requested)
            made.chosen.connect(self._chosen)
        return self._converting

    @property
    def made(self) -> tuple[Path, ...]:
        """The models that the last conversion made."""
        return self._converting.made if self._converting is not None else ()

    def offer(self) -> None:
        """Offer to convert what is open, with the level and style of last time."""
        self.converting.offer(self.sources, *self.choices)
        self._pair.show_offer()

    def use(self, settings: ConvertSettings) -> None:
        """Offer to convert what is open as it was advised."""
        self.offer()
        self.converting.offer_pane.show_settings(settings)

    def tell_result(self) -> None:
        """Of a result that was opened because it was just made: whether it agrees, where it is."""
        if self._converting is None or self._converting.result is None:
            return
        from ortstudio.ui.job import summary

        result, self._converting.result = self._converting.result, None
        self.tell(f"Converted to {summary(result)}", result)

    def tell(self, words: str, result: Converted, *, with_details: bool = True) -> None:
        """Of a result that is open: how it came about, whether it agrees, where it is."""
        self._told = result
        self._verdicts.set_agreement(result.verified, result.verify_skipped or "")
        self._pair.notice.tell(words, result.outputs[0].path)
        self._pair.notice.details.setVisible(with_details)

    def _show_result(self, result: Converted | None) -> None:
        """Say all that became of one source, in the place of the result."""
        if result is not None:
            self.converting.offer_pane.show_result(result)
            self._pair.show_offer()

    def _converted(self, paths: list[Path]) -> None:
        """Open a result beside its source, unless something else was opened meanwhile."""
        shown = self._workspace.document(0)
        if shown is not None and shown.path == paths[0]:
            self.open_requested.emit(paths)
            return
        self.converting.result = None
        self.converting.offer_pane.offer_again()
        self.page_requested.emit("jobs")
        self.stopped.emit()

    def _chosen(self, level: str, style: str) -> None:
        self.choices = level, style
        self.chosen.emit(level, style)
