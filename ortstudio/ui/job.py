"""One source that is converted, as a row of the list: how far it is and what became of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.analysis.words import count, listed, size_text
from ortstudio.errors import JobError, StudioError
from ortstudio.services.conversion import Converted, ConvertProgress, State
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances, tolerance_text
from ortstudio.ui.hints import in_window

PHASES = {
    "update": "Updating the operator set of",
    "convert": "Converting",
    "read": "Reading the result",
    "load": "Verifying: loading",
    "run": "Verifying: running",
    "publish": "Publishing",
}


@dataclass(frozen=True, slots=True)
class Job:
    """A source at the moment when it was last told of; `told_s` is that, by `time.monotonic`."""

    progress: ConvertProgress
    told_s: float = field(default_factory=time.monotonic)

    @property
    def source(self) -> Path:
        """What is converted."""
        return self.progress.source

    @property
    def state(self) -> State:
        """How far it is."""
        return self.progress.state

    @property
    def result(self) -> Converted | None:
        """Its row of the answer, once there is one."""
        return self.progress.result

    @property
    def error(self) -> StudioError | None:
        """Why it was not converted."""
        return self.result.error if self.result else None

    @property
    def paths(self) -> list[Path]:
        """What can be opened of it: the source, and the first result."""
        outputs = self.result.outputs if self.result else ()
        return [self.source, *(output.path for output in outputs[:1])]

    @property
    def text(self) -> str:
        """What is done with it, or what came of it."""
        if self.error is not None:
            return plainly(self.error)
        if self.result is not None:
            return self.result.skipped or written(self.result)
        return PHASES.get(self.progress.phase, "").removesuffix(" of")

    @property
    def verdict(self) -> str:
        """Whether source and result computed the same; empty while nobody knows."""
        if self.result is None or not self.result.checks:
            return ""
        verified = self.result.verified
        if verified is None:
            return "not compared"
        return "outputs agree" if verified.agrees else "outputs differ"

    def elapsed_s(self) -> float | None:
        """Seconds of work on it, up to now; None where it has not begun."""
        if not self.progress.elapsed_ns:
            return None
        since = 0.0 if self.state.is_end else time.monotonic() - self.told_s
        return self.progress.elapsed_ns / 1e9 + since


def plainly(error: StudioError) -> str:
    """What, why and what next, without the name of the file, which stands beside it."""
    return f"{error.message}. {in_window(error.hint)}" if error.hint else error.message


def as_sentence(text: str) -> str:
    """Words that stand by themselves: a capital at the beginning, a period at the end."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def details(error: StudioError | None) -> str:
    """The runtime's own words, where it said any."""
    return error.details if isinstance(error, JobError) else ""


def written(result: Converted) -> str:
    """The names of what was written, and why it was not verified, where it was not."""
    text = listed([output.path.name for output in result.outputs], 2)
    if result.verified is not None or not result.verify_skipped:
        return text
    return f"{text}. Not verified: {result.verify_skipped}"


def summary(result: Converted) -> str:
    """What came out, in one sentence."""
    first, *others = result.outputs
    text = f"{first.path.name}, {size_text(first.size_bytes)}"
    if others:
        text += f", and {count(len(others), 'more file')}"
    if result.verified is not None:
        return f"{text}. Outputs agree."
    return f"{text}. Not verified: {result.verify_skipped}." if result.verify_skipped else text


def verification_text(found: Verified) -> str:
    """What a comparison found, and all that it takes to compare the same again."""
    allowed, level = tolerance_text(found.tolerance), found.level.value
    lines = [
        agreement_text(found),
        f"compared on the same inputs: {circumstances(found)}",
        f"they may differ by {allowed}; both ran at level {level}",
    ]
    return "\n".join(map(as_sentence, lines))
