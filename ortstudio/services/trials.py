"""Conversions that are tried to see what they do: in a temporary folder, unverified, then gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.errors import FormatError, RefusedError, StudioError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome, agent_child, children
from ortstudio.services.conversion import CancelledError, served
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.diff import Comparison, compare_documents
from ortstudio.services.document import Document, open_document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.runtime_words import child_error
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.weights import check_external_data, check_weights

COPIES = 3
"""Results that are kept at a time, to be compared with each other."""
MEMORY_COPIES = 3
"""How often the runtime holds the weights while it saves: model, initializers, result."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to convert."""

    level: Level = Level.ALL
    style: Style = Style.FIXED
    target: Target | None = None

    def settings(self, base: ConvertSettings) -> ConvertSettings:
        """The settings with this choice made, of which nothing is verified."""
        return replace(
            base, level=self.level, styles=(self.style,), target=self.target, verify=False
        )

    @property
    def name(self) -> str:
        """`level all`, `runtime style`, `target arm`: by what is not the default."""
        parts = (
            [] if self.level is Level.ALL and self != Choice() else [f"level {self.level.value}"]
        )
        if self.style is Style.RUNTIME:
            parts.append("runtime style")
        if self.target is not None:
            parts.append(f"target {self.target.value}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Cost:
    """What trying takes at most, from the sizes that the file states."""

    conversions: int
    disk_bytes: int
    memory_bytes: int

    @property
    def text(self) -> str:
        """What to expect, before it is begun."""
        return (
            f"{self.conversions} conversions in a temporary folder: up to"
            f" {size_text(self.disk_bytes)} of disk and {size_text(self.memory_bytes)} of memory"
        )


def cost_of(source: Document, conversions: int) -> Cost:
    """The cost of trying so many conversions."""
    size = max(source.size_bytes, source.totals.initializer_bytes)
    return Cost(conversions, COPIES * size, MEMORY_COPIES * size)


@dataclass
class Trials:
    """The conversions of one source that were tried, each made when it is first asked for."""

    source: Document
    base: ConvertSettings
    folder: Path
    _child: Callable[[], Child]
    _report: Callable[[str], None]
    cancelled: Callable[[], bool]
    _results: dict[Choice, Document | StudioError] = field(default_factory=dict)
    _comparisons: dict[tuple[int, int], Comparison] = field(default_factory=dict)

    def result(self, choice: Choice) -> Document:
        """The result of a choice. Raises StudioError where it cannot be had, CancelledError."""
        if choice not in self._results:
            self._report(choice.name)
            try:
                self._results[choice] = self._converted(choice)
            except CancelledError:
                raise
            except StudioError as error:
                self._results[choice] = error
        found = self._results[choice]
        if isinstance(found, StudioError):
            raise found
        return found

    def compared(self, a: Document, b: Document) -> Comparison:
        """What two of them differ in, compared once."""
        key = id(a), id(b)
        if key not in self._comparisons:
            self._comparisons[key] = compare_documents(a, b, cancelled=self.cancelled)
        return self._comparisons[key]

    def forget(self, choice: Choice) -> None:
        """Make room: the file of a result goes, what was found out stays."""
        found = self._results.get(choice)
        if isinstance(found, Document):
            found.path.unlink(missing_ok=True)

    def ask(self, verb: str, arguments: Mapping[str, object]) -> Outcome:
        """Have the child do something. Raises CancelledError."""

        def heard(_message: Progress | Log) -> None:
            return None

        child = self._child()
        outcome = child.ask(verb, arguments, on_message=heard, cancelled=self.cancelled)
        return served(outcome, "The trial")

    def _converted(self, choice: Choice) -> Document:
        path = self.folder / f"{len(self._results)}.ort"
        settings, source = choice.settings(self.base), self.source.path
        session = settings.saving_session(source, choice.style)
        outcome = self.ask("convert", {"session": session.to_json(), "output": str(path)})
        if not outcome.ok:
            path.unlink(missing_ok=True)
            where = Where(str(source))
            raise child_error(outcome, "The conversion", where, session.custom_ops)
        found = open_document(path)
        if found.model.error is not None:
            raise FormatError(
                f"ONNX Runtime wrote a file that is not sound: {found.model.error.message}",
                where=Where(str(source)),
            )
        return found


@contextmanager
def trials(
    source: Document,
    base: ConvertSettings | None = None,
    *,
    on_progress: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Iterator[Trials]:
    """A place to try conversions of a source; nothing is left of them at the end.

    `on_progress` is told what is tried, `cancelled` is asked many times a second. Raises what the
    plan of a conversion would refuse the source for, and RefusedError where the disk is too full.
    """
    check_external_data(source.model)
    check_weights(source.model)
    with (
        temporary_folder() as folder,
        children(make_child) as child,
    ):
        _check_disk(source, folder)
        yield Trials(
            source,
            base or ConvertSettings(),
            folder,
            child,
            on_progress or _ignore,
            cancelled or _never,
        )


def _check_disk(source: Document, folder: Path) -> None:
    cost, free = cost_of(source, 1), shutil.disk_usage(folder).free
    if free < cost.disk_bytes:
        raise RefusedError(
            f"Trying conversions of this model takes up to {size_text(cost.disk_bytes)}, and"
            f" {size_text(free)} are free for temporary files",
            where=Where(str(folder)),
            hint="Make room, or set TMPDIR to a folder that has more.",
        )


def _ignore(_text: str) -> None:
    return None


def _never() -> bool:
    return False
