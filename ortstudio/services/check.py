"""Whether a file is sound and portable, and whether a certain build runs it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Build, Said
from ortstudio.analysis.compatibility.ways_out import GET_AGAIN, WayOut
from ortstudio.analysis.config_coverage import Coverage, Missing, coverage
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.nodes import NodeRef, Operator
from ortstudio.analysis.portability import Portability, Reason
from ortstudio.errors import DONE_NO, DONE_YES, FormatError
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind
from ortstudio.model.sniff import sniff
from ortstudio.services.compatibility import answer, judge
from ortstudio.services.document import Document, open_document
from ortstudio.services.inspect import portability_json
from ortstudio.services.operator_config import OperatorConfig, types_json
from ortstudio.services.operator_config_reader import read_config
from ortstudio.services.ops_notes import notes_on_config

Json = dict[str, object]

_NOTHING_READ = Reason("nothing-read", "No node can be read, so this says nothing of the model")

_UNFUSED = Finding(
    "warning",
    "from-onnx",
    "The model is looked at as it is: what ONNX Runtime fuses when it converts or loads it is not",
)


@dataclass(frozen=True, slots=True)
class ConfigCheck:
    """A model against an operator config.

    `unused` are entries of the config that the model has no use for, with their lines. Of a damaged
    model, which is not `whole`, only what is missing can be told. `notes` are about the config, and
    about what it says for a model of this kind.
    """

    path: str
    coverage: Coverage
    unused: tuple[tuple[Operator, int], ...] = ()
    notes: tuple[Finding, ...] = ()
    whole: bool = True

    @property
    def covered(self) -> bool | None:
        """Whether a build by the config runs the model; None where that cannot be told."""
        return None if self.coverage.covered and not self.whole else self.coverage.covered

    def to_json(self) -> Json:
        """The answer's `config`."""
        return {
            "path": self.path,
            "covered": self.covered,
            "missing": [_missing_json(row) for row in self.coverage.missing],
            "types_not_known": _nodes_json(self.coverage.unknown),
            "unused": [{"op_id": operator.op_id, "line": line} for operator, line in self.unused],
            "notes": [_finding_json(note) for note in self.notes],
        }


@dataclass(frozen=True, slots=True)
class Check:
    """All answers about one file of a known kind.

    `config` and `runtime` are None where none was named. `ways_out` say what to do where the
    release does not load the file.
    """

    path: str
    kind: FileKind
    findings: tuple[Finding, ...]
    portability: Portability
    config: ConfigCheck | None = None
    runtime: Compatibility | None = None
    ways_out: tuple[WayOut, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there is no finding of an error."""
        return all(finding.severity != "error" for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether every question is answered with yes."""
        covered = self.config is None or self.config.covered is True
        return self.sound and covered and (self.runtime is None or self.runtime.loads == "yes")

    @property
    def exit_code(self) -> int:
        """The exit code of the command line's contract."""
        return DONE_YES if self.ok else DONE_NO

    def to_json(self) -> Json:
        """The command line's answer."""
        return {
            "schema": "ortstudio/check@1",
            "path": self.path,
            "kind": self.kind.value,
            "ok": self.ok,
            "findings": [_finding_json(finding) for finding in self.findings],
            "portability": portability_json(self.portability),
            "runtime": self._runtime_json(),
            "config": None if self.config is None else self.config.to_json(),
        }

    def _runtime_json(self) -> Json | None:
        if self.runtime is None:
            return None
        return {**self.runtime.to_json(), "ways_out": [way.sentence for way in self.ways_out]}


def _missing_json(row: Missing) -> Json:
    return {
        "op_id": row.operator.op_id,
        "types": None if row.types is None else types_json(row.types),
        "nodes": _nodes_json(row.nodes),
        "on_replay": row.on_replay,
    }


def _nodes_json(nodes: tuple[NodeRef, ...]) -> list[Json]:
    return [{"graph": node.graph, "index": node.index} for node in nodes]


def _finding_json(finding: Finding) -> Json:
    return {
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "where": finding.where,
        "offset_bytes": finding.offset_bytes,
        "nodes": _nodes_json(finding.nodes),
    }


def check(
    path: Path,
    config: Path | None = None,
    release: Release | None = None,
    build: Build = "full",
) -> Check:
    """Check a file. Raises StudioError where it is of no known kind, or the config is none."""
    held = None if config is None else read_config(config)
    try:
        document = open_document(path)
    except FormatError as error:
        return _unreadable(path, error, held, str(config), release, build)
    runtime = None if release is None else answer(document, release, build)
    return Check(
        path=str(path),
        kind=document.model.kind,
        findings=document.findings,
        portability=document.portability,
        config=None if held is None else _config_check(document, held, str(config)),
        runtime=runtime,
        ways_out=() if runtime is None else judge(document, build).ways_out(runtime),
    )


def _unreadable(
    path: Path,
    error: FormatError,
    config: OperatorConfig | None,
    config_path: str,
    release: Release | None,
    build: Build,
) -> Check:
    """The answer about a file of which no more than the kind can be told."""
    try:
        kind = sniff(Source.open(path))
    except FormatError:
        kind = None
    if kind is None:
        raise error
    where = error.where
    found = Finding("error", "structure-damaged", error.message, where.field, where.offset_bytes)
    held = None if config is None else ConfigCheck(config_path, Coverage((), (), ()), whole=False)
    portable = Portability("portable", (_NOTHING_READ,))
    runtime = None if release is None else _refused(error, release, build)
    ways = () if runtime is None else (GET_AGAIN,)
    return Check(str(path), kind, (found,), portable, held, runtime, ways)


def _refused(error: FormatError, release: Release, build: Build) -> Compatibility:
    """No release loads what cannot be read."""
    said = (Said("no", error.message, cause="damage"),)
    return Compatibility(release, build, "no", error.message, "rule", said)


def _config_check(document: Document, config: OperatorConfig, path: str) -> ConfigCheck:
    model = document.model
    found = coverage(model, config.built(), document.known.operators)
    lines = {entry.operator: entry.line for entry in reversed(config.entries)}
    unused = tuple((operator, lines[operator]) for operator in found.unused)
    notes = notes_on_config(config)
    if model.kind is FileKind.ONNX:
        notes.append(_UNFUSED)
    return ConfigCheck(path, found, unused, tuple(notes), model.error is None)
