"""`ortstudio bench`: timed load and run, honestly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ortstudio.cli.output import Output, encodable
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import add_run_options, input_settings, runtime, tolerance
from ortstudio.errors import CANCELLED, CHILD_FAILED, DONE_YES
from ortstudio.services.sessions import Level

if TYPE_CHECKING:
    from ortstudio.services.lab.measuring import LabProgress
    from ortstudio.services.lab.results import Result

BUDGET_S, BUDGET_MODES_S = 60.0, 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("first", metavar="A", help="a model")
    parser.add_argument("second", metavar="B", nargs="?", help="another one to hold against it")
    parser.add_argument(
        "--modes", action="store_true", help="measure every way of loading that a file allows"
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        type=_seconds,
        help=f"stop after that (default {BUDGET_S:.0f}, with --modes {BUDGET_MODES_S:.0f})",
    )
    parser.add_argument("--save", metavar="R.json", help="keep the result with all samples")
    parser.add_argument(
        "--level",
        choices=[level.value for level in Level],
        default=Level.ALL.value,
        help="how far the graph is optimized at load (default %(default)s)",
    )
    parser.add_argument(
        "--threads", metavar="N", type=_threads, help="threads for one operator (default all)"
    )
    parser.add_argument(
        "--cache",
        choices=["warm", "dropped", "as-is"],
        default="warm",
        help="whether the file is in the system's memory before a load (default %(default)s)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a saved result")
    add_run_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Measure; 0 where that could be done, whatever was found."""
    from ortstudio.services.lab.bench import BenchSettings, bench
    from ortstudio.services.lab.measuring import LabSettings
    from ortstudio.services.lab.saved import check_saving, save

    if arguments.save:
        check_saving(Path(arguments.save), overwrite=arguments.overwrite)
    budget = arguments.budget or (BUDGET_MODES_S if arguments.modes else BUDGET_S)
    settings = BenchSettings(
        all_modes=arguments.modes,
        levels=(Level(arguments.level),),
        threads=(arguments.threads,),
        runtimes=(runtime(arguments),),
        inputs=input_settings(arguments),
        lab=LabSettings(
            budget_s=budget,
            cache=arguments.cache,
            seed=arguments.seed,
            tolerance=tolerance(arguments),
        ),
    )
    paths = [Path(path) for path in (arguments.first, arguments.second) if path]
    with cancel_on_signals() as cancelled, _progress() as on_progress:
        result = bench(paths, settings, on_progress=on_progress, cancelled=cancelled.is_set)
    if arguments.save:
        save(result, Path(arguments.save), overwrite=arguments.overwrite)
    if output.as_json:
        output.json(result.to_json())
    else:
        from ortstudio.cli import bench_text

        bench_text.show(result, output)
    return _exit_code(result)


def _exit_code(result: Result) -> int:
    if result.stopped == "cancelled":
        return CANCELLED
    return DONE_YES if any(one.status == "ok" for one in result.subjects) else CHILD_FAILED


@contextmanager
def _progress() -> Iterator[Callable[[LabProgress], None] | None]:
    """A line on a terminal that says which round it is; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(progress: LabProgress) -> None:
        one = progress.result.subjects[progress.subject]
        number = f"round {progress.round_number}" if progress.round_number else "trying out"
        what = f"{one.subject.path.name}, {one.subject.mode.title}"
        line = f"{number}, {progress.elapsed_s:.0f} s: {what}"
        sys.stderr.write(f"\r\033[K{encodable(line, sys.stderr)}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return found


def _threads(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of threads")
    return int(text)
