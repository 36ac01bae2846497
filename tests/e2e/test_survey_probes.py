"""What a survey finds out by files that are made for it, against what was measured before."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.services.runtimes.probes import ELEMENT_TYPES
from ortstudio.services.runtimes.survey import survey
from tests.builders.knowledge import releases
from tests.builders.releases import release

LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("1.10.0", "1.14.1", "1.16.3")]


@pytest.mark.parametrize("name", ["1.12.1", *LONG])
def test_old_releases_know_and_replay_what_is_shipped_of_them(name: str, tmp_path: Path) -> None:
    facts, known = survey(release(name), tmp_path).facts, releases()
    asked = Release.parse(name)
    assert asked is not None
    assert {part for part in ("initializers", "values", "actions") if part in facts} == {
        part for part in ("initializers", "values", "actions") if known.asked(part, asked)
    }
    for part in ("initializers", "values"):
        items = cast("list[int]", facts.get(part, []))
        shipped = {kind: known.holds(part, str(kind), asked) for kind in ELEMENT_TYPES}
        for kind in [kind for kind, is_known in shipped.items() if is_known is not None]:
            assert (kind in items) == shipped[kind], (part, kind)
    actions = cast("list[str]", facts.get("actions", []))
    assert all(known.holds("actions", action, asked) for action in actions)
    assert len(actions) == {"1.12.1": 9, "1.14.1": 11, "1.16.3": 11}.get(name, 0)
