"""What is measured: a file, and how it is loaded and run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ortstudio.model.model import FileKind
from ortstudio.services.lab.modes import PATH, Mode
from ortstudio.services.sessions import Level, Session


@dataclass(frozen=True, slots=True)
class Subject:
    """One line of the table. `files` are all that the model is read from, weights included.

    `runtime` is the name of one at hand; `threads` None is one for each processor.
    """

    path: Path
    kind: FileKind
    files: tuple[Path, ...]
    mode: Mode = PATH
    runtime: str = "own"
    provider: str = "CPUExecutionProvider"
    threads: int | None = None
    level: Level = Level.ALL

    @property
    def loaded_at(self) -> Level:
        """The level that it is loaded at."""
        return self.mode.level or self.level

    @property
    def size_bytes(self) -> int:
        """Of all its files."""
        return sum(path.stat().st_size for path in self.files if path.is_file())

    def session(self) -> Session:
        """As the child process takes it."""
        providers = () if self.provider == "CPUExecutionProvider" else (self.provider,)
        return Session(
            str(self.path.absolute()),
            self.kind,
            self.loaded_at,
            self.mode.config(),
            providers=providers,
            threads=self.threads,
        )

    def to_json(self) -> dict[str, object]:
        """What names the subject in an answer."""
        return {
            "path": str(self.path),
            "kind": self.kind.value,
            "mode": self.mode.name,
            "runtime": self.runtime,
            "provider": self.provider,
            "threads": self.threads,
            "level": self.loaded_at.value,
            "size_bytes": self.size_bytes,
        }
