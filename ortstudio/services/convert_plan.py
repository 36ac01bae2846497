"""What a conversion would write, and what it refuses to, before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ortstudio.errors import RefusedError, StudioError, UsageError, Where
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.model.model import Model
from ortstudio.services.convert_checks import check_kind, check_model, check_path, opset_update
from ortstudio.services.convert_clashes import Names
from ortstudio.services.convert_names import check_names, fitted, fitted_inputs, not_fixed
from ortstudio.services.convert_outputs import PlannedOutput, folder_configs, planned_outputs
from ortstudio.services.convert_planned import ConvertPlan, PlannedSource
from ortstudio.services.convert_resume import ALREADY, Left, is_done, left
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.convert_sources import Found, Skipped, sources
from ortstudio.services.custom_ops import check_library
from ortstudio.services.inputs import Inputs
from ortstudio.services.lost_defaults import defaulted
from ortstudio.services.optimizers import check_optimizers
from ortstudio.services.paths import identity_of, is_folder
from ortstudio.services.providers import chosen, offered
from ortstudio.services.quantization import output_steps
from ortstudio.services.reading import read_model
from ortstudio.services.staging import check_folder, check_target
from ortstudio.services.verify import Verification
from ortstudio.services.weights import check_external_data


def plan(
    paths: Sequence[str | Path],
    settings: ConvertSettings,
    *,
    make_child: Callable[[], Child] = agent_child,
) -> ConvertPlan:
    """Plan the conversion of files and folders. Reads their structure, writes nothing.

    A child is started only where execution providers were chosen, to ask which there are. Raises
    UsageError where the settings make no sense or fit none of the sources, and what `check_library`
    raises.
    """
    planning = Planning(paths, settings, make_child=make_child)
    for _ in planning.rows():
        pass
    return planning.whole()


class Planning:
    """A plan as it is made: work on a source may begin before the next one is read."""

    def __init__(
        self,
        paths: Sequence[str | Path],
        settings: ConvertSettings,
        *,
        make_child: Callable[[], Child] = agent_child,
    ) -> None:
        check_optimizers(settings.disabled_optimizers)
        if settings.custom_ops is not None:
            check_library(settings.custom_ops)
        if settings.providers:
            providers = chosen(settings.providers, offered(make_child))
            settings = replace(settings, providers=providers)
        if settings.resume:
            settings = replace(settings, release=make_child().release)
        asked = tuple(sources(paths))
        self._settings = settings
        self._skipped = [one for one in asked if isinstance(one, Skipped)]
        self._found = [one for one in asked if isinstance(one, Found)]
        self._names = Names(one.path for one in self._found)
        self._rows: list[PlannedSource] = []

    @property
    def settings(self) -> ConvertSettings:
        """What was chosen for all sources."""
        return self._settings

    @property
    def count(self) -> int:
        """How many sources there are."""
        return len(self._found)

    def rows(self) -> Iterator[PlannedSource]:
        """Read one source after the other.

        Raises UsageError where the settings name a size or an input that none of them has.
        """
        if not self._rows:
            check_names([one.path for one in self._found], self._settings)
        for one in self._found[len(self._rows) :]:
            self._rows.append(_planned(one, self._settings, self._names))
            yield self._rows[-1]

    def whole(self) -> ConvertPlan:
        """The plan. Of sources that were not come to it says nothing.

        Raises UsageError where the settings fit none of them.
        """
        rows = self._rows
        if rows and all(isinstance(row.refusal, UsageError) for row in rows):
            raise rows[0].refusal or AssertionError
        weights = {path for row in rows for path, _ in row.identities}
        left = (_bare(one, self._settings) for one in self._found[len(rows) :])
        return ConvertPlan(
            (*rows, *left),
            tuple(_configs(rows, self._settings)),
            tuple(one for one in self._skipped if one.path not in weights),
        )


def _bare(found: Found, settings: ConvertSettings) -> PlannedSource:
    return PlannedSource(found.path, (), settings, root=found.root)


def _planned(found: Found, settings: ConvertSettings, names: Names) -> PlannedSource:
    path = found.path
    folder = Path(settings.output_dir, found.below) if settings.output_dir else path.parent
    own_config = settings.write_config and found.root is None
    outputs = tuple(planned_outputs(path, folder, settings, config=own_config))
    row = replace(_bare(found, settings), outputs=outputs)
    try:
        model = _opened(path)
    except StudioError as error:
        return replace(row, refusal=error.at(str(path)), opened=is_folder(path))
    try:
        return names.spoken_for(_checked(row, model, names))
    except StudioError as error:
        return replace(row, refusal=error.at(str(path)))


def _opened(path: Path) -> Model:
    """Raises StudioError where the path is no sound model."""
    if is_folder(path):
        raise RefusedError("The folder holds no .onnx model", where=Where(str(path)))
    model = read_model(path)
    if model.error is not None:
        raise model.error
    return model


def _checked(row: PlannedSource, model: Model, names: Names) -> PlannedSource:
    """The row with all that the model says of it. Raises StudioError where it is refused."""
    check_path(row.source)
    check_kind(model)
    asked, settings = row.settings, fitted(row.settings, model)
    row = replace(row, settings=settings)
    files = (row.source, *check_external_data(model))
    notes = (*check_model(model, settings), *not_fixed(asked, settings))
    opset = opset_update(model, settings.opset)
    names.check(row)
    identities = tuple((file, identity_of(file)) for file in files)
    row = replace(row, identities=identities, defaults=defaulted(model))
    if settings.resume and is_done(row):
        return replace(row, skipped=ALREADY, notes=notes, opset=opset)
    for output in row.outputs:
        is_ours = settings.resume and left(output.path, row) is not Left.UNKNOWN
        check_target(output.path, files, overwrite=settings.overwrite or is_ours)
        check_folder(output.path.parent)
    return replace(
        row,
        verification=_verification(model, settings),
        notes=notes,
        opset=opset,
    )


def _verification(model: Model, settings: ConvertSettings) -> Verification | str:
    if not settings.verify:
        return "Verification was switched off"
    try:
        inputs = Inputs(model, fitted_inputs(settings.sized_inputs(), model))
    except RefusedError as error:
        return str(error)
    return Verification(inputs, settings.tolerance, output_steps(model))


def _configs(rows: Sequence[PlannedSource], settings: ConvertSettings) -> list[PlannedOutput]:
    """The operator configs of folders of which anything can be converted."""
    roots = [row.root for row in rows if row.root and row.refusal is None]
    folders = dict.fromkeys(Path(settings.output_dir or root) for root in roots)
    return [output for folder in folders for output in folder_configs(folder, settings)]
