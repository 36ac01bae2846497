"""Inputs for what is measured: those that the first file accepts, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ortstudio.errors import RefusedError, StudioError, Where
from ortstudio.jobs.runner import Outcome
from ortstudio.model.types import TensorType
from ortstudio.services.conversion import served
from ortstudio.services.document import Document
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lab.measuring import Feed, Make
from ortstudio.services.lab.subject import Subject
from ortstudio.services.verify import NotAcceptedError, Runs, SkippedError, accepted


class Feeding:
    """Finds inputs for every batch by running the first subject.

    `used` says which ones, for the answer; `notes` why there are none.
    """

    def __init__(
        self,
        document: Document,
        subject: Subject,
        batches: Sequence[int | None],
        inputs: InputSettings,
        folder: Path,
        make_child: Make,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._document, self._subject = document, subject
        self._batches, self._inputs = batches, inputs
        self._folder, self._make_child = folder, make_child
        self._cancelled = cancelled
        self.feeds: dict[int | None, Feed] = {}
        self.used: Mapping[str, object] = {}
        self.notes: list[str] = []

    def feed(self) -> None:
        """Run the subject once for every batch.

        Raises StudioError where it does not even load, or its batch is fixed and one was asked for.
        """
        symbols = batch_symbols(self._document) if any(self._batches) else ()
        child = self._make_child(self._subject)

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            return served(child.ask(verb, arguments, cancelled=self._cancelled), "The comparison")

        try:
            for batch in self._batches:
                folder = self._folder / f"batch-{batch or 0}"
                folder.mkdir()
                dims = dict.fromkeys(symbols, batch) if batch else {}
                settings = replace(self._inputs, dims={**self._inputs.dims, **dims})
                self._try(batch, Runs(ask, folder), settings)
        except SkippedError as error:
            raise StudioError(str(error), where=Where(str(self._document.path))) from None
        finally:
            child.close()

    def _try(self, batch: int | None, runs: Runs, settings: InputSettings) -> None:
        of = f" of batch {batch}" if batch else ""
        try:
            inputs = Inputs(self._document.model, settings)
            attempt, expected = accepted(runs, self._subject.session(), inputs)
        except NotAcceptedError as error:
            self.notes.append(f"Only loading{of} is measured: {error}")
            return
        except RefusedError as error:
            self.notes.append(f"Only loading{of} is measured: {error.message}")
            return
        self.feeds[batch] = Feed(runs.inputs_file, runs.described, expected)
        self.used = self.used or {
            "inputs": {name: dict(row) for name, row in inputs.record(attempt).items()},
            "sizes": dict(attempt.sizes),
            "seed": settings.seed,
        }


def batch_symbols(document: Document) -> tuple[str, ...]:
    """The symbols that inputs begin with. Raises RefusedError where there is none."""
    main = document.model.main
    found = [
        of.dims[0]
        for row in main.inputs
        if isinstance(of := main.values.types[row], TensorType) and of.dims
    ]
    symbols = tuple(dict.fromkeys(dim for dim in found if isinstance(dim, str) and dim))
    if not symbols:
        raise RefusedError(
            "The model's batch size is fixed: no input begins with a symbolic size",
            where=Where(str(document.path)),
            hint="Measure it without --batches.",
        )
    return symbols
