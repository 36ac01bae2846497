"""Upgrades for tests, and old and new on the inputs that the corpus recorded."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import OutputAgreement, Tolerance, agreement
from ortstudio.services.conversion import Conversion
from ortstudio.services.exchange import Value
from ortstudio.services.runtimes import Runtime, own
from ortstudio.services.sessions import Level, Session
from ortstudio.services.upgrade.plan import plan
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.run import run
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.upgraded import Upgraded
from ortstudio.services.verify import Runs
from tests.builders.corpus import corpus_files
from tests.builders.knowledge import CORPUS
from tests.builders.recorded import recorded

OLD = [row for row in corpus_files() if row["format_version"] < "6"]
NPZ = {row["file"]: CORPUS / row["npz"] for row in OLD}
EXACT = Tolerance(rtol=0, atol=0)

WEIGHTS_LEFT_OUT = "v1_ort1.5.2_extdata_fixed_basic.ort"
UPGRADEABLE = [row["file"] for row in OLD if row["file"] != WEIGHTS_LEFT_OUT]


def planned(
    *paths: Path, at_hand: Sequence[Runtime] | None = None, **settings: object
) -> list[PlannedUpgrade]:
    """The rows of a plan; `at_hand` None is our own release alone."""
    known = [own()] if at_hand is None else at_hand
    made = plan(paths, UpgradeSettings(**settings), runtimes=lambda: known)  # type: ignore[arg-type]
    return list(made.rows)


def upgraded(
    paths: Iterable[Path], *, at_hand: Sequence[Runtime] | None = None, **settings: object
) -> Conversion:
    """Plan and do it."""
    known = [own()] if at_hand is None else at_hand
    wanted = UpgradeSettings(**settings)  # type: ignore[arg-type]
    return run(plan(list(paths), wanted, runtimes=lambda: known))


def rows_of(done: Conversion) -> list[Upgraded]:
    """The answer's rows as what they are."""
    assert all(isinstance(row, Upgraded) for row in done.results)
    return [row for row in done.results if isinstance(row, Upgraded)]


def outputs(child: Child, path: Path, npz: Path, folder: Path) -> dict[str, Value]:
    """What a file gives for the recorded inputs, as it is stored."""
    runs = Runs(child.ask, folder)
    runs.feed(recorded(npz)[0])
    outcome = runs.run(Session(str(path), FileKind.ORT, Level.DISABLE))
    assert outcome.ok, outcome
    return runs.outputs(outcome)


def differing(a: dict[str, Value], b: dict[str, Value]) -> list[OutputAgreement]:
    """The outputs that are not the same bit for bit, NaN being NaN."""
    return [one for one in agreement(a, b, EXACT) if not one.equal]


def aged(source: Path, target: Path, version: str = "4") -> Path:
    """A copy that says another format version, and without a resolver, as before version 5."""
    content = bytearray(source.read_bytes())
    (root,) = struct.unpack_from("<I", content, 0)
    table = root - struct.unpack_from("<i", content, root)[0]
    stated = root + struct.unpack_from("<H", content, table + 4)[0]
    text = stated + struct.unpack_from("<I", content, stated)[0]
    assert struct.unpack_from("<I", content, text) == (len(version),)
    content[text + 4 : text + 4 + len(version)] = version.encode()
    if struct.unpack_from("<H", content, table)[0] > 10:
        struct.pack_into("<H", content, table + 10, 0)
    target.write_bytes(content)
    return target
