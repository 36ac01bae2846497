"""What a plan of conversions says: of every source what will be written, or why nothing will."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ortstudio.analysis.finding import Finding
from ortstudio.errors import DONE_NO, DONE_YES, UNREADABLE, ChangedError, StudioError, Where
from ortstudio.format.source import Identity
from ortstudio.services.conversion import NotTriedError, State
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.convert_sources import Skipped
from ortstudio.services.verify import Verification

DRY_RUN = "Nothing was run: only the plan was made"


@dataclass(frozen=True, slots=True)
class PlannedSource:
    """A source and its outputs, or the reason why there will be none.

    `identities` are the source and its external files as they were when the plan was made,
    `verification` what its outputs are verified with, or why they are not. `notes` are what should
    be known besides. `opset` is the version of ONNX's operator set that it is brought to first,
    None where it stays as it is. `root` is the folder that was named in its place. `defaults`
    are its inputs with a default value. `skipped` says why the results of an earlier run stay as
    they are. `opened` is false where the source is not even a sound model.
    """

    source: Path
    outputs: tuple[PlannedOutput, ...]
    settings: ConvertSettings
    identities: tuple[tuple[Path, Identity], ...] = ()
    verification: Verification | str = ""
    refusal: StudioError | None = None
    opened: bool = True
    notes: tuple[Finding, ...] = ()
    opset: int | None = None
    root: Path | None = None
    defaults: tuple[str, ...] = ()
    skipped: str = ""

    def check_unchanged(self) -> None:
        """Raises ChangedError where what was planned for is no longer what is there."""
        for path, identity in self.identities:
            try:
                changed = Identity.of(path.stat()) != identity
            except OSError:
                changed = True
            if changed:
                raise ChangedError(
                    "The file was changed during the conversion, and nothing was written",
                    where=Where(str(path)),
                    hint="Convert it again once it is written in full.",
                )

    def to_json(self) -> dict[str, object]:
        """A row of the answer of a dry run."""
        outputs = () if self.refusal else self.outputs
        return {
            "source": str(self.source),
            "outputs": [output.to_json() for output in outputs],
            "ok": self.refusal is None,
            "state": self._state.value,
            "skipped": self.skipped or None,
            "verified": None,
            "verify_skipped": self._unverified,
            "notes": [note.to_json() for note in self.notes],
            "error": None if self.refusal is None else self.refusal.to_json(),
        }

    @property
    def _state(self) -> State:
        if self.skipped:
            return State.SKIPPED
        if self.refusal is None:
            return State.QUEUED
        return State.NOT_TRIED if isinstance(self.refusal, NotTriedError) else State.REFUSED

    @property
    def _unverified(self) -> str:
        """Why there is no comparison in the answer."""
        said = isinstance(self.verification, str) and self.verification
        return said or DRY_RUN


class Planned(Protocol):
    """A plan, or one that is still being made."""

    @property
    def settings(self) -> ConvertSettings:
        """What was chosen for all sources."""

    @property
    def count(self) -> int:
        """How many sources there are."""

    def rows(self) -> Iterator[PlannedSource]:
        """One source after the other, as soon as it is planned."""

    def whole(self) -> ConvertPlan:
        """The plan. Of sources that were not come to it says nothing.

        Raises UsageError where the settings fit none of them.
        """


@dataclass(frozen=True, slots=True)
class ConvertPlan:
    """All that will happen, in order.

    `configs` are the operator configs for all models of a folder together, `skipped` the files of
    folders that are left alone.
    """

    sources: tuple[PlannedSource, ...]
    configs: tuple[PlannedOutput, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def settings(self) -> ConvertSettings:
        """What was chosen; of sizes to fix only those that the first source has."""
        return self.sources[0].settings if self.sources else ConvertSettings()

    @property
    def count(self) -> int:
        """How many sources there are."""
        return len(self.sources)

    def rows(self) -> Iterator[PlannedSource]:
        """One source after the other."""
        return iter(self.sources)

    def whole(self) -> ConvertPlan:
        """The plan, which is whole."""
        return self

    def foretold(self) -> ConvertPlan:
        """The plan as it would go: unless told to keep going, a run ends at the first refusal."""
        rows = self.sources
        first = next((i for i, row in enumerate(rows) if row.refusal is not None), len(rows))
        after = rows[first + 1 :]
        if self.settings.keep_going or not after:
            return self
        left = (row if row.refusal else replace(row, refusal=_not_tried(row)) for row in after)
        return replace(self, sources=(*rows[: first + 1], *left), configs=())

    @property
    def not_tried(self) -> tuple[PlannedSource, ...]:
        """The sources whose turn would not come."""
        return tuple(row for row in self.sources if isinstance(row.refusal, NotTriedError))

    @property
    def exit_code(self) -> int:
        """The exit code of a dry run."""
        if all(row.refusal is None for row in self.sources):
            return DONE_YES
        return DONE_NO if any(row.opened for row in self.sources) else UNREADABLE

    def to_json(self) -> dict[str, object]:
        """The answer of a dry run."""
        left = len(self.not_tried)
        refused = sum(row.refusal is not None for row in self.sources) - left
        return {
            "schema": "ortstudio/convert@1",
            "dry_run": True,
            "results": [row.to_json() for row in self.sources],
            "configs": [output.to_json() for output in self.configs],
            "skipped": [skipped.to_json() for skipped in self.skipped],
            "ok": not refused,
            "partial": False,
            "converted": 0,
            "already_converted": sum(bool(row.skipped) for row in self.sources),
            "failed": refused,
            "not_tried": left,
        }


def _not_tried(row: PlannedSource) -> NotTriedError:
    return NotTriedError(
        "It would not be tried: the run would end before, at a source that is refused",
        where=Where(str(row.source)),
        hint="Choose to go on after failures with --keep-going.",
    )
