"""How a file gets from one format version to another: through which release, or by our writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortstudio.analysis.versions import FormatVersions
from ortstudio.errors import RefusedError
from ortstudio.services.lossless_upgrade import FROM, TO
from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.runtime import version_key

LOCAL = (Kind.OWN, Kind.INSTALLED, Kind.GIVEN, Kind.FOUND)
"""Runtimes that read and write files here."""
SUGGESTED = {5: "1.15.1", 6: "1.32.0"}
"""By format version, the release to install where none at hand writes it."""


class NoWriterError(RefusedError):
    """No release at hand makes what is wanted; `release` would, and can be installed."""

    kind = "no-runtime"

    def __init__(self, message: str, release: str) -> None:
        super().__init__(message, hint=f"Get one with `ortstudio runtimes install {release}`.")
        self.release = release


@dataclass(frozen=True, slots=True)
class Route:
    """From one version to another. `runtime` loads and saves; None is our own writer.

    With `fills_identifier` the file first gets the one that release 1.5.1 left out.
    """

    before: int
    after: int
    runtime: Runtime | None
    fills_identifier: bool = False

    @property
    def keeps_records(self) -> bool:
        """Whether saved optimizations come along."""
        return self.runtime is None

    @property
    def words(self) -> str:
        """What is done."""
        if self.runtime is None:
            return "ORT Studio writes the file anew with another version number, and runs nothing"
        words = f"onnxruntime {self.runtime.onnxruntime} loads the file and saves it as it is"
        if self.fills_identifier:
            words = f"ORT Studio fills in the identifier, then {words}"
        return f"{words}, at level disable"


def route(
    before: int,
    after: int,
    at_hand: Sequence[Runtime],
    versions: FormatVersions,
    *,
    has_identifier: bool = True,
) -> Route:
    """The way between two versions. Raises NoWriterError where no release at hand goes it."""
    if (before, after) == (FROM, TO):
        return Route(before, after, None)
    able = [one for one in at_hand if one.kind in LOCAL and _makes(one, before, after, versions)]
    able.sort(key=lambda one: (one.kind is not Kind.OWN, _age(one)))
    if not able:
        version = versions.get(after)
        writers = versions.words(version.writes) if version else ""
        raise NoWriterError(
            f"Format version {after} is written by ONNX Runtime {writers}, and none is at hand",
            SUGGESTED[after],
        )
    return Route(before, after, able[0], fills_identifier=not has_identifier)


def _age(runtime: Runtime) -> list[int]:
    """Sorts the newest release first."""
    return [-part for part in version_key(runtime.onnxruntime)]


def _makes(runtime: Runtime, before: int, after: int, versions: FormatVersions) -> bool:
    """A release newer than all known is taken for the newest."""
    minor = min(runtime.minor, versions.newest_release)
    source, target = versions.get(before), versions.get(after)
    return source is not None and target is not None and minor in source.full & target.writes
