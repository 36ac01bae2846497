"""Everything that ONNX Runtime loads is converted and computes the same, over all backend tests.

What is left out is the runtime's doing, and listed by reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.jobs.runner import agent_child
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import Converted
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.runtime_words import RuntimeRefusedError
from ortstudio.services.sessions import Style
from tests.builders.backend_cases import KINDS, Case, backend_cases

REFUSED = {
    "no code for the operator with these types": r"has no code for",
    "an operator of a preview or training domain": r"is not in this build",
    "recurrent operators with the batch first": r"layout == 1\) are not supported",
    "a locale that the machine does not have": r"needs the locale",
}
"""Why ONNX Runtime does not load a source."""

NOT_SAVED = {
    "values of optional type": r"of an optional type, which the ORT format cannot hold",
    "element types that it writes and does not read": r"though it writes one",
}
"""Why ONNX Runtime loads a source and makes no ORT-format model of it that it loads."""

NOT_RUN = {
    "test_attention_4d_diff_heads_mask4d_padded_kv": "mask of another size than the keys",
    "test_convinteger_with_padding": "a zero point of one element",
    "test_reduce_max_empty_set_bool": "the greatest of no booleans",
    "test_reduce_min_empty_set_bool": "the least of no booleans",
}
"""Sources that ONNX Runtime loads and does not run even on the inputs that come with them."""


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_all_backend_models_convert_and_compute_the_same(tmp_path: Path) -> None:
    cases = list(backend_cases(KINDS, tmp_path))
    assert len(cases) > 1500
    results = converted(cases, tmp_path)
    check(cases, results)
    verified = [row for row in results if row.verified]
    assert len(verified) > 0.85 * len(cases)


def test_a_spread_of_backend_models_converts_and_computes_the_same(tmp_path: Path) -> None:
    cases = list(backend_cases(["simple", "pytorch-operator"], tmp_path))[::4]
    results = converted(cases, tmp_path)
    check(cases, results)
    assert sum(row.verified is not None for row in results) > len(cases) / 2


def converted(cases: Sequence[Case], folder: Path) -> list[Converted]:
    """Every case through one plan and one child."""
    rows = [
        row
        for case in cases
        for row in plan(
            [case.path],
            ConvertSettings(
                keep_going=True,
                output_dir=str(folder / "out" / case.name),
                inputs=InputSettings(file=str(case.inputs) if case.inputs else None),
            ),
        ).sources
    ]
    return list(run(ConvertPlan(tuple(rows))).results)


def check(cases: Sequence[Case], results: Sequence[Converted]) -> None:
    """Each case is verified, or stands in one of the lists for a reason that holds."""
    found: dict[str, list[str]] = defaultdict(list)
    refused = []
    for case, row in zip(cases, results, strict=True):
        if row.error is not None:
            reason = reason_of(row)
            found[reason].append(case.name)
            if reason in REFUSED:
                refused.append(case)
        elif row.verified is None:
            found["not run" if case.name in NOT_RUN else str(row.verify_skipped)].append(case.name)
    expected = {*REFUSED, *NOT_SAVED, "not run"}
    assert {reason: names for reason, names in found.items() if reason not in expected} == {}
    assert loadable(refused) == []


def reason_of(row: Converted) -> str:
    """The reason in our lists, or all that is known."""
    error = row.error
    assert error is not None
    if isinstance(error, RefusedError | RuntimeRefusedError):
        for reason, pattern in (REFUSED | NOT_SAVED).items():
            if re.search(pattern, error.message):
                return reason
    return f"{type(error).__name__}: {error}"


def loadable(cases: Sequence[Case]) -> list[str]:
    """Those that the runtime loads after all."""
    found = []
    with agent_child() as child:
        for case in cases:
            session = ConvertSettings().running_session(case.path, FileKind.ONNX, Style.FIXED)
            nothing = {"file": "", "values": []}
            outcome = child.ask(
                "run", {"session": session.to_json(), "inputs": nothing, "outputs": ""}
            )
            assert outcome.failure is not None
            if outcome.failure.kind != "load":
                found.append(case.name)
    return found
