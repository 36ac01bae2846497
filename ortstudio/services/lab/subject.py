"""What is measured: a file, and how it is loaded and run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.model.model import FileKind
from ortstudio.services.lab.modes import PATH, Mode
from ortstudio.services.sessions import Level, Session


@dataclass(frozen=True, slots=True)
class Subject:
    """One line of the table. `files` are all that the model is read from, weights included.

    `runtime` is the name of one at hand; `threads` None is one for each processor; `batch` is how
    many items a run computes at a time, None where nobody asked. `size_bytes` is that of all files.
    `custom_ops` is the absolute path of a library.
    """

    path: Path
    kind: FileKind
    files: tuple[Path, ...]
    mode: Mode = PATH
    runtime: str = "own"
    provider: str = "CPUExecutionProvider"
    threads: int | None = None
    level: Level = Level.ALL
    batch: int | None = None
    size_bytes: int = 0
    custom_ops: str | None = None

    @property
    def loaded_at(self) -> Level:
        """The level that it is loaded at."""
        return self.mode.level or self.level

    def as_loaded(self) -> Mode:
        """The way of loading, and that nothing is optimized where it is the level that says so."""
        optimized = self.loaded_at is not Level.DISABLE
        return replace(self.mode, loading=replace(self.mode.loading, optimized=optimized))

    def session(self) -> Session:
        """As the child process takes it."""
        providers = () if self.provider == "CPUExecutionProvider" else (self.provider,)
        return Session(
            str(self.path.absolute()),
            self.kind,
            self.loaded_at,
            self.mode.config(),
            custom_ops=self.custom_ops,
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
            "batch": self.batch,
            "size_bytes": self.size_bytes,
        }
