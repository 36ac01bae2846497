"""Sizes and inputs that choices name: each holds for those sources that have what it names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ortstudio.analysis.finding import Finding
from ortstudio.errors import StudioError, UsageError, Where
from ortstudio.model.model import FileKind, Model
from ortstudio.services.convert_checks import fixable_dims
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.reading import read_model

_FIXED, _OPEN, _INPUT = "symbolic size", "open size", "input"
_Named = tuple[str, str]
"""A kind of thing, and a name."""
_Value = TypeVar("_Value")


def check_names(paths: Sequence[Path], settings: ConvertSettings) -> None:
    """Raises UsageError for a name that none of the sources has. Reads as many as it takes.

    Where no source can be read, or says what its inputs are, nothing is known of any name.
    """
    _check(paths, list(_asked(settings)), FileKind.ONNX)


def check_input_names(paths: Sequence[Path], settings: InputSettings) -> None:
    """As `check_names`, of what ORT models are run on."""
    _check(paths, list(_asked_of_inputs(settings)), FileKind.ORT)


def _check(paths: Sequence[Path], missing: Sequence[_Named], kind: FileKind) -> None:
    there: dict[_Named, None] = {}
    for path in paths:
        if not missing:
            return
        there |= dict.fromkeys(_names_in(path, kind))
        missing = [one for one in missing if one not in there]
    for what, name in missing[:1] if there else ():
        known = ", ".join(other for of, other in there if of == what)
        raise UsageError(
            f"{'The model has' if len(paths) == 1 else 'The models have'} no {what} named {name}",
            where=Where(str(paths[0])) if len(paths) == 1 else None,
            hint=f"There are: {known or 'none'}.",
        )


def fitted(settings: ConvertSettings, model: Model) -> ConvertSettings:
    """The settings with those fixed sizes alone that the model has."""
    return replace(settings, fixed_dims=_only(settings.fixed_dims, fixable_dims(model)))


def fitted_inputs(settings: InputSettings, model: Model) -> InputSettings:
    """The settings with sizes and ranges of what the model has alone. Raises as `Inputs` does."""
    if not settings.dims and not settings.ranges:
        return settings
    inputs = Inputs(model, InputSettings())
    return replace(
        settings,
        dims=_only(settings.dims, inputs.symbols),
        ranges=_only(settings.ranges, inputs.types),
    )


def not_fixed(asked: ConvertSettings, fitting: ConvertSettings) -> Iterator[Finding]:
    """A note on each size that only other sources have."""
    for symbol in asked.fixed_dims:
        if symbol not in fitting.fixed_dims:
            text = f"No input has a symbolic size named {symbol}: there is nothing to fix"
            yield Finding("info", "size-not-there", text)


def _asked(settings: ConvertSettings) -> Iterator[_Named]:
    yield from ((_FIXED, name) for name in settings.fixed_dims)
    if settings.verify:
        yield from _asked_of_inputs(settings.inputs)


def _asked_of_inputs(settings: InputSettings) -> Iterator[_Named]:
    yield from ((_OPEN, name) for name in settings.dims)
    yield from ((_INPUT, name) for name in settings.ranges)


def _names_in(path: Path, kind: FileKind) -> list[_Named]:
    """All that can be named of a source, as far as it tells."""
    try:
        model = read_model(path)
        if model.error is not None or model.kind is not kind:
            return []
        inputs = Inputs(model, InputSettings())
    except StudioError:
        return []
    kinds = ((_FIXED, fixable_dims(model)), (_OPEN, inputs.symbols), (_INPUT, inputs.types))
    return [(kind, name) for kind, names in kinds for name in names]


def _only(chosen: Mapping[str, _Value], known: Collection[str]) -> dict[str, _Value]:
    return {name: value for name, value in chosen.items() if name in known}
