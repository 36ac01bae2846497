"""What a user can choose of an upgrade."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.services.agreement import Tolerance
from ortstudio.services.inputs import InputSettings
from ortstudio.services.runtimes import Runtime


@dataclass(frozen=True, slots=True)
class UpgradeSettings:
    """What the user chose. Paths are as they were given.

    `to` is the format version to make; None is the newest, and leaves files alone that need no
    upgrade unless they were named one by one. With `cautious` it leaves those alone too. `onnx` is
    the source of the file, `custom_ops` a library of operators, `output_dir` None beside the file.
    Old and new are run under `runtimes`; with none, under those that the upgrade takes.
    """

    to: int | None = None
    cautious: bool = False
    output_dir: Path | None = None
    overwrite: bool = False
    verify: bool = True
    onnx: Path | None = None
    custom_ops: str | None = None
    runtimes: tuple[Runtime, ...] = ()
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)
