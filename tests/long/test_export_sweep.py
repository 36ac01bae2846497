"""Every backend model that converts comes back to ONNX, checked, and computes the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pytest

from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import Tolerance
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.export import ExportSettings, export
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Session
from ortstudio.services.verify import SkippedError, Verification, verify
from tests.builders.backend_cases import KINDS, Case, backend_cases
from tests.long.test_backend_sweep import NOT_RUN

REMARKS = ("checker", "type-inference")
"""Notes on exports that the ONNX checker does not wholly accept."""


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_all_backend_models_that_convert_come_back_and_compute_the_same(tmp_path: Path) -> None:
    cases = list(backend_cases(KINDS, tmp_path))
    found = outcomes(cases, tmp_path)
    assert len(found["equal"]) > 0.9 * len(cases)
    assert found.keys() <= {"equal", "not run"}
    assert set(found["not run"]) <= NOT_RUN.keys()


def test_a_spread_of_backend_models_comes_back_and_computes_the_same(tmp_path: Path) -> None:
    cases = list(islice(backend_cases(["node"], tmp_path), 0, None, 40))
    found = outcomes(cases, tmp_path)
    assert list(found) == ["equal"]
    assert len(found["equal"]) > 0.8 * len(cases)


def outcomes(cases: Sequence[Case], folder: Path) -> Mapping[str, list[str]]:
    """What became of the cases that convert at level disable, by name."""
    (folder / "ort").mkdir()
    found: dict[str, list[str]] = defaultdict(list)
    with children(agent_child) as child:
        for case, original in converted(cases, folder / "ort"):
            found[outcome(case, original, child)].append(case.name)
    return found


def converted(cases: Sequence[Case], folder: Path) -> Iterator[tuple[Case, Path]]:
    settings = ConvertSettings(
        level=Level.DISABLE, output_dir=str(folder), verify=False, keep_going=True
    )
    rows = [row for case in cases for row in plan([case.path], settings).sources]
    for case, row in zip(cases, run(ConvertPlan(tuple(rows))).results, strict=True):
        if row.ok:
            yield case, row.outputs[0].path


def outcome(case: Case, original: Path, child: Callable[[], Child]) -> str:
    """`equal`, `different`, `not run`, or why there is no export."""
    target = original.with_suffix(".onnx")
    done = export(original, ExportSettings(target, verify=False), shared=child)
    remarks = [note.message for note in done.notes if note.code in REMARKS]
    if done.error or remarks:
        return str(done.error or remarks[0])
    own = InputSettings(file=str(case.inputs) if case.inputs else None)
    wanted = Verification(Inputs(read_model(original), own), Tolerance(0, 0), {})
    before = Session(str(original), FileKind.ORT, Level.DISABLE)
    after = Session(str(target), FileKind.ONNX, Level.DISABLE)
    try:
        check = verify(
            wanted, before, after, lambda *request: child().ask(*request), original.parent
        )
    except SkippedError:
        return "not run"
    return "equal" if all(output.equal for output in check.outputs) else "different"
