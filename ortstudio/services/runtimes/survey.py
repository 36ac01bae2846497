"""Measures what a release reads, writes and registers, for the data that answers rest on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ortstudio.analysis.compatibility.releases import PARTS
from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Child, Outcome, children
from ortstudio.model.model import FileKind
from ortstudio.services import resources
from ortstudio.services.conversion import served
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes.probes import (
    ACTIONS_VERSIONS,
    TYPES_VERSION,
    Probe,
    action_probes,
    type_probes,
)
from ortstudio.services.runtimes.runtime import Runtime
from ortstudio.services.sessions import Level, Session, Style, saving_config
from ortstudio.services.surveys import surveys_folder
from ortstudio.services.whole_file import write_text

Question = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Survey:
    """What was measured, and the file that holds it.

    `facts` are as `ortstudio.analysis.compatibility.surveys` describes them.
    """

    facts: Mapping[str, object]
    path: Path

    def summary(self) -> dict[str, object]:
        """The facts without the long lists, which it counts."""
        return {
            key: len(value) if key in PARTS else value
            for key, value in cast("Mapping[str, list[object]]", self.facts).items()
        } | {"path": str(self.path)}


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
        facts = {**outcome.value, **self._formats()}
        return {**facts, **self._probed(cast("list[int]", facts["reads"]))}

    def _formats(self) -> dict[str, object]:
        """The format versions that the release writes and reads."""
        with temporary_folder() as folder:
            made = folder / "made.ort"
            writes = self._written(made)
            samples = sorted(resources.find("formats").glob("v*.ort"))
            known = {int(path.stem[1:]): path for path in samples}
            known |= {version: made for version in writes if version not in known}
            reads = [version for version, path in sorted(known.items()) if self._loads(path)]
        return {"writes": writes, "reads": reads}

    def _probed(self, reads: list[int]) -> dict[str, object]:
        """The element types that the release knows, and the actions that it replays."""
        found: dict[str, list[int | str]] = {}
        with temporary_folder() as folder:
            probes = list(type_probes(folder)) if TYPES_VERSION in reads else []
            replays = [version for version in ACTIONS_VERSIONS if version in reads][:1]
            for version in replays:
                unknown, *known = action_probes(folder, version)
                # A release that takes an action which does not exist replays nothing unasked.
                probes += known if not self._knows(unknown) else []
            for probe in probes:
                items = found.setdefault(probe.part, [])
                items += [probe.item] if self._knows(probe) else []
        return dict(found)

    def _knows(self, probe: Probe) -> bool:
        session = Session(str(probe.path), FileKind.ORT, Level.ALL)
        outcome = self._asked("load", {"session": session.to_json()})
        if outcome.failure is None and not outcome.ok:
            return False
        return probe.is_known(outcome.failure.message if outcome.failure else "")

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
