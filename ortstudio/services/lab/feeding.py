"""Inputs for what is measured: those that the first file accepts, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Ending, Outcome
from ortstudio.model.types import TensorType
from ortstudio.services.compare_sides import unrunnable
from ortstudio.services.conversion import served
from ortstudio.services.document import Document
from ortstudio.services.exchange import Value
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lab.measuring import Feed, Make
from ortstudio.services.lab.subject import Subject
from ortstudio.services.lost_defaults import constants, lost_values
from ortstudio.services.verify import NotAcceptedError, Runs, SkippedError, accepted


class _EndedError(Exception):
    """The child crashed, took too long or had too little memory."""


class Feeding:
    """Finds inputs for every batch by running the first subject that survives it.

    They are made for the first of the `documents`; the others get default values too that it has
    and they lost. `used` says which ones, for the answer; `notes` why there are none. A child may
    take `timeout_s`.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        subjects: Sequence[Subject],
        batches: Sequence[int | None],
        inputs: InputSettings,
        folder: Path,
        make_child: Make,
        timeout_s: float,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._document = documents[0]
        model, others = documents[0].model, documents[1:]
        self._lost = {other.path: lost_values(model, other.model) for other in others}
        self._constants = {other.path: constants(other.model) for other in others}
        # What the first one lost is read by no node of its own, but by those of its source.
        self._regained = [lost_values(other.model, model) for other in others]
        firsts = dict[tuple[Path, str], Subject]()
        for one in subjects:
            # A way of loading is no part of it: here all are loaded from a path.
            firsts.setdefault((one.path, one.runtime), one)
        self._subjects = list(firsts.values())
        self._batches, self._inputs = batches, inputs
        self._folder, self._make_child = folder, make_child
        self._timeout_s, self._cancelled = timeout_s, cancelled
        self.feeds: dict[int | None, Feed] = {}
        self.used: Mapping[str, object] = {}
        self.notes: list[str] = []

    def feed(self) -> None:
        """Run one subject, as a rule the first, once for every batch.

        Raises StudioError where it does not even load, or its batch is fixed and one was asked for.
        """
        symbols = batch_symbols(self._document) if any(self._batches) else ()
        left = list(self._batches)
        for subject in self._subjects:
            left = self._feed_by(subject, left, symbols)
            if not left:
                return
        self.notes.append("Outputs are not compared: no run gave any that others could be held to")

    def _feed_by(
        self, subject: Subject, batches: Sequence[int | None], symbols: Sequence[str]
    ) -> list[int | None]:
        """The batches that are left where the child ended."""
        child = self._make_child(subject)

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            outcome = child.ask(
                verb, arguments, cancelled=self._cancelled, timeout_s=self._timeout_s
            )
            served(outcome, "The comparison")
            if outcome.starved or outcome.ending not in (Ending.DONE, Ending.FAILED):
                raise _EndedError
            return outcome

        left = list(batches)
        try:
            while left:
                folder = self._folder / f"batch-{left[0] or 0}"
                folder.mkdir(exist_ok=True)
                self._try(subject, left[0], Runs(ask, folder), symbols)
                del left[0]
        except _EndedError:
            pass
        except SkippedError as error:
            if subject is self._subjects[0]:
                raise unrunnable(error, "the model", self._document.path) from None
        finally:
            child.close()
        return left

    def _try(self, subject: Subject, batch: int | None, runs: Runs, symbols: Sequence[str]) -> None:
        """Find inputs for one batch. What the child does not survive is kept without outputs."""
        of = f" of batch {batch}" if batch else ""
        dims = dict.fromkeys(symbols, batch) if batch else {}
        settings = replace(self._inputs, dims={**self._inputs.dims, **dims})
        self.feeds.pop(batch, None)
        try:
            inputs = Inputs(self._document.model, settings)
            attempt, expected = accepted(runs, subject.session(), inputs)
            values = inputs.make(attempt)
        except NotAcceptedError as error:
            self.notes.append(f"Only loading{of} is measured: {error}")
            return
        except RefusedError as error:
            self.notes.append(f"Only loading{of} is measured: {error.message}")
            return
        except _EndedError:
            self.feeds[batch] = Feed(runs.inputs_file, runs.described)
            raise
        self.feeds[batch] = self._feed(runs, values, expected)
        self.used = self.used or {
            "inputs": {name: dict(row) for name, row in inputs.record(attempt).items()},
            "sizes": dict(attempt.sizes),
            "seed": settings.seed,
        }

    def _feed(self, runs: Runs, values: Mapping[str, Value], expected: Mapping[str, Value]) -> Feed:
        """Put into the file what any of the models must be given."""
        given = dict(values)
        for regained in self._regained:
            given |= regained
        whole = dict(given)
        for lost in self._lost.values():
            whole |= lost
        runs.feed(whole)
        by_name = {str(one["name"]): one for one in runs.described}
        return Feed(
            runs.inputs_file,
            [by_name[name] for name in given],
            expected,
            {path: [by_name[name] for name in lost] for path, lost in self._lost.items()},
            self._constants,
        )


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
