"""Has a child run a source and its results, and keeps what the runs found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ortstudio.errors import StudioError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome
from ortstudio.services.conversion import served
from ortstudio.services.exchange import TensorValue
from ortstudio.services.sessions import Session
from ortstudio.services.verify import (
    NotAcceptedError,
    SkippedError,
    Verification,
    Verified,
    verify,
)
from ortstudio.services.verify_words import disagreement


class Verifier:
    """The child of one piece of `work`, such as "The export", and the checks of its results."""

    def __init__(
        self,
        work: str,
        child: Callable[[], Child],
        folder: Path,
        report: Callable[[str], None],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._work = work
        self._child = child
        self._folder = folder
        self._report = report
        self._cancelled = cancelled
        self.checks: list[Verified | str] = []
        """By result what the comparison found, or why there was none."""

    def ask(self, verb: str, arguments: Mapping[str, object]) -> Outcome:
        """Have a request served, and its phases reported. Raises as `served` does."""
        outcome = self._child().ask(
            verb, arguments, on_message=self._heard, cancelled=self._cancelled
        )
        return served(outcome, self._work)

    def check(
        self,
        wanted: Verification | str,
        source: Session,
        result: Session,
        target: Path,
        *,
        hint: str,
        lost: Mapping[str, TensorValue] | None = None,
        must_run: bool = False,
    ) -> None:
        """Have source and result run on what is wanted, or note why they are not.

        `lost` is as `verify` takes it. Raises where the result must not get the target's name, as
        it does not run or does not agree, which `hint` says the way out of; and with `must_run`,
        NotAcceptedError where the source takes no inputs.
        """
        if isinstance(wanted, str):
            self.checks.append(wanted)
            return
        try:
            found = verify(wanted, source, result, self.ask, self._folder, lost)
        except SkippedError as reason:
            if must_run and isinstance(reason, NotAcceptedError):
                raise
            self.checks.append(str(reason))
            return
        except StudioError as error:
            error.where = Where(str(target))
            raise
        self.checks.append(found)
        if not found.agrees:
            raise disagreement(found, target, hint)

    def _heard(self, message: Progress | Log) -> None:
        if isinstance(message, Progress):
            self._report(message.phase)
