"""The flags of a build that serves a set of models, and what speaks against them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from ortstudio.analysis.build_flags import (
    PROVIDERS,
    BuildWishes,
    Contradiction,
    Flag,
    build_flags,
    contradictions,
    left_out,
)
from ortstudio.analysis.given_flags import given_contradictions, parsed
from ortstudio.errors import DONE_NO, UsageError
from ortstudio.services.ops import Ops

PROVIDER_NAMES = tuple(PROVIDERS)


@dataclass(frozen=True, slots=True)
class OpsFlags:
    """What follows from a set of models."""

    found: Ops
    flags: tuple[Flag, ...]
    left_out: tuple[Flag, ...]
    contradictions: tuple[Contradiction, ...]

    @property
    def exit_code(self) -> int:
        """As of the models, or 1 where anything speaks against the build."""
        return self.found.exit_code or (DONE_NO if self.contradictions else self.found.exit_code)

    @property
    def text(self) -> str:
        """The flags in one line for a shell."""
        return " ".join(shlex.join((flag.name, *flag.arguments)) for flag in self.flags)

    def to_json(self) -> dict[str, object]:
        """The command line's answer."""
        return self.found.to_json() | {
            "build_flags": self.text,
            "flags": [_flag_json(flag) for flag in self.flags],
            "left_out": [_flag_json(flag) for flag in self.left_out],
            "contradictions": [
                {"message": one.text, "models": list(one.models)} for one in self.contradictions
            ],
        }


def _flag_json(flag: Flag) -> dict[str, object]:
    return {
        "flag": flag.name,
        "arguments": list(flag.arguments),
        "reason": flag.reason,
        "models": list(flag.models),
    }


def ops_flags(
    found: Ops, *, config: str, types: bool, providers: Sequence[str] = (), given: str = ""
) -> OpsFlags:
    """The flags for models that were read; `given` are flags that somebody has already.

    Raises UsageError where these are not well formed.
    """
    models = [row.facts for row in found.rows if row.facts is not None]
    against = list(contradictions(models))
    if given:
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise UsageError(f"The given flags cannot be taken apart: {error}") from None
        against += given_contradictions(parsed(words), models, types=types)
    wishes = BuildWishes(config, types, tuple(providers))
    flags = build_flags(models, wishes) if models else ()
    return OpsFlags(found, flags, left_out(models), tuple(against))
