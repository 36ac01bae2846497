"""The flags of a build, and what to know of its config, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.build_flags import Contradiction, Flag
from ortstudio.analysis.finding import SEVERITIES
from ortstudio.analysis.words import count, listed
from ortstudio.services.ops_flags import OpsFlags
from ortstudio.services.ops_open import OpenNeeds
from ortstudio.ui.views.facts import Fact, Section, Sheet


def flags_sheet(found: OpsFlags) -> Sheet:
    """What speaks against the build first, then the flags with their reasons."""
    sections = [
        Section("Against it", [_against(one) for one in found.contradictions]),
        Section("Flags", [_flag(flag) for flag in found.flags]),
        Section("Left out", [_flag(flag) for flag in found.left_out]),
    ]
    title = "Flags for the build script of ONNX Runtime"
    if found.contradictions:
        title += f", and {count(len(found.contradictions), 'reason')} against such a build"
    return Sheet(title, sections=[one for one in sections if one.rows], mono=False)


def _against(one: Contradiction) -> Fact:
    return Fact(listed(one.models), one.text, mono=False)


def _flag(flag: Flag) -> Fact:
    because = f" ({listed(flag.models)})" if flag.models else ""
    return Fact("", flag.text, note=f"{flag.reason}{because}")


def notes_sheet(found: OpenNeeds) -> Sheet:
    """What could not be read, then what concerns the config."""
    notes = sorted(
        ((row, note) for row in found.shipped.rows for note in row.notes),
        key=lambda pair: SEVERITIES.index(pair[1].severity),
    )
    sections = [
        Section("Not covered", list(_errors(found))),
        Section(
            "About the config",
            [Fact(row.source.name, note.message, mono=False) for row, note in notes],
        ),
    ]
    return Sheet("To know", sections=[one for one in sections if one.rows], mono=False)


def _errors(found: OpenNeeds) -> Iterator[Fact]:
    for row in found.everything.rows:
        if row.error is not None:
            yield Fact(row.source.name, str(row.error), mono=False)
