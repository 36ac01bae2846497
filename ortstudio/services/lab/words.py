"""What a result says, in words: figures, names of subjects, who is best and at what cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from ortstudio.analysis.samples import Comparison, Kind, rounds_needed
from ortstudio.analysis.words import count, duration_text, listed, size_text
from ortstudio.services.lab.results import ITEM, Measured, Result

TITLES: Mapping[str, str] = {
    "load_ns": "load",
    "first_run_ns": "first run",
    "run_ns": "run",
    ITEM: "run, for each item",
    "peak_rss_bytes": "peak memory",
    "rss_after_load_bytes": "memory after load",
}
BEST: Mapping[str, str] = {
    "load_ns": "loads fastest",
    "first_run_ns": "first run soonest",
    "run_ns": "runs fastest",
    ITEM: "most throughput",
    "peak_rss_bytes": "least peak memory",
    "rss_after_load_bytes": "least memory after load",
}
"""What the best in each respect does."""
WORSE = ("slower", "more")
_VERBS: Mapping[str, str] = {
    "load_ns": "to load",
    "first_run_ns": "for the first run",
    "run_ns": "to run",
    ITEM: "for each item",
    "peak_rss_bytes": "at its peak",
    "rss_after_load_bytes": "after loading",
}


@dataclass(frozen=True, slots=True)
class Best:
    """Who is best in one respect, named by `title`. `clear`: it is more than chance."""

    title: str
    measure: str
    place: int
    clear: bool
    text: str
    cost: str


def value_text(value: float, kind: Kind) -> str:
    """`1.23 ms` or `4.5 MB`; empty for what was not measured."""
    if math.isnan(value):
        return ""
    return duration_text(value) if kind == "time" else size_text(round(value))


def interval_text(low: float, high: float, kind: Kind) -> str:
    """`1.20 to 1.30 ms`, as both ends are written."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    texts = value_text(low, kind), value_text(high, kind)
    if texts[0].split()[-1] == texts[1].split()[-1]:
        return f"{texts[0].split()[0]} to {texts[1]}"
    return f"{texts[0]} to {texts[1]}"


def ratio_text(found: Comparison | None) -> str:
    """`0.50 (0.48 to 0.53)`, the interval where there is one."""
    if found is None or math.isnan(found.ratio):
        return ""
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{found.ratio:.3g}"
    return f"{found.ratio:.3g} ({found.low:.3g} to {found.high:.3g})"


def verdict_text(one: Measured, found: Comparison | None) -> str:
    """The verdict, or what became of a subject that has none."""
    if one.status != "ok":
        return status_text(one)
    if found is None or math.isnan(found.ratio):
        return ""
    return found.verdict if one.pursued else "not taken further"


def status_text(one: Measured) -> str:
    """`unsafe here: crashed (SIGSEGV)`, `wrong outputs: y differs by 3`."""
    if one.status == "crashed":
        return one.why.replace("the child process ", "")
    return f"{one.status}: {one.why}" if one.why else one.status


def subject_text(result: Result, place: int) -> str:
    """A subject by all that tells it apart from the others: `m.ort, mapped, 2 threads`."""
    one = result.subjects[place].subject
    return ", ".join([one.path.name, one.mode.title, *differing(result, place)])


def differing(result: Result, place: int) -> list[str]:
    """What besides file and way of loading is not the same for all subjects."""
    one, all_ = result.subjects[place].subject, [s.subject for s in result.subjects]
    found = []
    if len({s.batch for s in all_}) > 1:
        found.append(f"batch {one.batch}")
    if len({s.threads for s in all_}) > 1:
        found.append("all threads" if one.threads is None else f"threads: {one.threads}")
    if len({s.runtime for s in all_}) > 1:
        found.append(f"ONNX Runtime {release_of(result, one.runtime)}")
    if len({s.provider for s in all_}) > 1:
        found.append(one.provider.removesuffix("ExecutionProvider"))
    if len({s.level for s in all_ if s.mode.level is None}) > 1 and one.mode.level is None:
        found.append(f"level {one.level.value}")
    return found


def release_of(result: Result, runtime: str) -> str:
    """The release of a runtime by its name here."""
    releases = result.environment.get("runtimes")
    return str(releases.get(runtime, runtime)) if isinstance(releases, dict) else runtime


def against_text(found: Comparison, kind: Kind) -> str:
    """`231 times faster`, `12 % less`, `no clear difference`."""
    if found.verdict == "no clear difference" or math.isnan(found.ratio):
        return "no clear difference"
    if found.ratio <= 0.5 or found.ratio >= 2:
        times = max(found.ratio, 1 / found.ratio)
        return f"{times:.3g} times {_times_word(found.ratio, kind)}"
    percent = f"{abs(1 - found.ratio):.0%}".replace("%", " %")
    more = "more" if found.ratio > 1 else "less"
    return f"{percent} {more} {'time' if kind == 'time' else 'memory'}"


def settings_text(result: Result) -> str:
    """`level all, all threads, file cache warm`."""
    subjects = [one.subject for one in result.subjects]
    levels = dict.fromkeys(one.level.value for one in subjects if one.mode.level is None)
    threads = dict.fromkeys(one.threads for one in subjects)
    counts = ", ".join("all" if one is None else str(one) for one in threads)
    cache = result.environment.get("cache", "as it was")
    cpus = result.environment.get("cpus_kept_to")
    kept = f"; processors: {', '.join(map(str, cpus))}" if isinstance(cpus, list) else ""
    return f"level {', '.join(levels)}; threads: {counts}; file cache: {cache}{kept}"


def overhead_text(result: Result) -> str:
    """What went by outside the runtime's own work."""
    outside, share = result.overhead()
    percent = f"{share:.0%}".replace("%", " %")
    return (
        f"{duration_text(outside)} in all ({percent} of what the children took without imports):"
        " their start and end, file cache, inputs and outputs"
    )


def loads_in_parts(result: Result) -> list[tuple[str, str]]:
    """Of each subject by name what its load was made of, and how much it read."""
    found = [(subject_text(result, k), _parts_text(one)) for k, one in enumerate(result.subjects)]
    return [(name, said) for name, said in found if said]


def _parts_text(one: Measured) -> str:
    """`model read and built in 2.56 ms, session initialized in 60.2 ms, ...; 254 kB read`."""
    said, parts = [], one.load_parts
    if one.status == "ok" and parts:
        named = (
            ("file read first in", parts.read_ns or None),
            ("model read and built in", parts.model_loading_ns),
            ("session initialized in", parts.session_initialization_ns),
        )
        times = [f"{words} {duration_text(ns)}" for words, ns in named if ns is not None]
        rest = parts.load_ns - sum(ns for _, ns in named if ns is not None)
        said.append(", ".join([*times, f"the rest {duration_text(max(0, rest))}"]))
    read = [taken.read_bytes for taken in one.rounds if taken.read_bytes is not None]
    if one.status == "ok" and read:
        said.append(f"{size_text(round(median(read)))} read")
    return "; ".join(said)


def bests(result: Result) -> list[Best]:
    """The best subject in each respect, how sure that is, and what it costs elsewhere."""
    if sum(one.status == "ok" for one in result.subjects) < 2:
        return []
    best = result.best()
    found = [_best(result, BEST[measure], measure, place) for measure, place in best.items()]
    load = best.get("load_ns")
    if load is not None and result.subjects[load].subject.mode.native:
        place = result.quickest("load_ns", python_only=True)
        if place is not None:
            found.insert(1, _best(result, "loads fastest in Python", "load_ns", place))
    return found


def headline(result: Result) -> str:
    """One sentence on loading, running and memory; that nothing is clear where nothing is."""
    found = bests(result)
    if len(result.subjects) < 2 or not found:
        return ""
    needed = rounds_needed(result.verdicts())
    if result.rounds_compared < needed:
        taken = count(result.rounds_compared, "round")
        return f"Too early for a verdict: {taken} of the {needed} that one takes."
    if not any(one.clear for one in found):
        return "No clear difference in any respect."
    return " ".join(_praise(result, place, found) for place in _winners(found))


def _winners(found: list[Best]) -> list[int]:
    """Who is clearly best in something, in the order of the measures; not more than two."""
    return list(dict.fromkeys(one.place for one in found if one.clear))[:2]


def _praise(result: Result, place: int, found: list[Best]) -> str:
    """In all respects, as in `b.ort, mapped: loads fastest (231 times faster)`."""
    said = []
    for one in found:
        if one.clear and one.place == place:
            against = result.line(place, one.measure).against_first
            kind = result.measures()[one.measure]
            said.append(one.title + (f" ({against_text(against, kind)})" if against else ""))
    return f"{subject_text(result, place)}: {', '.join(said)}."


def costs(result: Result, place: int, but: str = "") -> list[str]:
    """In which respects a subject is clearly worse than the first."""
    found = []
    for measure, kind in result.measures().items():
        against = result.line(place, measure).against_first
        if measure != but and against is not None and against.verdict in WORSE:
            found.append(f"{against_text(against, kind)} {_VERBS[measure]}")
    return found


def _best(result: Result, title: str, measure: str, place: int) -> Best:
    name, first = subject_text(result, place), subject_text(result, 0)
    kind = result.measures()[measure]
    if place == 0:
        worse = _clearly_worse(result, measure)
        if not worse:
            return Best(title, measure, 0, False, "no clear difference", "")
        return Best(title, measure, 0, True, f"{name}, before {listed(worse, 2)}", "")
    against = result.line(place, measure).against_first
    if against is None or against.verdict in ("no clear difference", *WORSE):
        return Best(title, measure, place, False, "no clear difference", "")
    text = f"{name}, {against_text(against, kind)} than {first}"
    cost = listed(costs(result, place, measure))
    return Best(title, measure, place, True, text, cost or "nothing that was measured")


def _clearly_worse(result: Result, measure: str) -> list[str]:
    """Those that the first is clearly better than."""
    found = []
    for place in range(1, len(result.subjects)):
        against = result.line(place, measure).against_first
        if against is not None and against.verdict in WORSE:
            found.append(subject_text(result, place))
    return found


def _times_word(ratio: float, kind: Kind) -> str:
    if kind == "time":
        return "faster" if ratio < 1 else "slower"
    return "less" if ratio < 1 else "more"


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]
