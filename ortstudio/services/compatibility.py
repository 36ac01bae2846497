"""Which releases of ONNX Runtime load a file: the oracle, with the data that the program ships."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import cast

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.oracle import Compatibility, compatibility
from ortstudio.analysis.compatibility.releases import PARTS, Release, ReleaseData, Releases
from ortstudio.analysis.compatibility.said import Build
from ortstudio.analysis.compatibility.surveys import Survey, release_data
from ortstudio.analysis.compatibility.ways_out import WayOut, ways_out
from ortstudio.errors import UsageError
from ortstudio.services import resources
from ortstudio.services.document import Document
from ortstudio.services.surveys import kept_surveys

BUILDS: tuple[Build, ...] = ("full", "minimal", "extended-minimal")


@cache
def releases() -> Releases:
    """What was measured of every release, here too, read on first use."""
    data = cast(ReleaseData, json.loads(resources.find("releases.json").read_bytes()))
    shipped = Releases(data)
    surveyed = [survey for survey in kept_surveys() if _adds_to(shipped, survey)]
    return Releases(data, [release_data([survey]) for survey in surveyed]) if surveyed else shipped


def _adds_to(shipped: Releases, survey: Survey) -> bool:
    """Whether a survey says at least as much of its release as the data that we ship."""
    release = parse_release(survey["release"])
    asked = [part for part in PARTS if release in shipped.all and shipped.asked(part, release)]
    return all(part in survey for part in asked)


def needs_of(document: Document) -> Needs:
    """What the file asks of a release."""
    known = document.known
    subject = Subject(document.model, known.operators, known.versions)
    return Needs(subject, document.findings)


def parse_release(text: str) -> Release:
    """`1.16.3`. Raises UsageError for what is no release."""
    release = Release.parse(text)
    if release is None:
        raise UsageError(
            f"{text!r} is no release of ONNX Runtime",
            hint="Name one by its number, such as 1.16.3.",
        )
    return release


def answer(document: Document, release: Release, build: Build = "full") -> Compatibility:
    """Whether the file loads on one release, without running anything."""
    return compatibility(needs_of(document), releases(), release, build)


def strip(document: Document, build: Build = "full") -> tuple[Compatibility, ...]:
    """The answer for every release that was measured, oldest first."""
    return judge(document, build).strip


@dataclass(frozen=True, eq=False)
class Judged:
    """A file with the answers of all measured releases for one build, oldest first."""

    needs: Needs
    build: Build
    strip: tuple[Compatibility, ...]

    def ways_out(self, found: Compatibility) -> tuple[WayOut, ...]:
        """What to do about an answer for this build."""
        return ways_out(self.needs, releases(), found, self.strip)


def judge(document: Document, build: Build = "full", needs: Needs | None = None) -> Judged:
    """Ask all releases; `needs` where they were gathered for another build. May take seconds."""
    needs, known = needs or needs_of(document), releases()
    answers = (compatibility(needs, known, release, build) for release in known.all)
    return Judged(needs, build, tuple(answers))
