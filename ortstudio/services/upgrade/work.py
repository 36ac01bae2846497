"""One file's upgrade: written, read back and compared, run beside the old one, published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ortstudio.errors import StudioError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import Output, served
from ortstudio.services.document import open_document
from ortstudio.services.lossless_upgrade import upgrade_lossless
from ortstudio.services.ort_write import rewrite
from ortstudio.services.runtime_words import child_error
from ortstudio.services.runtimes import Runtime
from ortstudio.services.sessions import Level, Session, Style, saving_config
from ortstudio.services.staging import publish, reserved
from ortstudio.services.upgrade.compare import compared
from ortstudio.services.upgrade.facts import strips_of
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.route import Route
from ortstudio.services.upgrade.runs import Runs
from ortstudio.services.upgrade.upgraded import Proof, ReleaseRun, Upgraded
from ortstudio.services.verify import Ask, Verified
from ortstudio.services.verify_words import disagreement

KEEP = "Keep the result all the same with --no-verify."


class Work:
    """The upgrade of one file; `child_of` gives a child under a release, `folder` is for values."""

    def __init__(
        self,
        planned: PlannedUpgrade,
        child_of: Callable[[Runtime], Child],
        folder: Path,
        report: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._planned = planned
        self._child_of = child_of
        self._folder = folder
        self._report = report
        self._cancelled = cancelled
        self._source = planned.source
        self._old = planned.source
        self._proof: Proof | None = None
        self._runs: list[ReleaseRun] = []
        self._outputs: list[Output] = []

    def upgrade(self) -> Upgraded:
        """Do everything; errors end in the row."""
        planned = self._planned
        error = planned.refusal
        if planned.is_wanted:
            try:
                self._make(self._way())
            except StudioError as found:
                error = found.at(str(self._source))
        checks = tuple(run.found for run in self._runs if not run.replayed)
        if isinstance(planned.verification, str) and self._outputs:
            checks = (planned.verification,)
        return Upgraded(
            self._source,
            tuple(self._outputs),
            checks,
            error,
            planned.opened,
            refused=planned.refusal is not None,
            skipped=planned.skipped,
            planned=self._planned,
            proof=self._proof,
        )

    def _way(self) -> Route:
        assert self._planned.route
        return self._planned.route

    def _make(self, way: Route) -> None:
        planned = self._planned
        planned.check_unchanged()
        with reserved(planned.target) as temporary:
            self._report("write")
            self._write(way, temporary)
            planned.check_unchanged()
            self._report("compare")
            self._compare(way, temporary)
            planned.check_unchanged()
            self._report("publish")
            size_bytes = temporary.stat().st_size
            publish(temporary, planned.target, overwrite=planned.settings.overwrite)
            what = f"the same model in format version {way.after}"
            self._outputs.append(Output(planned.target, "model", size_bytes, what))

    def _write(self, way: Route, temporary: Path) -> None:
        if way.runtime is None:
            upgrade_lossless(self._source, temporary)
            return
        if way.fills_identifier:
            self._old = self._folder / "identified.ort"
            rewrite(self._source, self._old)
        session = Session(
            str(self._old.absolute()),
            FileKind.ORT,
            Level.DISABLE,
            saving_config(Style.FIXED),
            custom_ops=self._planned.settings.custom_ops,
        )
        request = {"session": session.to_json(), "output": str(temporary)}
        outcome = self._ask_under(way.runtime)("convert", request)
        if not outcome.ok:
            raise child_error(outcome, "The upgrade", Where(str(self._source)), session.custom_ops)

    def _compare(self, way: Route, made: Path) -> None:
        """Have our reader compare, then run both. Raises where it must not be published."""
        planned = self._planned
        try:
            new, proof = compared(open_document(self._source), made, way)
            self._planned = replace(planned, after=strips_of(new))
            if not isinstance(planned.verification, str):
                runs = Runs(planned, self._old, made, self._ask_under, self._folder)
                for run in runs.all(planned.verification, new):
                    self._take(run)
        except StudioError as error:
            error.where = Where(str(planned.target), error.where.offset_bytes, error.where.field)
            raise
        self._proof = replace(proof, runs=tuple(self._runs))

    def _take(self, run: ReleaseRun) -> None:
        self._runs.append(run)
        if isinstance(run.found, Verified) and not run.found.agrees:
            error = disagreement(run.found, self._planned.target, KEEP)
            error.message = f"Under {run.words}: {error.message}"
            raise error

    def _ask_under(self, runtime: Runtime) -> Ask:
        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            outcome = self._child_of(runtime).ask(
                verb, arguments, on_message=self._heard, cancelled=self._cancelled
            )
            return served(outcome, "The upgrade")

        return ask

    def _heard(self, message: Progress | Log) -> None:
        if isinstance(message, Progress) and message.phase != "convert":
            self._report(message.phase)
