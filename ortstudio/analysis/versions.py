"""ORT format versions in terms of ONNX Runtime releases.

A release is told here by its minor number: 16 is 1.16. The file never says which release wrote it;
its format version narrows it down, and the domains it imports betray more, as a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model

Range = Sequence[int | None]
"""First and last minor number; the last is None where the range is open."""


class VersionData(TypedDict):
    """One format version in `format_versions.json`."""

    brought: str
    writes: Sequence[Range]
    full: Sequence[Range]
    minimal: Sequence[Range]


class ImportData(TypedDict):
    """The releases that import a domain unasked; `version` None means at any version."""

    domain: str
    version: int | None
    releases: Range


class FormatVersionData(TypedDict):
    """`format_versions.json`, parsed."""

    newest_release: int
    versions: Mapping[str, VersionData]
    imports: Sequence[ImportData]


@dataclass(frozen=True, slots=True)
class FormatVersion:
    """One format version: what it brought, and the releases that write and read it.

    `full` are the releases whose full builds read it, `minimal` those whose minimal builds do.
    """

    number: int
    brought: str
    writes: frozenset[int]
    full: frozenset[int]
    minimal: frozenset[int]


@dataclass(frozen=True, slots=True)
class Guess:
    """What imported domains suggest about the writer: `text` names releases, `why` the evidence."""

    text: str
    why: str


class FormatVersions:
    """Answers from the parsed data."""

    def __init__(self, data: FormatVersionData) -> None:
        self.newest_release = data["newest_release"]
        self._imports = [
            (row["domain"], row["version"], self._minors([row["releases"]]))
            for row in data["imports"]
        ]
        self._versions = {
            int(number): FormatVersion(
                int(number),
                row["brought"],
                self._minors(row["writes"]),
                self._minors(row["full"]),
                self._minors(row["minimal"]),
            )
            for number, row in data["versions"].items()
        }

    @property
    def newest(self) -> int:
        """The highest format version known."""
        return max(self._versions)

    def get(self, number: int | None) -> FormatVersion | None:
        """The version of that number; None where there is none or we do not know it."""
        return None if number is None else self._versions.get(number)

    def words(self, releases: Iterable[int]) -> str:
        """`1.5 to 1.7, 1.14 and newer`."""
        runs: list[list[int]] = []
        for minor in sorted(releases):
            if runs and runs[-1][1] == minor - 1:
                runs[-1][1] = minor
            else:
                runs.append([minor, minor])
        return ", ".join(self._run_text(first, last) for first, last in runs)

    def problem(self, text: str, number: int | None) -> str:
        """Why a file's format version is none that we know; empty where it is."""
        if number is None:
            return f"{text!r} is no format version" if text else "the file states no format version"
        if number > self.newest:
            return f"format {number} is newer than this tool knows"
        return "" if number in self._versions else f"no release writes format {number}"

    def written_by(self, model: Model) -> str:
        """The releases that write the file's format version; empty for what is no ORT model."""
        if model.ort is None:
            return ""
        if self._written_by_1_5_1(model):
            return "1.5.1"
        number = model.ort.format_version
        problem = self.problem(model.ort.format_version_text, number)
        version = self.get(number)
        return f"not known: {problem}" if version is None else self.words(version.writes)

    def guess(self, model: Model) -> Guess | None:
        """A narrower answer from the imported domains; None where they say nothing more.

        Every release imports all domains that it registers, and a file that is loaded and saved
        again keeps the imports of its first writer.
        """
        version = self.get(model.ort.format_version) if model.ort else None
        imports = {row.domain: row for row in model.opset_imports}
        if version is None or "com.microsoft" not in imports or self._written_by_1_5_1(model):
            return None
        importers = self._importers(imports)
        both = importers & version.writes
        if both == version.writes:
            return None
        if both:
            return Guess(self.words(both), "a guess from the imported domains")
        if not importers or min(importers) > max(version.writes):
            return None
        return Guess(
            f"{self.words(version.writes)}, from a file that {self.words(importers)} wrote",
            "a guess: the imported domains are those of older releases than the format version",
        )

    def writers(self, model: Model) -> frozenset[int]:
        """The releases that may have written the file, as far as format and imports tell."""
        version = self.get(model.ort.format_version) if model.ort else None
        if version is None:
            return frozenset()
        importers = self._importers({row.domain: row for row in model.opset_imports})
        return importers & version.writes or version.writes

    def _importers(self, imports: Mapping[str, OpsetImport]) -> frozenset[int]:
        """The releases that import just these of the telling domains."""
        able = frozenset(range(5, self.newest_release + 1))
        for domain, version, releases in self._imports:
            found = imports.get(domain)
            if found is not None and version in (None, found.version):
                able &= releases
            else:
                able -= releases
        return able

    def _written_by_1_5_1(self, model: Model) -> bool:
        """Only 1.5.1 left the identifier out."""
        ort = model.ort
        return ort is not None and ort.format_version == 1 and not ort.has_identifier

    def _minors(self, ranges: Iterable[Range]) -> frozenset[int]:
        """The minor numbers of all the ranges."""
        found: set[int] = set()
        for first, last in ranges:
            assert first is not None
            found.update(range(first, (self.newest_release if last is None else last) + 1))
        return frozenset(found)

    def _run_text(self, first: int, last: int) -> str:
        if last == self.newest_release:
            return f"1.{first} and newer"
        return f"1.{first}" if first == last else f"1.{first} to 1.{last}"
