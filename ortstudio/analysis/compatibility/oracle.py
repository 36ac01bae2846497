"""Whether a file will load on a release, in a build of it, and why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ortstudio.analysis.compatibility import operators, rules
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.releases import Release, Releases
from ortstudio.analysis.compatibility.said import Build, Cause, Evidence, Said

Rule = Callable[[Needs, Releases, Release], Iterator[Said]]
FORMAT: tuple[Rule, ...] = (rules.check_format,)
CONTENT: tuple[Rule, ...] = (
    rules.check_soundness,
    rules.check_ir_version,
    rules.check_element_types,
    rules.check_sparse,
    operators.check_imports,
    operators.check_operators,
    rules.check_records,
    rules.check_writer,
    rules.check_results,
)


_OF_CONTENT: frozenset[Cause] = frozenset(
    {"opset", "operator", "custom operator", "element type", "indices", "saved optimization"}
)
"""Causes that the format's number says nothing of."""
_ARTICLE = re.compile(r"(It|The|An?|Nobody) ")


@dataclass(frozen=True, slots=True)
class Compatibility:
    """The answer for one release and build.

    `why` says in words what `loads` rests on; `words` are those expected of the release where it
    refuses; `warnings` are of what loads and computes wrong or without saved optimizations.
    """

    release: Release
    build: Build
    loads: Literal["yes", "no", "not known"]
    why: str
    evidence: Evidence
    said: tuple[Said, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be known of a file that loads."""
        return tuple(one.text for one in self.said if one.kind in ("warning", "slower"))

    @property
    def words(self) -> str:
        """What the release is expected to say where it refuses."""
        return next((one.words for one in self.said if one.kind == "no"), "")

    def to_json(self) -> dict[str, object]:
        """The `runtime` object of the command line's contract."""
        return {
            "version": str(self.release),
            "build": self.build,
            "loads": self.loads,
            "why": self.why,
            "evidence": self.evidence,
            "warnings": list(self.warnings),
            "expected_words": self.words,
        }


def compatibility(
    needs: Needs, releases: Releases, release: Release, build: Build = "full"
) -> Compatibility:
    """The answer, without running anything. A release not measured goes by its neighbours."""
    stand_ins = releases.stand_ins(release)
    if not stand_ins:
        side = "newer" if release > releases.newest else "older"
        why = f"{release} is {side} than the releases that this tool knows"
        return Compatibility(release, build, "not known", why, "rule")
    answers = [_measured(needs, releases, other, build) for other in stand_ins]
    if stand_ins == (release,):
        return answers[0]
    low, high = stand_ins
    first, last = answers[0], answers[-1]
    if first.loads != last.loads:
        why = f"{low} answers {first.loads} and {high} {last.loads}; {release} was not measured"
        return Compatibility(release, build, "not known", why, "rule")
    why = f"As {low} and {high}: {last.why}"
    return Compatibility(release, build, last.loads, why, "rule", last.said)


def _measured(needs: Needs, releases: Releases, release: Release, build: Build) -> Compatibility:
    said = tuple(_said(needs, releases, release, build))
    against = [one for one in said if one.kind == "no"]
    if against:
        why = _joined(against)
        if needs.model.ort is not None and against[0].cause in _OF_CONTENT:
            version = needs.model.ort.format_version_text
            why = f"{release} reads format version {version}, but not this file: {why}"
        return Compatibility(release, build, "no", why, against[0].evidence, said)
    doubts = [one for one in said if one.kind == "not known"]
    if doubts:
        return Compatibility(release, build, "not known", _joined(doubts), "rule", said)
    return Compatibility(release, build, "yes", _yes(needs, release, build), "rule", said)


def _joined(said: list[Said]) -> str:
    """The first few texts as one, of which only the first begins with a capital."""
    first, *others = dict.fromkeys(one.text for one in said[:3])
    lowered = (f"{text[0].lower()}{text[1:]}" if _ARTICLE.match(text) else text for text in others)
    return "; ".join((first, *lowered))


def _said(needs: Needs, releases: Releases, release: Release, build: Build) -> Iterator[Said]:
    """What all rules say; where the very format is refused, nothing else is asked."""
    found = [one for rule in FORMAT for one in rule(needs, releases, release)]
    if build != "full":
        found += rules.check_minimal(needs, releases, release)
    yield from found
    if not any(one.kind == "no" for one in found):
        for rule in CONTENT:
            yield from rule(needs, releases, release)


def _yes(needs: Needs, release: Release, build: Build) -> str:
    if build != "full":
        return "A build that includes the operators and types of this model loads it"
    what = "format version" if needs.is_ort else "IR version"
    return f"{release} reads its {what} and has its operators for these types"
