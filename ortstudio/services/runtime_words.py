"""Errors for what ONNX Runtime says: in plain words, with its own words behind them."""

from __future__ import annotations

import re

from ortstudio.analysis.runtime_messages import recognize, without_noise
from ortstudio.errors import DONE_NO, JobError, Where
from ortstudio.jobs.runner import Ending, Outcome


class RuntimeRefusedError(JobError):
    """ONNX Runtime refused; `details` holds its own words."""

    kind = "runtime"
    exit_code = DONE_NO


_ASSERTION = re.compile(r"^\S+:\d+: \w+: Assertion `.*?` failed: ", re.DOTALL)
"""How the C++ of the package onnx begins what it says."""


def explained(text: str) -> tuple[str, str]:
    """A plain message for the runtime's text, and a hint where one is known."""
    for found in recognize(text)[:1]:
        return found.meaning, found.hint
    return f"ONNX Runtime refuses: {without_noise(text)}", ""


def refusal(text: str, where: Where) -> RuntimeRefusedError:
    """The error for what the runtime refused with these words."""
    message, hint = explained(text)
    return RuntimeRefusedError(message, where=where, hint=hint, details=text)


def child_error(outcome: Outcome, work: str, where: Where, library: str | None = None) -> JobError:
    """The error for a request that did not end well; `work` goes on before "failed".

    `library` is the custom operator library that the child had loaded.
    """
    if outcome.failure and outcome.failure.kind in ("load", "run", "custom-ops", "memory"):
        return refusal(outcome.failure.message, where)
    error = outcome.error(work, where)
    error.hint = suspicion(outcome, library)
    return error


def suspicion(outcome: Outcome, library: str | None) -> str:
    """The likely cause of a crash, where foreign code was loaded; empty where none is known."""
    if library is None or outcome.ending not in (Ending.CRASHED, Ending.EXITED):
        return ""
    return f"The likely cause is the custom operator library {library}."


def update_error(outcome: Outcome, opset: int, where: Where) -> JobError:
    """The error for a model that could not be brought to another opset."""
    if outcome.failure and outcome.failure.kind == "update-opset":
        words = " ".join(_ASSERTION.sub("", outcome.failure.message).split()).rstrip(". ")
        return RuntimeRefusedError(
            f"The model cannot be brought to opset {opset}: {words}",
            where=where,
            hint="Export it with that opset, or convert it as it is.",
            details=outcome.failure.message,
        )
    return outcome.error("The update of the operator set", where)
