"""Whether an export is what it should be, judged by our reader and by ONNX's own checker."""

from __future__ import annotations

import re
from pathlib import Path

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.errors import FormatError, RefusedError, StudioError
from ortstudio.model.model import Model
from ortstudio.services.export_notes import Note
from ortstudio.services.reading import read_model

_UNKNOWN = re.compile(r"No Op registered for (\S+) with domain_version of")


def check_export(made: Path, model: Model, known: Operators) -> list[Note]:
    """What ONNX's checker remarks on the export of a model. Loads the `onnx` package.

    Raises FormatError where our reader cannot read it, RefusedError where the checker does not
    accept it. It may miss an operator of a version that only ONNX Runtime has in ONNX's domain,
    and it may know too little to infer a type.
    """
    _check_readable(made)
    words = checker_refusal(made, full=True)
    if not words:
        return []
    refusal = checker_refusal(made, full=False)
    if not refusal:
        text = f"The ONNX checker accepts the export, but cannot infer all types: {words}"
        return [Note("type-inference", text)]
    unknown = _UNKNOWN.search(refusal)
    if unknown and unknown.group(1) in _unknown_to_onnx(model, known):
        return [Note("checker", f"The ONNX checker refuses the export: {refusal}")]
    raise RefusedError(
        f"The ONNX checker does not accept what the file holds: {refusal}",
        hint="Inspect the file to see what is wrong with it.",
    )


def checker_refusal(path: Path, *, full: bool) -> str:
    """The words of ONNX's checker in one line, empty where it accepts the model.

    `full` has it infer all types and shapes too.
    """
    from onnx import checker, shape_inference

    try:
        checker.check_model(path, full_check=full)
    except (
        checker.ValidationError,
        shape_inference.InferenceError,
        RuntimeError,
        ValueError,
    ) as error:
        return " ".join(str(error).partition("==> Context")[0].split()) or type(error).__name__
    return ""


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
