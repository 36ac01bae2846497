"""The models of the ground truth, converted in every way that has a case."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from tests.pairing_truth.cases import Case, cases
from tests.pairing_truth.convert import Job, convert
from tests.pairing_truth.models import MODELS

X86_64 = platform.machine().lower() in ("x86_64", "amd64")

CASES = [case for case in cases() if X86_64 or case.host != "x86-64"]
"""The cases that this machine's runtime rewrites as the truth says."""


@dataclass(frozen=True)
class Pairs:
    """Files of source and result of every case in one folder."""

    folder: Path

    @staticmethod
    def made(folder: Path) -> Pairs:
        """Build and convert all of them."""
        pairs = Pairs(folder)
        for name in {case.model for case in CASES}:
            pairs.source_path(name).write_bytes(MODELS[name]().SerializeToString())
        convert([pairs._job(case) for case in CASES], folder)
        return pairs

    @cached_property
    def models(self) -> dict[str, tuple[Model, Model]]:
        """Source and result, read, by the case's name."""
        return {
            case.name: (
                read_model(self.source_path(case.model)),
                read_model(self.result_path(case)),
            )
            for case in CASES
        }

    def source_path(self, model: str) -> Path:
        return self.folder / f"{model}.onnx"

    def result_path(self, case: Case) -> Path:
        return self.folder / f"{case.name}.ort"

    def _job(self, case: Case) -> Job:
        return Job(
            source=str(self.source_path(case.model)),
            result=str(self.result_path(case)),
            level=case.level,
            style=case.style,
            target=case.target,
        )
