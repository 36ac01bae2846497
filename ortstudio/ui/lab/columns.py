"""What the table of a measure says of each subject."""

from __future__ import annotations

import math

from ortstudio.analysis.words import size_text
from ortstudio.services.lab.view import Row, View
from ortstudio.services.lab.words import interval_text, ratio_text, value_text
from ortstudio.ui.tables import Column


def columns(view: View) -> list[Column[Row]]:
    """Of one measure; what was measured before stands beside it where there is something."""
    kind = view.kind

    def interval(row: Row) -> str:
        return interval_text(row.estimate.low, row.estimate.high, kind)

    made: list[Column[Row]] = [
        Column("No.", lambda row: row.number, numeric=True),
        Column("File", lambda row: row.one.subject.path.name, tip=_file_tip),
        Column("Way of loading", lambda row: row.one.subject.mode.title, tip=_way_tip),
    ]
    if any(row.more for row in view.rows):
        made.append(Column("With", lambda row: row.more))
    made += [
        Column(
            view.title.capitalize(),
            lambda row: row.estimate.median,
            lambda value: value_text(_float(value), kind),
            numeric=True,
        ),
        Column("Verdict", lambda row: row.verdict, tip=lambda row: row.one.why or row.verdict),
        Column("Ratio to 1", lambda row: ratio_text(row.against_first)),
        Column("95 % interval", interval),
    ]
    if any(row.then is not None for row in view.rows):
        made += [
            Column(
                "Earlier",
                lambda row: row.then.estimate.median if row.then else math.nan,
                lambda value: value_text(_float(value), kind),
                numeric=True,
            ),
            Column("Now to earlier", lambda row: ratio_text(row.then.ratio) if row.then else ""),
        ]
    return made


def _float(value: object) -> float:
    return value if isinstance(value, float) else math.nan


def _file_tip(row: Row) -> str:
    return f"{row.one.subject.path}\n{size_text(row.one.subject.size_bytes)}"


def _way_tip(row: Row) -> str:
    why = row.one.subject.mode.why
    return f"{why[0].upper()}{why[1:]}"
