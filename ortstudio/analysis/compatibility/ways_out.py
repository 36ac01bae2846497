"""What to do where a release refuses a file, or computes wrong numbers with it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from ortstudio.analysis.compatibility import operators, rules
from ortstudio.analysis.compatibility.needs import Needs
from ortstudio.analysis.compatibility.oracle import Compatibility, compatibility
from ortstudio.analysis.compatibility.releases import Release, Releases
from ortstudio.analysis.compatibility.said import Cause, Said
from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import listed
from ortstudio.model.graph import onnx_domain, op_text

Means = Literal["ship", "upgrade", "edit", "convert", "export"]
SOURCE = "MODEL.onnx"
"""Stands in a command for the model that a file was made from."""
_OF_FORMAT: frozenset[Cause] = frozenset({"format", "identifier", "build"})
"""Causes that an upgrade mends."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """One thing to do, and the command line that does it, where there is one."""

    means: Means
    text: str
    command: str = ""

    @property
    def sentence(self) -> str:
        """Both."""
        return f"{self.text}: {self.command}" if self.command else self.text


GET_AGAIN = WayOut("export", "Get the file again, whole, or convert it again from its source")
"""Of a damaged one."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A file and the release that does not take it, with the answers of all releases."""

    needs: Needs
    releases: Releases
    found: Compatibility
    strip: Sequence[Compatibility]

    @property
    def release(self) -> Release:
        return self.found.release

    @property
    def name(self) -> str:
        return PurePath(self.needs.model.source.path).name

    @property
    def causes(self) -> frozenset[Cause]:
        return frozenset(one.cause for one in self.found.said if one.kind == "no")


def ways_out(
    needs: Needs, releases: Releases, found: Compatibility, strip: Sequence[Compatibility]
) -> tuple[WayOut, ...]:
    """The ways out of an answer, those that leave the file as it is first.

    `strip` holds the answers of all measured releases for the same build, oldest first. Nothing for
    what loads well, nor where nobody knows of anything against it.
    """
    if all(one.kind not in ("no", "warning") for one in found.said):
        return ()
    case = _Case(needs, releases, found, strip)
    return (*_ship(case), *_mend(case), *_make_again(case))


def _is_good(found: Compatibility) -> bool:
    """Whether it loads, and computes what it should."""
    return found.loads == "yes" and all(one.kind != "warning" for one in found.said)


def _ship(case: _Case) -> Iterator[WayOut]:
    """Newer releases, the full build of this one, or at worst the nearest older releases."""
    runs = _good_runs(case.strip)
    newer = [run for run in runs if case.release < run[0]]
    older = [run for run in runs if case.release > run[1]]
    is_full = case.found.build == "full"
    if newer:
        which = ", ".join(_run_text(*run, case) for run in newer)
        yield WayOut("ship", f"Ship a newer runtime that loads this file: {which}")
    if not is_full and _is_good(compatibility(case.needs, case.releases, case.release)):
        yield WayOut("ship", f"Ship a full build of {case.release}: it loads this file")
    elif older and not newer:
        which = _run_text(*older[-1], case)
        yield WayOut("ship", f"Ship an older runtime that loads this file: {which}")


def _good_runs(strip: Sequence[Compatibility]) -> list[tuple[Release, Release]]:
    """First and last of neighbouring releases that load the file well."""
    runs: list[tuple[Release, Release]] = []
    was_good = False
    for answer in strip:
        is_good = _is_good(answer)
        if is_good:
            first = runs.pop()[0] if was_good else answer.release
            runs.append((first, answer.release))
        was_good = is_good
    return runs


def _run_text(first: Release, last: Release, case: _Case) -> str:
    """`1.16 or later`, `1.19 to 1.27`, `1.5.1`."""
    minors = [release[:2] for release in case.releases.all]
    place, end = map(case.releases.all.index, (first, last))
    begins, ends = first[:2] not in minors[:place], last[:2] not in minors[end + 1 :]
    if first[:2] == last[:2]:
        begins = ends = begins and ends
    start, stop = (
        f"{release.major}.{release.minor}" if is_whole else str(release)
        for release, is_whole in ((first, begins), (last, ends))
    )
    if end + 1 == len(minors):
        return f"{start} or later"
    return start if start == stop else f"{start} to {stop}"


def _mend(case: _Case) -> Iterator[WayOut]:
    """What can be done to the file itself."""
    ort = case.needs.model.ort
    if ort is None or not case.causes:
        return
    version = _upgraded(case) if case.causes <= _OF_FORMAT else None
    if version is not None and (ort.format_version or version) < version:
        options = ["--to", str(version)] if version < case.needs.subject.versions.newest else []
        command = shlex.join(["ortstudio", "upgrade", *options, case.name])
        yield WayOut("upgrade", f"Upgrade the file to format version {version}", command)
    if "saved optimization" in case.causes:
        command = shlex.join(
            ["ortstudio", "edit", case.name, "-o", "OUT.ort", "--drop-optimizations"]
        )
        yield WayOut("edit", "Drop the saved optimizations", command)


def _upgraded(case: _Case) -> int | None:
    """The newest format version that an upgrade makes and that the release's build reads."""
    versions = case.needs.subject.versions
    for number in range(versions.newest, FIRST_VERSION - 1, -1):
        version = versions.get(number)
        reads = version and (version.full if case.found.build == "full" else version.minimal)
        if reads and case.release.minor in reads:
            return number
    return None


def _make_again(case: _Case) -> Iterator[WayOut]:
    """The source converted once more, by the very release, unless the model itself is refused."""
    if case.needs.is_ort and "damage" in case.causes:
        yield GET_AGAIN
        return
    obstacles = _in_the_source(case)
    yield from _without(obstacles, case)
    if obstacles or not case.causes or not _writes(case):
        return
    brought = f"which `ortstudio runtimes install {case.release}` brings"
    source = SOURCE if case.needs.is_ort else case.name
    command = shlex.join(["ortstudio", "convert", source, "--runtime", str(case.release)])
    what = "Convert again from the ONNX source" if case.needs.is_ort else "Convert the model"
    yield WayOut("convert", f"{what} with onnxruntime {case.release}, {brought}", command)


def _writes(case: _Case) -> bool:
    """Whether the release can convert at all."""
    known = case.releases.stand_ins(case.release)
    return bool(known) and all(case.releases.writes(release) for release in known)


def _in_the_source(case: _Case) -> list[Said]:
    """What the release would refuse of the source too, also where the format is refused first."""
    said = list(case.found.said)
    known = case.releases.stand_ins(case.release)
    if known and case.causes & _OF_FORMAT:
        for rule in (rules.check_element_types, operators.check_imports, operators.check_operators):
            said += rule(case.needs, case.releases, known[-1])
    return [one for one in dict.fromkeys(said) if one.kind == "no" and _is_of_source(one, case)]


def _is_of_source(one: Said, case: _Case) -> bool:
    """Of operators only ONNX's own: the others may be what an optimizer made."""
    if one.cause == "operator" and case.needs.is_ort:
        return all(domain in operators.ONNX_DOMAINS for domain, _ in _operators(one, case))
    return one.cause in ("ir", "opset", "custom operator", "operator", "element type")


def _without(obstacles: Sequence[Said], case: _Case) -> Iterator[WayOut]:
    """What to do about demands of the model itself."""
    by_cause: dict[Cause, list[Said]] = {}
    for one in obstacles:
        by_cause.setdefault(one.cause, []).append(one)
    if "opset" in by_cause or "element type" in by_cause:
        by_cause.pop("operator", None)  # It goes with them.
    known = case.releases.stand_ins(case.release)
    for cause, some in by_cause.items():
        names = dict.fromkeys(op_text(*named) for one in some for named in _operators(one, case))
        values = dict.fromkeys(name for one in some for name in one.values)
        if cause == "custom operator":
            text = f"Hand the session the library that brings {listed(list(names))}"
            yield WayOut("ship", text)
        elif cause == "operator":
            text = f"Export the model again without {listed(list(names))} in this form"
            yield WayOut("export", text)
        elif cause == "element type":
            text = f"Make the model again with another element type for {listed(list(values))}"
            yield WayOut("export", text)
        elif cause == "ir":
            highest = case.releases.highest(known[0], "ir")
            yield WayOut("export", f"Save the model again with IR version {highest}")
        elif cause == "opset":
            yield WayOut("export", f"Export the model again with {_opsets(case, known[0])}")


def _operators(one: Said, case: _Case) -> list[tuple[str, str]]:
    """Domain and type of the nodes that it is about."""
    graphs = {graph.path: graph.nodes for graph in case.needs.model.graphs}
    found = []
    for node in one.nodes:
        nodes = graphs[node.graph]
        row = nodes.rows_by_index[node.index]
        found.append((onnx_domain(nodes.domains[row]), nodes.op_types[row]))
    return found


def _opsets(case: _Case, release: Release) -> str:
    """`opset 19 or older`."""
    texts = []
    for domain, what in operators.ONNX_DOMAINS.items():
        highest = case.releases.highest(release, what)
        if case.needs.imported.get(domain, 0) > highest:
            texts.append(f"{what if not domain else f'version of {domain}'} {highest} or older")
    return listed(texts)
