"""Old and new on the same inputs, under each of several releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ortstudio.jobs.runner import Outcome
from ortstudio.model.model import FileKind
from ortstudio.services.document import Document
from ortstudio.services.knowledge import knowledge
from ortstudio.services.runtimes import Runtime
from ortstudio.services.sessions import Level, Session
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.upgraded import ReleaseRun
from ortstudio.services.verify import Ask, SkippedError, Verification, Verified, verify

REPLAY = {"session.enable_saved_runtime_optimizations": "1"}
"""Releases since 1.30 apply saved optimizations only with this; those before do it unasked."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs one old file and what was made of it; `folder` takes values on their way."""

    planned: PlannedUpgrade
    old: Path
    made: Path
    ask_under: Callable[[Runtime], Ask]
    folder: Path

    def all(self, wanted: Verification, new: Document) -> Iterator[ReleaseRun]:
        """Each release once, and once more with saved optimizations applied where there are any.

        Raises StudioError where the old file runs and the new one does not.
        """
        for runtime in self.planned.runtimes:
            yield self._run(wanted, runtime, replayed=False)
            if new.optimizations and self._reads_old(runtime):
                yield self._replayed(wanted, runtime, new)

    def _replayed(self, wanted: Verification, runtime: Runtime, new: Document) -> ReleaseRun:
        if any(problem.stops_load for one in new.optimizations for problem in one.problems):
            why = "One of them cannot be applied, in the old file either, and stops the load"
            return ReleaseRun(runtime, why, replayed=True)
        return self._run(wanted, runtime, replayed=True)

    def _run(self, wanted: Verification, runtime: Runtime, *, replayed: bool) -> ReleaseRun:
        old_under = next((one for one in self._able(runtime) if self._reads_old(one)), None)
        if old_under is None:
            return ReleaseRun(runtime, "No release at hand reads the old file")
        other = "" if old_under is runtime else old_under.onnxruntime
        found = self._compared(wanted, self._ask(old_under, runtime), replayed=replayed)
        return ReleaseRun(runtime, found, replayed, other)

    def _compared(self, wanted: Verification, ask: Ask, *, replayed: bool) -> Verified | str:
        old, new = (self._session(path, replayed=replayed) for path in (self.old, self.made))
        try:
            return verify(wanted, old, new, ask, self.folder)
        except SkippedError as reason:
            return str(reason)

    def _session(self, path: Path, *, replayed: bool) -> Session:
        """As it is stored; saved optimizations are applied from level extended on."""
        return Session(
            str(path.absolute()),
            FileKind.ORT,
            Level.EXTENDED if replayed else Level.DISABLE,
            REPLAY if replayed else {},
            custom_ops=self.planned.settings.custom_ops,
        )

    def _ask(self, old_under: Runtime, new_under: Runtime) -> Ask:
        """Requests about the old file go to the one release, the others to the other."""
        old = str(self.old.absolute())

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            session = arguments["session"]
            is_old = isinstance(session, dict) and session["model"] == old
            return self.ask_under(old_under if is_old else new_under)(verb, arguments)

        return ask

    def _able(self, runtime: Runtime) -> Iterator[Runtime]:
        """What may run the old file: the release itself, else what the upgrade takes."""
        yield runtime
        if self.planned.route is not None and self.planned.route.runtime is not None:
            yield self.planned.route.runtime
        yield from self.planned.spare

    def _reads_old(self, runtime: Runtime) -> bool:
        versions = knowledge().versions
        before = versions.get(self.planned.facts.version) if self.planned.facts else None
        minor = min(runtime.minor, versions.newest_release)
        return before is not None and minor in before.full
