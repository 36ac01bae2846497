"""What is said of one file: before anything is written, and as proof afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from ortstudio.analysis.words import count
from ortstudio.errors import JobError, StudioError
from ortstudio.services.describe.facts import exact_size
from ortstudio.services.upgrade.facts import Strips
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.upgraded import OLD, Proof, ReleaseRun, Upgraded
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances
from ortstudio.ui.hints import in_window
from ortstudio.ui.theme import Tone
from ortstudio.ui.views.facts import Embed, Fact, Link, Prose, Section, Sheet
from ortstudio.ui.views.release_cells import StripRow
from ortstudio.ui.views.release_strip import ReleaseStrip

HINTS = {
    "--custom-ops": "below",
    "--overwrite": "by ticking Replace in the options",
    "-o": "in the options",
    "--no-verify": "with the verification switched off in the options",
    "--to": "below",
    "--source": "in the options",
}
"""Where the window has what hints name by options of the command line."""
_PARTS: tuple[tuple[str, str, Tone], ...] = (
    ("kept", "Stays", "text"),
    ("lost", "Is lost", "warning"),
    ("gained", "Is won", "text"),
    ("better", "Would be better", "text"),
)


def explained_sheet(row: PlannedUpgrade) -> Sheet:
    """Everything to know before the file is upgraded, or why it is not."""
    return Sheet(row.source.name, (_subtitle(row),), tuple(_explained(row)))


def _subtitle(row: PlannedUpgrade) -> str:
    if row.facts is None:
        return str(row.source.parent)
    version = f"ORT format version {row.facts.version}"
    return f"{version} → {row.to}" if row.is_wanted else version


def _explained(row: PlannedUpgrade) -> Iterator[Section]:
    if row.refusal is not None:
        yield _error("Cannot be upgraded", row.refusal)
    if row.skipped:
        yield Section("Left alone", [Prose(f"{row.skipped}.")])
    if row.words.meaning:
        yield Section("What it is", [_bullet(text) for text in row.words.meaning])
    for name, title, tone in _PARTS:
        lines: list[Fact | Prose | Embed] = [
            _bullet(in_window(text, HINTS), tone) for text in getattr(row.words, name)
        ]
        if name == "better" and row.onnx is not None and row.onnx.fits:
            path = row.onnx.path
            lines.append(Fact("Instead", Link(f"Convert {path.name}…", path), mono=False))
        if lines:
            yield Section(title, lines)
    if row.before is not None:
        after = row.after if row.is_wanted else None
        yield Section("Releases that load it", [Embed(lambda: _strip(row.before, after))])
    if row.route is not None and row.is_wanted:
        yield Section("How", [Prose(f"{row.route.words}."), *_where(row)])


def _where(row: PlannedUpgrade) -> Iterator[Fact | Prose]:
    yield Fact("Result", row.target.name, tip=str(row.target))
    if isinstance(row.verification, str):
        yield Prose(f"Old and new will not be run: {row.verification}.", "warning")
    else:
        releases = ", ".join(runtime.onnxruntime for runtime in row.runtimes)
        yield Fact("Run under", releases, note="old and new on the same inputs")


def _bullet(text: str, tone: Tone = "text") -> Prose:
    return Prose(f"{text}.", tone)


def _error(title: str, error: StudioError) -> Section:
    rows = [Prose(f"{error.message}.", "error")]
    if error.hint:
        rows.append(Prose(in_window(error.hint, HINTS)))
    if isinstance(error, JobError) and error.details:
        rows.append(Prose(error.details, "muted"))
    return Section(title, rows)


def _strip(before: Strips | None, after: Strips | None) -> QWidget:
    strip = ReleaseStrip()
    strip.set_rows(list(_strip_rows(before, after)))
    return strip


def _strip_rows(before: Strips | None, after: Strips | None) -> Iterator[StripRow]:
    for build in ("full", "minimal"):
        for when, strips in (("old file", before), ("new file", after)):
            if strips is not None:
                yield StripRow(f"{build} builds, {when}".capitalize(), getattr(strips, build))


def report_sheet(row: Upgraded) -> Sheet:
    """What became of a file, and how that is known."""
    planned = row.planned
    subtitle = "" if planned is None else _subtitle(planned)
    if row.proof is None:
        subtitle = row.state.value.capitalize()
    return Sheet(row.source.name, (subtitle,), tuple(_reported(row)))


def _reported(row: Upgraded) -> Iterator[Section]:
    if row.error is not None:
        yield _error("Not upgraded", row.error)
    if row.proof is None:
        return
    yield Section("Result", list(_result(row)))
    yield Section("Compared", list(_compared(row.proof)))
    yield Section("Run", [_run(run) for run in row.proof.runs] or [_not_run(row)])
    yield Section("Changed", [_bullet(_capital(text)) for text in row.proof.changes])
    planned = row.planned
    if planned is not None:
        if planned.words.lost:
            yield Section("Lost", [_bullet(text, "warning") for text in planned.words.lost])
        before, after = planned.before, planned.after
        yield Section("Releases that load it", [Embed(lambda: _strip(before, after))])
    yield Section("Hashes", list(_hashes(row.proof)), folded=True)


def _result(row: Upgraded) -> Iterator[Fact]:
    for made in row.outputs:
        yield Fact("File", Link(made.path.name, made.path, str(made.path)))
        yield Fact("Folder", str(made.path.absolute().parent))
        yield Fact("Size", exact_size(made.size_bytes), mono=False)


def _compared(proof: Proof) -> Iterator[Prose]:
    yield Prose(f"{count(proof.nodes, 'node')} compared one by one: the same.", "good")
    operators = count(proof.operators, "operator")
    yield Prose(f"Each of {operators} in use has its entry in the resolver.", "good")
    if proof.records_after:
        records = count(proof.records_after, "saved optimization")
        yield Prose(f"{records}: all that there were.", "good")


def _run(run: ReleaseRun) -> Fact:
    if not isinstance(run.found, Verified):
        return Fact(run.words, f"Not compared: {run.found}", mono=False)
    text = _capital(agreement_text(run.found, OLD))
    return Fact(run.words, text, note=circumstances(run.found), mono=False)


def _not_run(row: Upgraded) -> Fact:
    return Fact("", f"Not compared: {row.verify_skipped}", mono=False)


def _hashes(proof: Proof) -> Iterator[Fact]:
    yield Fact("Old file", proof.source_sha256)
    yield Fact("New file", proof.result_sha256)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
