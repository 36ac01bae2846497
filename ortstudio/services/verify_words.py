"""What a comparison of outputs found, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ortstudio.analysis.words import count, listed
from ortstudio.errors import StudioError, Where
from ortstudio.services.agreement import BIGGEST, OutputAgreement, Tolerance
from ortstudio.services.verify import BY_DEFAULT, Verified


class DisagreementError(StudioError):
    """Source and result compute different things."""

    kind = "disagreement"


def disagreement(found: Verified, result: Path, hint: str) -> DisagreementError:
    """The error for a result that does not agree with its source."""
    worst = max(found.outputs, key=lambda one: (not one.agrees, one.nan_one, one.max_abs))
    return DisagreementError(
        f"Source and result compute different values: {worst.name} {differs_text(worst)};"
        f" {tolerance_text(found.tolerance)} may be ({circumstances(found)})",
        where=Where(str(result)),
        hint=hint,
    )


def difference_text(output: OutputAgreement) -> str:
    """How an output differs: by how much, where, and in how many NaN."""
    if output.note:
        return output.note
    where = f" at {list(output.where)}" if output.where is not None else ""
    parts = []
    if output.nan_one:
        parts.append(f"NaN against a number in {count(output.nan_one, 'place')}")
    if output.max_abs >= BIGGEST:
        parts.append("infinity against a number")
    elif output.max_abs or not parts:
        parts.append(f"by up to {output.max_abs:.3g} ({output.max_rel:.3g} of the value)")
    return f"{' and '.join(parts)}{where}"


def differs_text(output: OutputAgreement) -> str:
    """`differs by up to 0.1 ...`, `differs: NaN against a number ...`."""
    how = difference_text(output)
    return f"differs {how}" if how.startswith("by ") else f"differs: {how}"


def agreement_text(found: Verified, whose: str = "the source's") -> str:
    """`outputs agree with the source's, ...`: equal, or how far apart and where."""
    text = f"outputs agree with {whose}"
    if all(output.equal for output in found.outputs):
        text += ", all equal"
    else:
        worst = max(found.outputs, key=lambda output: (not output.equal, output.max_abs))
        text += f", though not equal: {worst.name} {differs_text(worst)}"
        text += f", and {tolerance_text(found.tolerance)} may be"
    both = sum(output.nan_both for output in found.outputs)
    return text + (f"; NaN in both in {count(both, 'place')}" if both else "")


def tolerance_text(tolerance: Tolerance) -> str:
    """What floats may differ by."""
    return f"{tolerance.rtol:g} of the value and {tolerance.atol:g} of the largest"


def circumstances(found: Verified) -> str:
    """`seed 0, n = 1, ids within 0 and 9`: all that it takes to compare the same again."""
    sizes = [f"{symbol} = {size}" for symbol, size in found.sizes.items()]
    return ", ".join([f"seed {found.seed}", *sizes, *_origins(found)])


def _origins(found: Verified) -> Iterator[str]:
    """Where the values of inputs come from, where that is no matter of course."""
    told = [
        f"{name} {str(used['values']).removeprefix('random ')}"
        for name, used in found.inputs.items()
        if used["values"] not in ("random", BY_DEFAULT)
    ]
    if told:
        yield listed(told)
