"""Measures what a release reads, writes and registers, for the data that answers rest on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Child, Outcome, children
from ortstudio.model.model import FileKind
from ortstudio.services import resources
from ortstudio.services.conversion import served
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.places import data_folder
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes.runtime import Runtime
from ortstudio.services.sessions import Level, Session, Style, saving_config
from ortstudio.services.whole_file import write_text

Question = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Survey:
    """What was measured, and the file that holds it.

    `facts` has `release`, `reads` and `writes` (ORT format versions), `highest` (versions of
    operator sets and of ONNX's format), and from 1.16 on `kernels` and `schemas`.
    """

    facts: Mapping[str, object]
    path: Path

    def summary(self) -> dict[str, object]:
        """The facts without the long lists, which it counts."""
        return {
            key: len(value) if key in ("kernels", "schemas") else value
            for key, value in cast("Mapping[str, list[object]]", self.facts).items()
        } | {"path": str(self.path)}


def surveys_folder() -> Path:
    """Where surveys are kept, a file for each release."""
    return data_folder() / "surveys"


def survey(
    runtime: Runtime,
    folder: Path | None = None,
    *,
    on_progress: Callable[[str], None] | None = None,
    cancelled: Question | None = None,
) -> Survey:
    """Measure a release and keep the answer, in place of an earlier one. Blocks, for seconds.

    Raises RefusedError for what cannot be measured so, JobError where the release fails.
    """
    if not runtime.kind.is_python:
        raise RefusedError("Releases for Node cannot be asked for what they register")
    with children(runtime.child) as child:
        asking = _Asking(child, on_progress, cancelled)
        facts = asking.facts()
    path = (folder or surveys_folder()) / f"{facts['release']}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RefusedError(
            f"Nothing can be written here: {error.strerror or error}", where=Where(str(path.parent))
        ) from None
    write_text(path, json.dumps(facts), overwrite=True)
    return Survey(facts, path)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Requests to children, of which a crash may cost one."""

    child: Callable[[], Child]
    on_progress: Callable[[str], None] | None
    cancelled: Question | None

    def facts(self) -> dict[str, object]:
        """All that is measured. Raises JobError or CancelledError."""
        outcome = self._asked("survey", {})
        if not outcome.ok:
            raise outcome.error("The survey")
        return {**outcome.value, **self._formats()}

    def _formats(self) -> dict[str, object]:
        """The format versions that the release writes and reads."""
        with temporary_folder() as folder:
            made = Path(folder) / "made.ort"
            writes = self._written(made)
            samples = sorted(resources.find("formats").glob("v*.ort"))
            known = {int(path.stem[1:]): path for path in samples}
            known |= {version: made for version in writes if version not in known}
            reads = [version for version, path in sorted(known.items()) if self._loads(path)]
        return {"writes": writes, "reads": reads}

    def _written(self, target: Path) -> list[int]:
        source = str(resources.find("formats") / "source.onnx")
        session = Session(source, FileKind.ONNX, Level.DISABLE, saving_config(Style.FIXED))
        arguments = {"session": session.to_json(), "output": str(target)}
        if not self._asked("convert", arguments).ok:
            return []
        model = read_model(target)
        version = model.ort.format_version if model.ort else None
        return [] if version is None else [version]

    def _loads(self, path: Path) -> bool:
        session = Session(str(path), FileKind.ORT, Level.DISABLE)
        return self._asked("load", {"session": session.to_json()}).ok

    def _asked(self, verb: str, arguments: Mapping[str, object]) -> Outcome:
        if self.on_progress:
            self.on_progress(verb)
        outcome = self.child().ask(verb, arguments, cancelled=self.cancelled)
        return served(outcome, "The survey")
