"""The upgrade wizard without a window: states that are values, and what leads from one to the next.

Looking → Explained → Upgrading → Reported. A state does the work that it is for where it is told
to, in whatever thread, and changes nothing by that; what came of it makes the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import Conversion, ConvertProgress
from ortstudio.services.runtimes import Runtime, at_hand
from ortstudio.services.upgrade.plan import plan
from ortstudio.services.upgrade.planned import PlannedUpgrade, UpgradePlan
from ortstudio.services.upgrade.questions import Questions, questions
from ortstudio.services.upgrade.run import OnProgress, run
from ortstudio.services.upgrade.settings import UpgradeSettings

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Request:
    """Files and folders, what was chosen for them, and which files are left out."""

    paths: tuple[Path, ...]
    settings: UpgradeSettings = field(default_factory=lambda: UpgradeSettings(cautious=True))
    left_out: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Looking:
    """The files are looked at. `before` is what stands again where nobody waits for that."""

    request: Request
    before: Explained | None = None

    def look(
        self,
        *,
        runtimes: Callable[[], Sequence[Runtime]] = at_hand,
        on_progress: Callable[[int, int], None] | None = None,
        cancelled: Cancelled | None = None,
    ) -> UpgradePlan:
        """Do it. Blocks. Raises CancelledError, and UsageError where the choices fit no file."""
        return plan(
            self.request.paths,
            self.request.settings,
            runtimes=runtimes,
            on_progress=on_progress,
            cancelled=cancelled,
        )

    def looked(self, found: UpgradePlan) -> Explained:
        """All is known: the next state."""
        agreed = self.before is not None and self.before.agreed
        return Explained(self.request, found, agreed)


@dataclass(frozen=True)
class Explained:
    """What the files are, what would become of them, and what is left to decide.

    `agreed` says that the loss of saved optimizations was agreed to.
    """

    request: Request
    plan: UpgradePlan
    agreed: bool = False

    @cached_property
    def questions(self) -> Questions:
        """What must be asked."""
        return questions(UpgradePlan(self.chosen_rows))

    @cached_property
    def chosen_rows(self) -> tuple[PlannedUpgrade, ...]:
        """The files that were not left out."""
        return tuple(row for row in self.plan.rows if row.source not in self.request.left_out)

    @cached_property
    def wanted(self) -> tuple[PlannedUpgrade, ...]:
        """Those of them that will be upgraded."""
        return tuple(row for row in self.chosen_rows if row.is_wanted)

    @property
    def obstacle(self) -> str:
        """Why it cannot start; empty where it can."""
        if not self.wanted:
            return "Nothing to upgrade"
        if self.questions.losing and not self.agreed:
            return "The loss of saved optimizations has to be agreed to"
        return ""

    def chosen(self, settings: UpgradeSettings) -> Looking:
        """Something else is wanted: the files are looked at again."""
        return Looking(replace(self.request, settings=settings), self)

    def leaving_out(self, path: Path, *, out: bool) -> Explained:
        """Leave one file out, or not."""
        left_out = self.request.left_out - {path} | ({path} if out else set())
        return Explained(replace(self.request, left_out=left_out), self.plan, self.agreed)

    def agreeing(self, agreed: bool) -> Explained:
        """Agree to the loss of saved optimizations, or no longer."""
        return Explained(self.request, self.plan, agreed)

    def started(self) -> Upgrading:
        """The upgrade begins."""
        assert not self.obstacle, self.obstacle
        return Upgrading(self, UpgradePlan(self.wanted, self.plan.skipped))


@dataclass(frozen=True, slots=True)
class Upgrading:
    """The files are upgraded one by one; `progress` is the newest of each, by its place."""

    before: Explained
    plan: UpgradePlan
    progress: Mapping[int, ConvertProgress] = field(default_factory=dict)

    def upgrade(
        self,
        *,
        on_progress: OnProgress | None = None,
        cancelled: Cancelled | None = None,
        child_under: Callable[[Runtime], Child] = Runtime.child,
    ) -> Conversion:
        """Do it. Blocks. Files that fail, and those that nobody waits for, say so in their rows."""
        return run(self.plan, on_progress=on_progress, cancelled=cancelled, child_under=child_under)

    def told(self, now: ConvertProgress) -> Upgrading:
        """Something changed."""
        return replace(self, progress={**self.progress, now.index: now})

    def ended(self, done: Conversion) -> Reported:
        """All files have come to their end."""
        return Reported(self.before, done)


@dataclass(frozen=True, slots=True)
class Reported:
    """What became of each file, with the proof."""

    before: Explained
    done: Conversion

    def back(self) -> Looking:
        """To the explanation, of files as they are by now."""
        return Looking(self.before.request, self.before)


State = Looking | Explained | Upgrading | Reported
