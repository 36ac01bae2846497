"""Results in files: saved whole, with every sample."""

from __future__ import annotations

import json
from pathlib import Path

from ortstudio.services.lab.results import Result
from ortstudio.services.staging import check_target, publish, reserved, unwritable


def check_saving(target: Path, *, overwrite: bool) -> None:
    """Raises RefusedError where a result could not be saved there, before it is measured."""
    check_target(target, [], overwrite=overwrite)


def save(result: Result, target: Path, *, overwrite: bool = False) -> None:
    """Write the result. Raises RefusedError where that cannot be."""
    check_target(target, [], overwrite=overwrite)
    with reserved(target) as temporary:
        try:
            temporary.write_text(
                json.dumps(result.to_json(), allow_nan=False) + "\n", encoding="utf-8"
            )
        except OSError as error:
            raise unwritable(target, error) from None
        publish(temporary, target, overwrite=overwrite)
