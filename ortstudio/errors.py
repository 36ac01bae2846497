"""Every failure that is the input's or the machine's fault, and the exit code that each one means.

A programming mistake stays a plain exception; what is raised here can be shown as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

DONE_YES = 0
DONE_NO = 1
COMMAND_LINE = 2
UNREADABLE = 3
CHILD_FAILED = 4
CANCELLED = 130


@dataclass(frozen=True, slots=True)
class Where:
    """A place: a file, and in it a byte offset and a field path where they are known."""

    path: str = ""
    offset_bytes: int | None = None
    field: str = ""

    def __str__(self) -> str:
        parts = [self.path] if self.path else []
        if self.offset_bytes is not None:
            parts.append(f"byte {self.offset_bytes}")
        if self.field:
            parts.append(self.field)
        return ", ".join(parts)


class StudioError(Exception):
    """What went wrong, where, and what to do next. `kind` is stable, for scripts."""

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = DONE_NO

    def __init__(self, message: str, *, where: Where | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where or Where()
        self.hint = hint

    def __str__(self) -> str:
        text = self.message
        place = str(self.where)
        if place:
            text += f" ({place})"
        if self.hint:
            text += f". {self.hint}"
        return text

    def at(self, path: str) -> StudioError:
        """The same error with the file named, where the thrower did not know it."""
        if not self.where.path:
            self.where = Where(path, self.where.offset_bytes, self.where.field)
        return self

    def to_json(self) -> dict[str, object]:
        """The error object of the command line's contract."""
        return {
            "schema": "ortstudio/error@1",
            "kind": self.kind,
            "message": self.message,
            "where": str(self.where),
            "hint": self.hint,
        }


class UsageError(StudioError):
    """The command line asks for something that does not exist or contradicts itself."""

    kind = "usage"
    exit_code = COMMAND_LINE


class FormatError(StudioError):
    """The bytes are not what they should be: damaged, cut short, or another format."""

    kind = "format"
    exit_code = UNREADABLE


class MissingError(StudioError):
    """A file or a thing in it that was asked for is not there."""

    kind = "missing"
    exit_code = UNREADABLE


class ChangedError(StudioError):
    """The file is not the one that was opened: it was overwritten, cut or removed since."""

    kind = "changed"
    exit_code = UNREADABLE


class RefusedError(StudioError):
    """The work is possible to name but not to do, and the message says why."""

    kind = "refused"
    exit_code = DONE_NO


class JobError(StudioError):
    """A child process could not be started, failed or crashed. `details` holds its own words."""

    kind = "job"
    exit_code = CHILD_FAILED

    def __init__(
        self, message: str, *, where: Where | None = None, hint: str = "", details: str = ""
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.details = details

    def to_json(self) -> dict[str, object]:
        """The error object, with the child's own words."""
        return super().to_json() | {"details": self.details}
