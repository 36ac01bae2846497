"""What only the user can decide of an upgrade: nothing else is asked."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import count
from ortstudio.services.lossless_upgrade import FROM, TO
from ortstudio.services.upgrade.checks import NeedsLibraryError
from ortstudio.services.upgrade.planned import PlannedUpgrade, UpgradePlan
from ortstudio.services.upgrade.route import NoWriterError


@dataclass(frozen=True, slots=True)
class Choice:
    """A version to make, as `UpgradeSettings.to` has it, and what that comes to."""

    to: int | None
    name: str
    effect: str


@dataclass(frozen=True, slots=True)
class Questions:
    """What a plan leaves open; empty where there is nothing to decide.

    `versions` are what can be made of the files, the usual one first. `losing` counts the saved
    optimizations that would be lost, which has to be agreed to. `needs_library` says that there are
    operators that only a library brings, `release` is one to install first.
    """

    versions: tuple[Choice, ...] = ()
    losing: int = 0
    needs_library: bool = False
    release: str = ""


_CURRENT = Choice(None, "Version 6, the current one", "1.16 and newer load it, minimal builds too.")
_WIDEST = Choice(
    FROM,
    "Version 5, the widest",
    "1.13 and newer load it, minimal builds too. It is made by way of 1.14 or 1.15.",
)
_LEAVE = Choice(None, "Leave it as it is", "1.13 and newer load it, minimal builds too.")
_NEEDLESS = Choice(TO, "Version 6 all the same", "1.13 to 1.15 do not load it any more.")
_LEAVE_SOME = Choice(
    None,
    "Version 6, but leave version 5 alone",
    "Files of version 5 need no upgrade: 1.13 and newer load them.",
)
_ALL = Choice(TO, "Version 6 for all", "1.16 and newer load them, 1.13 to 1.15 do not any more.")


def questions(plan: UpgradePlan) -> Questions:
    """What has to be asked of these files."""
    versions = {row.facts.version for row in plan.rows if row.facts is not None}
    refusals = [row.refusal for row in plan.rows]
    lacking = (error for error in refusals if isinstance(error, NoWriterError))
    return Questions(
        _versions(versions),
        sum(map(losing, plan.rows)),
        any(isinstance(error, NeedsLibraryError) for error in refusals),
        next((error.release for error in lacking), ""),
    )


def _versions(found: set[int]) -> tuple[Choice, ...]:
    is_old = any(version < FIRST_VERSION for version in found)
    if FROM in found:
        return (_LEAVE_SOME, _WIDEST, _ALL) if is_old else (_LEAVE, _NEEDLESS)
    return (_CURRENT, _WIDEST) if is_old else ()


def losing(row: PlannedUpgrade) -> int:
    """How many saved optimizations the upgrade of a file would lose."""
    if not row.is_wanted or row.facts is None or row.route is None:
        return 0
    return 0 if row.route.keeps_records else row.facts.record_count


def agreement(number: int) -> str:
    """What is agreed to."""
    return f"Lose {count(number, 'saved optimization')}, as said above"
