"""What `ortstudio convert` says of several sources while it works, and at the end of them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ortstudio.analysis.words import count, listed, size_text
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.status_line import StatusLine, status_line
from ortstudio.services.conversion import (
    Conversion,
    Converted,
    ConvertedModel,
    ConvertProgress,
    State,
)
from ortstudio.services.verify import Verified

_QUIET = (State.CANCELLED, State.NOT_TRIED)


@contextmanager
def live(output: Output, phases: Mapping[str, str]) -> Iterator[Live]:
    """Shows a run inside; what was being done is wiped from the terminal at the end."""
    with status_line() as line:
        yield Live(output, phases, line)


class Live:
    """A line for each source that came to its end, in their order; on a terminal what is done now.

    Of a single source nothing is said before the end.
    """

    def __init__(self, output: Output, phases: Mapping[str, str], line: StatusLine) -> None:
        self._output = output
        self._phases = phases
        self._line = line
        self._ended: dict[int, Converted] = {}
        self._states = Counter[State]()
        self._shown = 0

    def __call__(self, now: ConvertProgress) -> None:
        """Told of a change."""
        if now.result is not None:
            self._ended[now.index] = now.result
            self._states[now.state] += 1
            if now.count > 1:
                self._show_rows()
        elif now.phase:
            self._line(self._doing(now))

    def _show_rows(self) -> None:
        """All whose turn it is."""
        while (row := self._ended.pop(self._shown, None)) is not None:
            self._shown += 1
            if row.state not in _QUIET:
                self._line.wipe()
                _show_row(row, self._output)

    def _doing(self, now: ConvertProgress) -> str:
        text = f"{now.source.name}: {self._phases.get(now.phase, now.phase)} ..."
        if now.count == 1:
            return text
        failed = self._states[State.FAILED] + self._states[State.REFUSED]
        done = sum(self._states.values())
        return f"{done} of {now.count}" + (f", {failed} failed" if failed else "") + f"  {text}"


def _show_row(row: Converted, output: Output) -> None:
    """One line, and one for each warning."""
    if row.error is not None:
        complain(row.error)
    elif not output.as_json:
        name = output.style(printable(str(row.source)), "name")
        output.line(f"{name}: {printable(row.skipped or _made(row))}")
        for note in row.notes if isinstance(row, ConvertedModel) else ():
            if note.severity == "warning":
                output.line(f"  {output.style(printable(note.message), 'warning')}")
        output.flush()


def _made(row: Converted) -> str:
    outputs = ", ".join(f"{one.path} {size_text(one.size_bytes)}" for one in row.outputs)
    found = row.verified
    if found is None:
        return f"{outputs}; not verified: {row.verify_skipped}"
    return f"{outputs}; verified{_apart(found)}"


def _apart(found: Verified) -> str:
    return f", at most {found.max_abs:.3g} apart" if found.max_abs else ""


def show_summary(done: Conversion, output: Output) -> None:
    """How it went."""
    states = Counter(row.state for row in done.results)
    output.line(_counts(states, len(done.results)))
    if not states[State.NOT_TRIED]:
        return
    written = [made.path for row in done.results if row.state is State.DONE for made in row.outputs]
    left = [row.source for row in done.results if row.state is State.NOT_TRIED]
    output.line(f"Written before it stopped: {_named(written) or 'nothing'}")
    output.line(f"Not tried: {_named(left)}. To go on after a failure, give --keep-going.")


def show_configs(done: Conversion, output: Output) -> None:
    """The operator configs of whole folders."""
    for config in done.configs:
        name = output.style(printable(str(config.path)), "name")
        if config.error is not None:
            complain(config.error)
        elif output.as_json:
            continue
        elif config.not_covered:
            missing = f"partial: it does not cover {_named(config.not_covered)}"
            output.line(f"{name}  {output.style(missing, 'warning')}")
        else:
            output.line(f"{name}  what a minimal build needs for {config.style.value} models here")


def _counts(states: Mapping[State, int], total: int) -> str:
    made = states[State.DONE] + states[State.SKIPPED]
    parts = [f"{made} of {count(total, 'model')} converted"]
    if states[State.SKIPPED]:
        parts[0] += f" ({states[State.SKIPPED]} of them before)"
    failed = states[State.FAILED] + states[State.REFUSED]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{states[state]} {state.value}" for state in _QUIET if states[state]]
    return ", ".join(parts)


def _named(paths: Sequence[Path]) -> str:
    return printable(listed([str(path) for path in paths]))
