"""The flags of ONNX Runtime's build script that follow from a set of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.build_facts import BuildFacts
from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import listed

PROVIDERS = {
    "nnapi": ("NnapiExecutionProvider", "NNAPI compiles nodes on the device"),
    "coreml": ("CoreMLExecutionProvider", "CoreML compiles nodes on the device"),
    "qnn": ("QNNExecutionProvider", "QNN compiles nodes on the device"),
    "xnnpack": ("XnnpackExecutionProvider", "XNNPACK has nodes laid out anew on loading"),
}
"""Providers that a minimal build can have: the name in the runtime, and why it must be extended."""

TYPES = {"float8": "float8 types", "optional": "optional values", "sparsetensor": "sparse tensors"}
"""What `--disable_types` takes in every release that reads format 5 or 6."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with its arguments, why it follows, and the models that it follows from."""

    name: str
    arguments: tuple[str, ...]
    reason: str
    models: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it is given to the build script."""
        return " ".join((self.name, *self.arguments))


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Why a build by the flags does not serve some models."""

    text: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildWishes:
    """What the user wants of the build beside the models: a config's name, types, providers."""

    config: str
    types: bool
    providers: tuple[str, ...] = ()


def build_flags(models: Sequence[BuildFacts], wishes: BuildWishes) -> tuple[Flag, ...]:
    """The smallest build that runs all models that one build can run."""
    return tuple(_flags(models, wishes))


_ML = Flag(
    "--disable_ml_ops", (), "No model has an operator of ai.onnx.ml or a map, which come with them"
)
_EXCEPTIONS = Flag(
    "--disable_exceptions",
    (),
    "Only minimal builds can do without: what fails ends the process then. Leave it out where"
    " errors must be caught, and for Python",
)


def left_out(models: Sequence[BuildFacts]) -> tuple[Flag, ...]:
    """Flags that would make a build smaller, and what of the models needs it otherwise."""
    found = [
        Flag(_ML.name, (), "Operators of ai.onnx.ml, or maps", _named(models, _uses_ml)),
        Flag(
            _EXCEPTIONS.name,
            (),
            "Operators of a library, which may throw",
            _named(models, lambda model: bool(model.custom)),
        ),
    ]
    for kind, what in TYPES.items():
        users = tuple(model.name for model in models if kind in model.kinds)
        found.append(Flag("--disable_types", (kind,), what[0].upper() + what[1:], users))
    return tuple(flag for flag in found if flag.models)


def _uses_ml(model: BuildFacts) -> bool:
    return bool(model.ml) or "map" in model.kinds


def _flags(models: Sequence[BuildFacts], wishes: BuildWishes) -> Iterator[Flag]:
    minimal = any(not model.is_onnx for model in models)
    if minimal:
        yield _minimal(models, wishes)
    yield Flag("--include_ops_by_config", (wishes.config,), "Only the kernels in the config")
    if wishes.types:
        yield Flag("--enable_reduced_operator_type_support", (), "Only the types in the config")
    yield Flag("--skip_tests", (), "Upstream's tests need operators that such a build lacks")
    if not any(map(_uses_ml, models)):
        yield _ML
    if minimal and not any(model.custom for model in models):
        yield _EXCEPTIONS
    if minimal:
        yield Flag("--disable_rtti", (), "Minimal builds do without by themselves, but for Python")
    spare = tuple(kind for kind in TYPES if not any(kind in model.kinds for model in models))
    if spare:
        what = " or ".join(TYPES[kind] for kind in spare)
        yield Flag("--disable_types", spare, f"No model has {what}")
    for provider in _providers(models, wishes):
        name, why = PROVIDERS[provider]
        users = tuple(model.name for model in models if name in model.providers)
        yield Flag(f"--use_{provider}", (), why, users)


def _minimal(models: Sequence[BuildFacts], wishes: BuildWishes) -> Flag:
    reasons = ["It loads models in ORT format only"]
    arguments = []
    replayed = any(model.optimizations for model in models)
    if replayed:
        reasons.append(
            "extended, since only an extended build replays saved optimizations, and from 1.30 on"
            " only where it is told to"
        )
    providers = _providers(models, wishes)
    reasons += [f"extended, since {PROVIDERS[provider][1]}" for provider in providers]
    if replayed or providers:
        arguments.append("extended")
    custom = list(dict.fromkeys(op for model in models for op in model.custom))
    if custom:
        arguments.append("custom_ops")
        reasons.append(f"custom_ops, since {listed(custom)} come from a custom operator library")
    named = _named(models, lambda model: bool(model.optimizations or model.custom))
    return Flag("--minimal_build", tuple(arguments), "; ".join(reasons), named)


def _providers(models: Sequence[BuildFacts], wishes: BuildWishes) -> tuple[str, ...]:
    """Those that are wished for, then those that files were saved for."""
    saved = {provider for model in models for provider in model.providers}
    found = [provider for provider, (name, _) in PROVIDERS.items() if name in saved]
    return tuple(dict.fromkeys((*wishes.providers, *found)))


def contradictions(models: Sequence[BuildFacts]) -> tuple[Contradiction, ...]:
    """What no flag mends, by the models that it is so of."""
    found = (Contradiction(text, _named(models, fits)) for fits, text in _AGAINST)
    return tuple(one for one in found if one.models)


_AGAINST: tuple[tuple[Callable[[BuildFacts], bool], str], ...] = (
    (
        lambda model: model.is_onnx,
        (
            "It is an ONNX model: a minimal build does not load it, and a full build fuses its"
            " operators into some that the config does not list. Convert it, and take the .ort"
        ),
    ),
    (
        lambda model: model.format_version is not None and model.format_version < FIRST_VERSION,
        (
            f"It is of a format before {FIRST_VERSION}, which minimal builds refuse since 1.13."
            " Upgrade it, or convert its source again"
        ),
    ),
    (
        lambda model: model.refused,
        "It has constants of types that every build refuses since 1.28",
    ),
    (
        lambda model: model.blocked,
        (
            "Its blocked layout fits only x64 CPUs of the same block size: builds for other CPUs"
            " have no kernels for it. Convert it without the amd64 target"
        ),
    ),
    (
        lambda model: bool(model.training),
        "Its training operators are in training builds only, which are not minimal",
    ),
    (
        lambda model: bool(model.stops),
        "Replaying its saved optimizations stops the load: do not enable it",
    ),
)


def _named(models: Iterable[BuildFacts], fits: Callable[[BuildFacts], bool]) -> tuple[str, ...]:
    return tuple(model.name for model in models if fits(model))
