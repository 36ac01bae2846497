from __future__ import annotations

import io

from ortstudio.cli import bench_text
from ortstudio.cli.output import Output
from ortstudio.services.lab.modes import PATH, mode
from tests.unit.services.lab.made import measured, result

LONGEST = mode("c-mapped-in-place")


def test_a_way_with_a_long_name_moves_no_number() -> None:
    assert len(LONGEST.title) > 50
    stream = io.StringIO()
    ways = [PATH, mode("bytes"), mode("mapped"), LONGEST]
    found = result(*(measured("m.ort", mode=way) for way in ways))
    bench_text.show(found, Output(False, stream, False))
    table = stream.getvalue().split("\n\n")[0].splitlines()
    place = next(i for i, line in enumerate(table) if line.strip() == LONGEST.title)
    places = {line.index("MB") for line in (*table[4:place], table[place + 1])}
    assert len(places) == 1
