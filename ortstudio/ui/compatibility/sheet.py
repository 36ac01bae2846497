"""What one release does with what is open, as a sheet of facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Build, Said
from ortstudio.analysis.compatibility.ways_out import WayOut
from ortstudio.errors import JobError, StudioError
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document
from ortstudio.services.release_strip import standing
from ortstudio.services.try_load import Tried
from ortstudio.ui.places import Place, in_a_row, node_links
from ortstudio.ui.views.facts import Fact, Link, Prose, Run, Section, Sheet

_BUILD_WORDS = {
    "full": "",
    "minimal": ", minimal build",
    "extended-minimal": ", extended minimal build",
}
Deed = Literal["try", "cancel", "install", "explain", "upgrade"]


@dataclass(frozen=True, slots=True)
class Act:
    """What a link asks for; `text` is what is to be explained."""

    deed: Deed
    side: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """Whether a release is at hand to be tried for real, None while nobody knows; what came of it.

    `problem` is why nothing came of it.
    """

    at_hand: bool | None = None
    running: bool = False
    tried: Tried | None = None
    problem: StudioError | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One open file and the answer of the release about it."""

    side: int
    document: Document
    answer: Compatibility
    ways_out: tuple[WayOut, ...] = ()
    trial: Trial = field(default_factory=Trial)


def release_sheet(release: Release, build: Build, asked: Sequence[Asked]) -> Sheet:
    """A section for each file, and what the release itself said where it was tried."""
    is_pair = len(asked) > 1
    title = f"ONNX Runtime {release}{_BUILD_WORDS[build]}"
    if not is_pair:
        title += "".join(f": {standing(one.answer).value}" for one in asked)
    sections = [part for one in asked for part in _sections(one, is_pair=is_pair)]
    return Sheet(title, (), sections, mono=False)


def _sections(one: Asked, *, is_pair: bool) -> Iterator[Section]:
    name = one.document.path.name
    title = f"{name}: {standing(one.answer).value}" if is_pair else "Why, and what to do"
    yield Section(title, list(_rows(one)))
    words = _own_words(one.trial)
    if words:
        explain = Link("Explain it", Act("explain", one.side, words))
        rows: list[Fact | Prose] = [Prose(words), Fact("", explain, mono=False)]
        yield Section(f"What {one.answer.release} said of {name}", rows, folded=True)


def _own_words(trial: Trial) -> str:
    """What the release, or the process under it, said."""
    if trial.tried is not None:
        return trial.tried.words
    return trial.problem.details if isinstance(trial.problem, JobError) else ""


def _rows(one: Asked) -> Iterator[Fact]:
    answer = one.answer
    yield Fact("why", f"{answer.why}.", mono=False)
    yield from _about([said for said in answer.said if said.kind in ("no", "not known")], one)
    for said in answer.said:
        if said.kind in ("warning", "slower"):
            yield Fact("warning", f"{said.text}.", mono=False)
            yield from _about([said], one)
    if answer.words:
        yield Fact("it will say", answer.words)
    if answer.loads != "not known":
        yield Fact("from", _basis(answer), mono=False)
    yield _trial_row(one)
    for way in one.ways_out:
        yield _way_row(way, one)


def _basis(answer: Compatibility) -> str:
    basis = "measurements of" if answer.evidence == "measured" else "rules for"
    return f"the file's contents and {basis} this release; nothing was run"


def _about(said: Sequence[Said], one: Asked) -> Iterator[Fact]:
    """The nodes, values and saved optimizations that reasons are about, as links."""
    links = list(dict.fromkeys(link for reason in said for link in _links(reason, one)))
    if links:
        yield Fact("about", in_a_row(links))


def _links(said: Said, one: Asked) -> Iterator[Link]:
    document = one.document
    yield from node_links(one.side, document, said.nodes)
    for name in said.values:
        ref = _value(document, name)
        if ref is not None:
            yield Link(name, Place(one.side, ref))
    is_of_records = said.cause == "saved optimization" or said.kind == "slower"
    if is_of_records and document.optimizations:
        yield Link("saved optimizations", Place(one.side, Ref(RefKind.OPTIMIZATION)))


def _value(document: Document, name: str) -> Ref | None:
    for number, graph in enumerate(document.model.graphs):
        if name in graph.values.ids:
            return Ref(RefKind.VALUE, number, graph.values.ids[name])
        for row, sparse in enumerate(graph.sparse_initializers):
            if sparse.values.name == name:
                return Ref(RefKind.SPARSE_INITIALIZER, number, row)
    return None


def _trial_row(one: Asked) -> Fact:
    answer, trial = one.answer, one.trial
    install = Link("Install it…", Act("install", one.side))
    again = Link("Try it again", Act("try", one.side))
    if answer.build != "full":
        return Fact("tried", "no: releases at hand are full builds", mono=False)
    if trial.running:
        return Fact("tried", ("Loading it… ", Link("Cancel", Act("cancel"))), mono=False)
    if trial.tried is not None:
        return Fact("tried", (f"{_outcome(answer, trial.tried)}. ", again), mono=False)
    if trial.problem is not None:
        return Fact("tried", (f"{trial.problem.message}. ", again), mono=False)
    if trial.at_hand is None:
        return Fact("tried", "not yet", mono=False)
    if not trial.at_hand:
        text = f"no: onnxruntime {answer.release} is not at hand. "
        return Fact("tried", (text, install), mono=False)
    link = Link("Try it", Act("try", one.side), "Loads the file in a process of its own")
    return Fact("tried", ("not yet. ", link), mono=False)


def _outcome(answer: Compatibility, tried: Tried) -> str:
    """`it refuses, as expected`."""
    text = "it loads" if tried.loads else "it refuses"
    if answer.loads == "not known":
        return text
    as_expected = (answer.loads == "yes") == tried.loads
    return f"{text}, {'as' if as_expected else 'other than'} expected"


def _way_row(way: WayOut, one: Asked) -> Fact:
    """The command below the words; what the window can do itself as a link."""
    runs: list[Run] = [f"{way.text}."]
    if way.means == "upgrade":
        runs += [" ", Link("Upgrade…", Act("upgrade", one.side))]
    return Fact("way out", tuple(runs), detail=way.command, mono=False)
