"""A saved result, read back: whoever wrote the file, it is checked before it is believed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import cast, get_args

from ortstudio.errors import FormatError, MissingError, Where
from ortstudio.model.model import FileKind
from ortstudio.services.lab.modes import mode
from ortstudio.services.lab.results import LoadParts, Measured, Result, Round, Status
from ortstudio.services.lab.subject import Subject
from ortstudio.services.sessions import Level

SCHEMA = "ortstudio/bench@1"
MOST_BYTES = 1 << 28

Json = Mapping[str, object]


def reopen(path: Path) -> Result:
    """The result in a file. Raises FormatError for what is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError("it is too large")
        answer = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(answer, dict) or answer.get("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        return _result(answer)
    except FileNotFoundError:
        raise MissingError("There is no such file", where=Where(str(path))) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(
            f"This is no saved result of a comparison: {error}",
            where=Where(str(path)),
            hint="Results are written by bench --save.",
        ) from None


def _result(answer: Json) -> Result:
    subjects = [_measured(row) for row in _rows(answer, "subjects")]
    subjects += [
        Measured(_subject(row), "not measured", _text(row, "why"))
        for row in _rows(answer, "skipped")
    ]
    if not subjects:
        raise ValueError("it has no subjects")
    return Result(
        subjects,
        environment=_object(answer, "environment"),
        inputs=_object(answer, "inputs"),
        notes=[str(note) for note in cast("list[object]", answer["notes"])],
        stopped=_text(answer, "stopped"),
        screened=_whole(answer.get("screened_rounds", 0)),
    )


def _measured(row: Json) -> Measured:
    status = _text(row, "status")
    if status not in get_args(Status):
        raise ValueError(f"no subject has the status {status!r}")
    rounds = _rounds(row)
    pursued = row.get("pursued", True) is True
    why = _text(row, "why")
    return Measured(
        _subject(row), cast(Status, status), why, pursued, rounds, load_parts=_parts(row)
    )


def _parts(row: Json) -> LoadParts | None:
    """What a load was made of; None where that was not told."""
    found = row.get("load_parts")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise ValueError("load_parts is no object")
    told = [
        None if (value := found.get(name)) is None else _whole(value)
        for name in ("model_loading_ns", "session_initialization_ns")
    ]
    return LoadParts(_whole(found["load_ns"]), _whole(found["read_ns"]), *told)


def _rounds(row: Json) -> list[Round]:
    """A column for each figure; one that the system did not tell is empty."""
    numbers = _numbers(row, "rounds")
    size = len(numbers)
    ends = [0, *accumulate(_numbers(row, "runs_by_round"))]
    runs = _numbers(row, "run_ns")
    if len(ends) != size + 1 or ends[-1] != len(runs) or ends != sorted(ends):
        raise ValueError("its rounds and its samples do not fit")
    by_round = [tuple(runs[start:end]) for start, end in pairwise(ends)]
    told = {name: _column(row, name, size) for name in _COLUMNS}

    def always(name: str, k: int) -> int:
        return told[name][k] or 0

    return [
        Round(
            number=number,
            load_ns=always("load_ns", k),
            read_ns=always("read_ns", k),
            first_run_ns=told["first_run_ns"][k],
            run_ns=by_round[k],
            peak_rss_bytes=told["peak_rss_bytes"][k],
            rss_after_load_bytes=told["rss_after_load_bytes"][k],
            private_after_load_bytes=told["private_after_load_bytes"][k],
            read_bytes=told["read_bytes"][k],
            import_ns=always("import_ns", k),
            warmup_ns=always("warmup_ns", k),
            wall_ns=always("wall_ns", k),
        )
        for k, number in enumerate(numbers)
    ]


_COLUMNS = (
    "load_ns",
    "read_ns",
    "first_run_ns",
    "peak_rss_bytes",
    "rss_after_load_bytes",
    "private_after_load_bytes",
    "read_bytes",
    "import_ns",
    "warmup_ns",
    "wall_ns",
)


def _column(row: Json, name: str, size: int) -> Sequence[int | None]:
    """One figure of each round; none at all where it was never told."""
    found = row.get(name, [])
    if not isinstance(found, list) or len(found) not in (0, size):
        raise ValueError(f"{name} has not one sample for each round")
    values = [None if value is None else _whole(value) for value in found]
    return values or [None] * size


def _subject(row: Json) -> Subject:
    path = Path(_text(row, "path"))
    threads, batch = row.get("threads"), row.get("batch")
    return Subject(
        path,
        FileKind(row["kind"]),
        (path,),
        mode(_text(row, "mode")),
        _text(row, "runtime"),
        _text(row, "provider"),
        None if threads is None else _whole(threads),
        Level(row["level"]),
        None if batch is None else _whole(batch),
        _whole(row["size_bytes"]),
    )


def _rows(answer: Json, name: str) -> list[Json]:
    found = answer.get(name, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ValueError(f"{name} is no list of objects")
    return found


def _object(answer: Json, name: str) -> Json:
    found = answer[name]
    if not isinstance(found, dict):
        raise ValueError(f"{name} is no object")
    return found


def _text(row: Json, name: str) -> str:
    found = row[name]
    if not isinstance(found, str):
        raise ValueError(f"{name} is no text")
    return found


def _numbers(row: Json, name: str) -> list[int]:
    found = row.get(name, [])
    if not isinstance(found, list):
        raise ValueError(f"{name} is no list")
    return [_whole(value) for value in found]


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 63:
        raise ValueError(f"{value!r} is no whole number")
    return value
