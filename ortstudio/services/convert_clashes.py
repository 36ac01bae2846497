"""Results that would get in each other's way, or in the way of a source."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ortstudio.analysis.finding import Finding
from ortstudio.errors import RefusedError, Where
from ortstudio.jobs import platform
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.paths import resolved


class Names:
    """The names that are spoken for: those of all sources, and of the results planned so far."""

    def __init__(self, sources: Iterable[Path]) -> None:
        self._sources = {_same(path): path for path in sources}
        self._results: dict[str, Path] = {}
        self._alike: dict[str, Path] = {}

    def check(self, row: PlannedSource) -> None:
        """Raises RefusedError for a row that would write what another row reads or writes."""
        for output in row.outputs:
            self._check(output.path, row.source)

    def spoken_for(self, row: PlannedSource) -> PlannedSource:
        """The row, whose names are its own from now on, and what is to be said of them."""
        notes = tuple(self._differing_by_case(row.outputs))
        for output in row.outputs:
            self._results[_same(output.path)] = row.source
            self._alike[_alike(output.path)] = output.path
        return replace(row, notes=(*row.notes, *notes))

    def _check(self, target: Path, source: Path) -> None:
        key = _same(target)
        message = ""
        if key in self._results:
            message = f"The result of {self._results[key]} has the same name, {target.name}"
        elif key in self._sources and key != _same(source):
            message = f"The result {target.name} would replace a source, {self._sources[key]}"
        if message:
            hint = "Convert the two into different folders."
            raise RefusedError(message, where=Where(str(source)), hint=hint)

    def _differing_by_case(self, outputs: Iterable[PlannedOutput]) -> Iterator[Finding]:
        for output in outputs:
            other = self._alike.get(_alike(output.path))
            if other is not None:
                text = (
                    f"{output.path.name} and {other.name} differ by letter case only: copied to"
                    " Windows or macOS, one replaces the other"
                )
                yield Finding("warning", "name-differs-by-case", text)


def _same(path: Path) -> str:
    """Equal for names of one file."""
    real = resolved(path)
    return str(real) if platform.case_matters(real.parent) else _alike(path)


def _alike(path: Path) -> str:
    """Equal for names that some file system takes for one."""
    return unicodedata.normalize("NFC", str(resolved(path))).casefold()
