"""Whether an export is what it should be, judged by our reader and by ONNX's own checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.errors import FormatError, RefusedError, StudioError, Where
from ortstudio.jobs.runner import Outcome
from ortstudio.model.model import Model
from ortstudio.services.export_notes import Note
from ortstudio.services.reading import read_model

Ask = Callable[[str, Mapping[str, object]], Outcome]
_UNKNOWN = re.compile(r"No Op registered for (\S+) with domain_version of")


def check_export(made: Path, model: Model, known: Operators, ask: Ask) -> list[Note]:
    """What ONNX's checker remarks on the export of a model; `ask` has a child with `onnx` answer.

    Raises FormatError where our reader cannot read it, RefusedError where the checker does not
    accept it, JobError where it does not answer. It may miss an operator of a version that only
    ONNX Runtime has in ONNX's domain, and it may know too little to infer a type.
    """
    _check_readable(made)
    outcome = ask("check-onnx", {"model": str(made.absolute())})
    if not outcome.ok:
        raise outcome.error("The ONNX checker", Where(made.name))
    refusal, inference = (_words(outcome.value.get(key)) for key in ("refusal", "inference"))
    if inference:
        text = f"The ONNX checker accepts the export, but cannot infer all types: {inference}"
        return [Note("type-inference", text)]
    if not refusal:
        return []
    unknown = _UNKNOWN.search(refusal)
    if unknown and unknown.group(1) in _unknown_to_onnx(model, known):
        return [Note("checker", f"The ONNX checker refuses the export: {refusal}")]
    raise RefusedError(
        f"The ONNX checker does not accept what the file holds: {refusal}",
        hint="Inspect the file to see what is wrong with it.",
    )


def _words(found: object) -> str:
    """The checker's words in one line, without the dump of the model that follows them."""
    return " ".join(str(found or "").partition("==> Context")[0].split())


def _check_readable(made: Path) -> None:
    try:
        error = read_model(made).error
    except StudioError as found:
        error = found
    if error is not None:
        raise FormatError(f"The export cannot be read back: {error.message}")


def _unknown_to_onnx(model: Model, known: Operators) -> set[str]:
    """Operators of a version that ONNX does not have, as far as we know."""
    return {
        op.op_type
        for op in by_operator(model.graphs)
        if known.runtime_only(*op) or op.since_version not in known.versions(op.domain, op.op_type)
    }
