"""What is wrong with flags of the build script that somebody has, for certain models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ortstudio.analysis.build_facts import BuildFacts
from ortstudio.analysis.build_flags import PROVIDERS, TYPES, Contradiction

Flags = Mapping[str, tuple[str, ...]]
"""The arguments of each flag."""

_NEEDS: tuple[tuple[Callable[[Flags], bool], Callable[[BuildFacts], bool], str], ...] = (
    (
        lambda flags: "--disable_ml_ops" in flags,
        lambda model: bool(model.ml) or "map" in model.kinds,
        "--disable_ml_ops takes operators or maps away that it needs",
    ),
    (
        lambda flags: "--disable_contrib_ops" in flags,
        lambda model: bool(model.contrib),
        "--disable_contrib_ops takes operators away that it needs",
    ),
    (
        lambda flags: "custom_ops" not in flags.get("--minimal_build", ("custom_ops",)),
        lambda model: bool(model.custom),
        "--minimal_build without custom_ops takes no library, and its operators come from one",
    ),
    (
        lambda flags: "extended" not in flags.get("--minimal_build", ("extended",)),
        lambda model: bool(model.optimizations),
        "--minimal_build without extended never replays its saved optimizations",
    ),
)


def parsed(words: Sequence[str]) -> Flags:
    """Flags with their arguments, which may stand behind them or after `=`."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for word in words:
        if word.startswith("--"):
            name, equals, argument = word.partition("=")
            found[name] = (argument,) if equals else ()
        elif name:
            found[name] = (*found[name], word)
    return found


def given_contradictions(
    flags: Flags, models: Sequence[BuildFacts], *, types: bool
) -> tuple[Contradiction, ...]:
    """Flags against models, and against each other; `types` where the config has types."""
    return (*_against_models(flags, models), *map(Contradiction, _among(flags, types=types)))


def _against_models(flags: Flags, models: Sequence[BuildFacts]) -> Iterator[Contradiction]:
    for given, needs, text in _NEEDS:
        named = tuple(model.name for model in models if needs(model))
        if named and given(flags):
            yield Contradiction(text, named)
    for kind in flags.get("--disable_types", ()):
        named = tuple(model.name for model in models if kind in model.kinds)
        if named and kind in TYPES:
            yield Contradiction(f"--disable_types {kind} takes {TYPES[kind]} that it has", named)


def _among(flags: Flags, *, types: bool) -> Iterator[str]:
    minimal = flags.get("--minimal_build")
    if "--disable_exceptions" in flags and minimal is None:
        yield "--disable_exceptions is for minimal builds only"
    if "--disable_exceptions" in flags and not flags.keys().isdisjoint(
        ("--enable_pybind", "--build_wheel")
    ):
        yield "--disable_exceptions leaves Python without what it needs"
    if "--enable_reduced_operator_type_support" in flags:
        if "--include_ops_by_config" not in flags:
            yield "--enable_reduced_operator_type_support does nothing without a config"
        elif not types:
            yield "--enable_reduced_operator_type_support does nothing with a config without types"
    if minimal is not None and "extended" not in minimal:
        for provider, (_, why) in PROVIDERS.items():
            if f"--use_{provider}" in flags:
                yield f"--use_{provider} needs --minimal_build extended: {why}"
