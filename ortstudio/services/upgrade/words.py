"""What an upgrade means, in sentences: said before anything is written."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import count, listed
from ortstudio.services.release_strip import Standing, Strip, releases_text, standing
from ortstudio.services.sessions import Level
from ortstudio.services.upgrade.facts import Facts, Strips
from ortstudio.services.upgrade.onnx_source import OnnxSource
from ortstudio.services.upgrade.route import Route

Wanted = Callable[[Standing, Standing], bool]
"""Whether a release is meant, by how the old file stands with it, and how the new one."""

NOT_NEEDED = (
    "Nothing need be done: format version 5 is read by 1.13 and every newer release, minimal builds"
    " included, and version 6 would be refused by 1.13 to 1.15"
)
"""Of a file of version 5 that nobody asked to upgrade."""


def meaning(facts: Facts) -> Iterator[str]:
    """What the version says of the file, and who refuses it."""
    text = f"Format version {facts.version}, written by ONNX Runtime {facts.written_by}"
    yield f"{text}; a guess from its imported domains: {facts.guess}" if facts.guess else text
    if not facts.has_identifier:
        yield (
            "It lacks the identifier in bytes 4 to 8, as all files of 1.5.1 do: every other release"
            " refuses it until that is filled in"
        )
    elif facts.version < FIRST_VERSION:
        yield (
            "1.13 refuses it, and so do minimal builds of 1.13 and newer: they need the kernel"
            f" type resolver, which version {FIRST_VERSION} brought in place of kernel hashes"
        )
        yield "Of the newer releases, only full builds from 1.14 on can still read it"
    else:
        yield f"Full and minimal builds of {facts.full} read it"


def kept(facts: Facts, route: Route) -> Iterator[str]:
    """What stays."""
    yield (
        f"{count(facts.nodes, 'node')} with their names and attributes, all weights, inputs,"
        " outputs and metadata"
    )
    if facts.records and route.keeps_records:
        yield f"{records_text(facts)}, with the resolver entries of what they produce"


def lost(facts: Facts, route: Route, before: Strips, after: Strips) -> Iterator[str]:
    """What goes: records, hashes, releases that load the old file and not the new one."""
    if facts.records and not route.keeps_records:
        yield (
            f"{records_text(facts)}: they cannot be carried over from a format older than"
            f" {FIRST_VERSION}. Only 1.11 and 1.12 apply them; 1.14 and newer ignore them in the"
            " old file too"
        )
    if facts.kernel_hashes:
        hashes = count(facts.kernel_hashes, "kernel hash").replace("hashs", "hashes")
        yield f"{hashes}: the kernel type resolver takes their place"
    versions = f"read version {route.before} and refuse version {route.after}"
    yield from _builds(before, after, _refused_now, versions)


def gained(before: Strips, after: Strips) -> Iterator[str]:
    """Which releases load the new file that do not load the old one."""
    yield from _builds(before, after, _loaded_now, "load the new file and refuse the old one")


def better(facts: Facts, path: Path, onnx: OnnxSource | None, release: str = "") -> Iterator[str]:
    """Why converting the source again is better than an upgrade, and how; or where to look for it.

    `release` is the one whose format is wanted, empty for our own.
    """
    if onnx is None:
        if facts.version < FIRST_VERSION:
            yield (
                "Where the ONNX model is still around, convert that again instead: beside the file"
                " it is found by itself, elsewhere name it with --source"
            )
        return
    if not onnx.fits:
        yield f"{onnx.path.name} is not its source: {onnx.misfit}"
        return
    where = "" if onnx.given else " lies beside it and"
    yield f"{onnx.path.name}{where} is its source: convert that again instead"
    yield "; ".join(_reasons(facts))
    yield f"The command: {command(facts, path, onnx, release)}"


def _reasons(facts: Facts) -> Iterator[str]:
    yield (
        "A conversion optimizes with all that the release has learned since, while an upgrade"
        " leaves every node as it is"
    )
    if facts.records and facts.version < FIRST_VERSION:
        yield (
            "it is the way to get saved optimizations back, in the runtime style, since the"
            f" {facts.record_count:,} of this file are lost"
        )


def command(facts: Facts, path: Path, onnx: OnnxSource, release: str = "") -> str:
    """The command line that converts the source in the way that the file was."""
    words = ["ortstudio", "convert", str(onnx.path)]
    levels = [level.value for level in Level if level is not Level.ALL]
    named = [level for level in levels if f".{level}." in path.name]
    words += ["--level", named[0]] if named else []
    words += ["--style", "runtime"] if facts.records else []
    words += ["--runtime", release] if release else []
    return shlex.join(words)


def records_text(facts: Facts) -> str:
    """`6 saved optimizations (5 of QDQSelectorActionTransformer, 1 of ConvActivationFusion)`."""
    parts = [f"{number:,} of {optimizer}" for optimizer, number in facts.records]
    return f"{count(facts.record_count, 'saved optimization')} ({listed(parts, 8)})"


def _builds(before: Strips, after: Strips, wanted: Wanted, verbs: str) -> Iterator[str]:
    """`Full builds of 1.14 to 1.15 ...`; both kinds of build together where it is the same."""
    full = _releases(before.full, after.full, wanted)
    minimal = _releases(before.minimal, after.minimal, wanted)
    if full == minimal and full:
        yield f"Full and minimal builds of {full} {verbs}"
        return
    for build, found in (("Full", full), ("Minimal", minimal)):
        if found:
            yield f"{build} builds of {found} {verbs}"


def _releases(old: Strip, new: Strip, wanted: Wanted) -> str:
    return releases_text(new, lambda place: wanted(standing(old[place]), standing(new[place])))


def _refused_now(old: Standing, new: Standing) -> bool:
    return old is not Standing.REFUSES and new is Standing.REFUSES


def _loaded_now(old: Standing, new: Standing) -> bool:
    return old is Standing.REFUSES and new.loads
