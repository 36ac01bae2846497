"""What a plan of upgrades says: of every file what will become of it, and what it would lose."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.errors import DONE_NO, DONE_YES, UNREADABLE, ChangedError, StudioError, Where
from ortstudio.format.source import Identity
from ortstudio.services.convert_planned import DRY_RUN
from ortstudio.services.convert_sources import Skipped
from ortstudio.services.runtimes import Runtime
from ortstudio.services.upgrade.facts import Facts, Strips
from ortstudio.services.upgrade.onnx_source import OnnxSource
from ortstudio.services.upgrade.route import Route
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.verify import Verification


@dataclass(frozen=True, slots=True)
class Words:
    """All that is said of a file before anything is written, a sentence each."""

    meaning: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    better: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The answer's `explained`."""
        return {name: list(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class PlannedUpgrade:
    """A file and what would become of it.

    What is known grows in the order of the fields: `facts` and `before` are there for every sound
    file of a known version, `to`, `route` and `after` where it is to be upgraded. `refusal` says
    why it cannot be, `skipped` why it need not. Old and new are run under `runtimes` on what
    `verification` says, or are not for the reason that it gives. `root` is the folder that was
    named in its place; `opened` is false where it is not even a sound model. What a release of
    `runtimes` does not read runs under one of `spare`.
    """

    source: Path
    target: Path
    settings: UpgradeSettings
    root: Path | None = None
    facts: Facts | None = None
    before: Strips | None = None
    to: int | None = None
    onnx: OnnxSource | None = None
    route: Route | None = None
    after: Strips | None = None
    words: Words = field(default_factory=Words)
    runtimes: tuple[Runtime, ...] = ()
    spare: tuple[Runtime, ...] = ()
    identity: Identity | None = None
    verification: Verification | str = ""
    refusal: StudioError | None = None
    skipped: str = ""
    opened: bool = True

    @property
    def is_wanted(self) -> bool:
        """Whether anything will be made of it."""
        return self.refusal is None and not self.skipped

    def check_unchanged(self) -> None:
        """Raises ChangedError where the file is no longer the one that was planned for."""
        try:
            changed = self.identity != Identity.of(self.source.stat())
        except OSError:
            changed = True
        if changed:
            raise ChangedError(
                "The file was changed during the upgrade, and nothing was written",
                where=Where(str(self.source)),
                hint="Upgrade it again once it is written in full.",
            )

    def to_json(self) -> dict[str, object]:
        """A row of the answer of `--plan`."""
        outputs = [{"path": str(self.target), "role": "model"}]
        state = "queued" if self.is_wanted else "skipped" if self.skipped else "refused"
        return {
            "source": str(self.source),
            "outputs": outputs if self.is_wanted else [],
            "ok": self.refusal is None,
            "state": state,
            "skipped": self.skipped or None,
            "verified": None,
            "verify_skipped": self.verification if isinstance(self.verification, str) else DRY_RUN,
            "error": None if self.refusal is None else self.refusal.to_json(),
            **self.explained(),
        }

    def explained(self) -> dict[str, object]:
        """What a row of any answer says of the file and of the way."""
        return {
            "file": None if self.facts is None else self.facts.to_json(),
            "to_version": self.to,
            "way": None if self.route is None else self.route.words,
            "explained": self.words.to_json(),
            "onnx_source": None if self.onnx is None else self.onnx.to_json(),
            "releases_before": None if self.before is None else self.before.to_json(),
            "releases_after": None if self.after is None else self.after.to_json(),
        }


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """All that will happen, in order; `skipped` are files of folders that nobody looks at."""

    rows: tuple[PlannedUpgrade, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code of `--plan`."""
        if all(row.refusal is None for row in self.rows):
            return DONE_YES
        return DONE_NO if any(row.opened for row in self.rows) else UNREADABLE

    def to_json(self) -> dict[str, object]:
        """The answer of `--plan`."""
        refused = sum(row.refusal is not None for row in self.rows)
        return {
            "schema": "ortstudio/upgrade@1",
            "plan": True,
            "results": [row.to_json() for row in self.rows],
            "skipped": [skipped.to_json() for skipped in self.skipped],
            "ok": not refused,
            "converted": 0,
            "failed": refused,
        }
