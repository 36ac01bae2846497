"""Results in files: whole as JSON, every sample as CSV, or a page to be read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from ortstudio.services.lab.results import ITEM, Measured, Result
from ortstudio.services.staging import check_target, publish, reserved, unwritable

SUBJECT = ("path", "mode", "runtime", "provider", "threads", "level", "batch")
"""What names a subject in each line of a table of samples."""


def check_saving(target: Path, *, overwrite: bool) -> None:
    """Raises RefusedError where a result could not be saved there, before it is measured."""
    check_target(target, [], overwrite=overwrite)


def save(result: Result, target: Path, *, overwrite: bool = False) -> None:
    """Write the result. Raises RefusedError where that cannot be."""
    write(json.dumps(result.to_json(), allow_nan=False) + "\n", target, overwrite=overwrite)


def write(text: str, target: Path, *, overwrite: bool = False) -> None:
    """Write a text whole or not at all. Raises RefusedError where that cannot be."""
    check_target(target, [], overwrite=overwrite)
    with reserved(target) as temporary:
        try:
            # Line ends stay as they are: those of CSV are no matter of the system.
            temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise unwritable(target, error) from None
        publish(temporary, target, overwrite=overwrite)


def csv_text(result: Result) -> str:
    """A line for every sample, its subject named in full."""
    found = io.StringIO()
    rows = csv.writer(found)
    rows.writerow((*SUBJECT, "status", "round", "measure", "sample", "value"))
    for one in result.subjects:
        named = one.subject.to_json()
        for sample in _samples(result, one):
            rows.writerow((*(named[name] for name in SUBJECT), one.status, *sample))
    return found.getvalue()


def _samples(result: Result, one: Measured) -> Iterator[tuple[object, ...]]:
    """Round, measure, number within the round, value; one empty line where nothing was measured."""
    if one.status != "ok":
        yield "", "", "", ""
        return
    for taken in one.rounds:
        for measure in result.measures():
            if measure == "run_ns":
                for number, value in enumerate(taken.run_ns):
                    yield taken.number, measure, number, value
            elif measure != ITEM and (found := taken.value(measure)) is not None:
                yield taken.number, measure, 0, int(found)
