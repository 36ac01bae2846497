"""What an upgrade would do with each file, and what it would lose; or why it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.errors import RefusedError, StudioError, UsageError, Where
from ortstudio.services.convert_names import check_input_names, fitted_inputs
from ortstudio.services.convert_sources import Found, Skipped, sources
from ortstudio.services.custom_ops import check_library
from ortstudio.services.document import Document, open_document
from ortstudio.services.inputs import Inputs
from ortstudio.services.lossless_upgrade import FROM, TO
from ortstudio.services.paths import identity_of, is_folder, resolved
from ortstudio.services.quantization import output_steps
from ortstudio.services.runtimes import Kind, Runtime, at_hand
from ortstudio.services.staging import check_folder, check_target
from ortstudio.services.upgrade import words
from ortstudio.services.upgrade.checks import (
    check_asked,
    check_file,
    check_loads,
    check_operators,
    check_resolver,
    check_weights,
)
from ortstudio.services.upgrade.facts import facts_of, strips_of
from ortstudio.services.upgrade.onnx_source import find_source, given_source
from ortstudio.services.upgrade.planned import PlannedUpgrade, UpgradePlan, Words
from ortstudio.services.upgrade.predict import identified, upgraded
from ortstudio.services.upgrade.route import Route, route
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.verify import Verification

LOWEST = FROM
"""The oldest version that can be made: releases that write older ones read only those."""


def plan(
    paths: Sequence[str | Path],
    settings: UpgradeSettings,
    *,
    runtimes: Callable[[], Sequence[Runtime]] = at_hand,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> UpgradePlan:
    """Look at files and folders, and plan their upgrade. Writes nothing and starts no child.

    Blocks: an ONNX model beside a file is compared with it. `on_progress` hears how many files of
    how many are looked at. Raises CancelledError, UsageError where the settings fit no file, and
    what `check_library` raises.
    """
    if settings.custom_ops is not None:
        check_library(settings.custom_ops)
    asked = tuple(sources(paths, _why_not))
    found = [one for one in asked if isinstance(one, Found)]
    if settings.verify:
        check_input_names([one.path for one in found], settings.inputs)
    world = _World(settings, tuple(runtimes()), cancelled or _never)
    rows: list[PlannedUpgrade] = []
    for place, one in enumerate(found):
        if on_progress:
            on_progress(place, len(found))
        rows.append(world.planned(one))
    if rows and all(isinstance(row.refusal, UsageError) for row in rows):
        raise rows[0].refusal or AssertionError
    skipped = tuple(one for one in asked if isinstance(one, Skipped))
    return UpgradePlan(tuple(_apart(rows)), skipped)


def _why_not(name: str) -> str:
    if not name.endswith(".ort"):
        return "not named .ort"
    return "hidden" if name.startswith(".") else ""


def _apart(rows: Sequence[PlannedUpgrade]) -> Iterator[PlannedUpgrade]:
    """The rows, refused where another one before writes a file of the same name."""
    taken: dict[str, Path] = {}
    for row in rows:
        if row.refusal is None and not row.skipped:
            # Some file systems take names for the same that differ by letter case.
            other = taken.setdefault(str(resolved(row.target)).casefold(), row.source)
            if other is not row.source:
                message = f"The result of {other} has the same name, {row.target.name}"
                hint = "Upgrade the two into different folders."
                error = RefusedError(message, where=Where(str(row.source)), hint=hint)
                row = replace(row, refusal=error)
        yield row


@dataclass(frozen=True, slots=True)
class _World:
    """What all files of a plan have in common. Each step adds to a row what it finds."""

    settings: UpgradeSettings
    at_hand: tuple[Runtime, ...]
    cancelled: Callable[[], bool]

    def planned(self, found: Found) -> PlannedUpgrade:
        """The row of one file."""
        path = found.path
        row = PlannedUpgrade(path, path, self.settings, found.root)
        try:
            document = _opened(path)
        except StudioError as error:
            return replace(row, refusal=error.at(str(path)), opened=is_folder(path))
        for step in (self.know, self.need, self.seek, self.find_way, self.name, self.run_on):
            try:
                row = step(row, document)
            except StudioError as error:
                if error.kind == "cancelled":
                    raise
                return replace(row, refusal=error.at(str(path)))
            if row.skipped:
                break
        return row

    def know(self, row: PlannedUpgrade, document: Document) -> PlannedUpgrade:
        """What the file is, and who reads it."""
        check_file(document)
        facts = facts_of(document)
        said = Words(meaning=tuple(words.meaning(facts)))
        return replace(row, facts=facts, before=strips_of(document), words=said)

    def need(self, row: PlannedUpgrade, _document: Document) -> PlannedUpgrade:
        """Whether anything need be done, and into which version."""
        assert row.facts
        version, wanted = row.facts.version, self.settings.to
        after = TO if wanted is None else wanted
        is_unasked = row.root is not None or self.settings.cautious
        if wanted is None and version == FROM and is_unasked:
            return replace(row, skipped=words.NOT_NEEDED)
        if version < after:
            return replace(row, to=after)
        message = f"The file already is of format version {version}"
        if is_unasked:
            return replace(row, skipped=message)
        if version > after:
            raise RefusedError(
                f"{message}, and an upgrade does not go down to {after}",
                hint="Convert its ONNX model with a release that writes that version:"
                " `ortstudio convert M.onnx --runtime 1.15.1`.",
            )
        raise RefusedError(f"{message}: there is nothing to upgrade")

    def seek(self, row: PlannedUpgrade, document: Document) -> PlannedUpgrade:
        """Where its ONNX model is, and whether the file holds what it needs."""
        assert row.facts
        given = self.settings.onnx
        onnx = (
            find_source(document, self.cancelled)
            if given is None
            else given_source(document, given, self.cancelled)
        )
        said = tuple(words.better(row.facts, row.source, onnx))
        row = replace(row, onnx=onnx, words=replace(row.words, better=said))
        check_weights(document.model, onnx)
        check_operators(document, self.settings.custom_ops)
        return row

    def find_way(self, row: PlannedUpgrade, document: Document) -> PlannedUpgrade:
        """How it is done, what stays and what is lost by that, and who reads the result."""
        assert row.facts
        assert row.before
        assert row.to
        way = route(
            row.facts.version,
            row.to,
            self.at_hand,
            document.known.versions,
            has_identifier=row.facts.has_identifier,
        )
        result = upgraded(document, way.after, keeps_records=way.keeps_records)
        after = strips_of(result)
        said = replace(
            row.words,
            kept=tuple(words.kept(row.facts, way)),
            lost=tuple(words.lost(row.facts, way, row.before, after)),
            gained=tuple(words.gained(row.before, after)),
        )
        row = replace(
            row,
            route=way,
            after=after,
            words=said,
            runtimes=self._runtimes(way),
            spare=tuple(one for one in self.at_hand if one.kind is Kind.OWN),
        )
        self._check_way(row, document, result)
        return row

    def _check_way(self, row: PlannedUpgrade, document: Document, result: Document) -> None:
        """Raises RefusedError where the way leads nowhere."""
        assert row.route
        check_resolver(document.model, row.route)
        if self.settings.custom_ops is None:
            source = identified(document) if row.route.runtime else result
            check_loads(source, row.route)
            for runtime in self.settings.runtimes:
                check_asked(result, runtime, row.onnx)

    def _runtimes(self, way: Route) -> tuple[Runtime, ...]:
        """What old and new are run under: what was asked for, or what made it, and our own."""
        if self.settings.runtimes:
            return self.settings.runtimes
        own = [runtime for runtime in self.at_hand if runtime.kind is Kind.OWN]
        made_by = [way.runtime] if way.runtime is not None else []
        return tuple(dict.fromkeys([*made_by, *own]))

    def name(self, row: PlannedUpgrade, _document: Document) -> PlannedUpgrade:
        """Where the result goes."""
        assert row.route
        path = row.source
        suffix = path.suffix if path.suffix.lower() == ".ort" else ""
        name = f"{path.name.removesuffix(suffix)}.v{row.route.after}.ort"
        below = path.parent.relative_to(row.root) if row.root else Path()
        folder = self.settings.output_dir / below if self.settings.output_dir else path.parent
        row = replace(row, target=folder / name, identity=identity_of(path))
        check_target(row.target, [path], overwrite=self.settings.overwrite)
        check_folder(folder)
        return row

    def run_on(self, row: PlannedUpgrade, document: Document) -> PlannedUpgrade:
        """What old and new are run on."""
        return replace(row, verification=self._verification(row, document))

    def _verification(self, row: PlannedUpgrade, document: Document) -> Verification | str:
        if not self.settings.verify:
            return "Verification was switched off"
        if not row.runtimes:
            return "No ONNX Runtime is at hand to run old and new"
        try:
            inputs = Inputs(document.model, fitted_inputs(self.settings.inputs, document.model))
        except RefusedError as error:
            return str(error)
        return Verification(inputs, self.settings.tolerance, output_steps(document.model))


def _opened(path: Path) -> Document:
    """Raises StudioError where the path is no sound model."""
    if is_folder(path):
        raise RefusedError("The folder holds no .ort model", where=Where(str(path)))
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error
    return document


def _never() -> bool:
    return False
