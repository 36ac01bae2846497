"""A result beside an earlier one: the same subjects then and now, and what else has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ortstudio.analysis.samples import Comparison, Estimate, apart, estimate
from ortstudio.services.lab.results import Measured, Result

CIRCUMSTANCES: Mapping[str, str] = {
    "system": "system",
    "cpu": "processor",
    "cpus": "number of processors",
    "cpus_kept_to": "processors that children were kept to",
    "governor": "frequency governor",
    "memory_bytes": "memory",
    "cache": "state of the file cache",
    "warmup": "warm-up runs",
    "runs_s": "time for runs",
    "seed": "seed",
}
"""What makes two results hard to compare, by its name in the environment."""


@dataclass(frozen=True, slots=True)
class Then:
    """One measure of a subject then, and the ratio of now to then."""

    estimate: Estimate
    ratio: Comparison


class Earlier:
    """An earlier result, looked up by the subjects of a newer one."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self._subjects = {_key(one): one for one in result.subjects}

    def then(self, now: Result, place: int, measure: str) -> Then | None:
        """The same subject then; None where there was none, or it was not measured."""
        one = now.subjects[place]
        before = self._subjects.get(_key(one))
        if before is None:
            return None
        old = list(before.by_round(measure).values())
        new = list(one.by_round(measure).values())
        return Then(estimate(old), apart(old, new)) if old and new else None

    def to_json(self, now: Result) -> dict[str, object]:
        """Of each subject of the newer result and each measure what it was then, and the ratio."""
        shown = [k for k, one in enumerate(now.subjects) if one.status != "not measured"]
        return {
            "environment": dict(self.result.environment),
            "subjects": [
                {measure: _then_json(self.then(now, k, measure)) for measure in now.measures()}
                for k in shown
            ],
            "notes": self.notes(now),
        }

    def notes(self, now: Result) -> list[str]:
        """What a reader of the ratios must know."""
        found = [
            "The two were measured at different times: what changed in between is in the ratio"
        ]
        found += [f"Then and now differ in {words}" for words in self._differences(now)]
        missing = sum(_key(one) not in self._subjects for one in now.subjects)
        if missing:
            found.append(f"{missing} of {len(now.subjects)} subjects were not measured then")
        return found

    def _differences(self, now: Result) -> Iterator[str]:
        old, new = self.result.environment, now.environment
        for name, words in CIRCUMSTANCES.items():
            if old.get(name) != new.get(name):
                yield f"{words}: {old.get(name)} then, {new.get(name)} now"
        releases = [sorted(_releases(one).values()) for one in (self.result, now)]
        if releases[0] != releases[1]:
            yield f"ONNX Runtime: {', '.join(releases[0])} then, {', '.join(releases[1])} now"
        if self.result.inputs.get("sizes") != now.inputs.get("sizes"):
            yield "the sizes of the inputs"
        for one in now.subjects:
            before = self._subjects.get(_key(one))
            if before and before.subject.size_bytes != one.subject.size_bytes:
                yield f"the file {one.subject.path.name}: its size has changed"
                return


def _key(one: Measured) -> tuple[object, ...]:
    """Releases differ from then to now, and folders do: neither makes another subject of it."""
    s = one.subject
    return s.path.name, s.mode.name, s.runtime, s.provider, s.threads, s.loaded_at, s.batch


def _then_json(then: Then | None) -> dict[str, float] | None:
    if then is None:
        return None
    ratio = then.ratio
    return {
        "median": then.estimate.median,
        "ratio": ratio.ratio,
        "low": ratio.low,
        "high": ratio.high,
    }


def _releases(result: Result) -> dict[str, str]:
    found = result.environment.get("runtimes")
    if not isinstance(found, dict):
        return {}
    return {str(name): str(release) for name, release in found.items()}
