"""`ortstudio bench`: timed load and run, honestly."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ortstudio.cli.output import Output
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_input_options,
    byte_count,
    input_settings,
    tolerance,
)
from ortstudio.cli.status_line import status_line
from ortstudio.errors import CANCELLED, CHILD_FAILED, DONE_YES, UsageError
from ortstudio.services.runtimes import Runtime, find, own
from ortstudio.services.sessions import Level
from ortstudio.services.whole_file import check_apart

if TYPE_CHECKING:
    from ortstudio.services.lab.bench import BenchSettings
    from ortstudio.services.lab.earlier import Earlier
    from ortstudio.services.lab.measuring import LabProgress
    from ortstudio.services.lab.results import Result

BUDGET_S, BUDGET_MODES_S = 60.0, 600.0
MOST_THREADS, MOST_BATCH, MOST_CPU = 1024, 1 << 20, 1023


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("first", metavar="A", help="a model")
    parser.add_argument("second", metavar="B", nargs="?", help="another one to hold against it")
    _add_subjects(parser.add_argument_group("what is measured"))
    _add_measuring(parser.add_argument_group("how it is measured"))
    _add_files(parser.add_argument_group("results"))
    add_input_options(parser)


def _add_subjects(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--modes", action="store_true", help="measure every way of loading that a file allows"
    )
    group.add_argument(
        "--level",
        metavar="LEVEL,...",
        type=_levels,
        default=(Level.ALL,),
        help="how far the graph is optimized at load, each a subject of its own: "
        + ", ".join(level.value for level in Level)
        + " (default all)",
    )
    group.add_argument(
        "--threads",
        metavar="N,...",
        type=_numbers(MOST_THREADS),
        help="threads for one operator, each number a subject of its own (default all)",
    )
    group.add_argument(
        "--batches",
        metavar="N,...",
        type=_numbers(MOST_BATCH),
        help="sizes for the symbol that inputs begin with, each a subject of its own",
    )
    group.add_argument(
        "--provider",
        metavar="P",
        action="append",
        default=[],
        help="an execution provider that may take nodes, a subject beside the CPU alone;"
        " once for each",
    )
    group.add_argument(
        "--runtime",
        metavar="NAME",
        action="append",
        default=[],
        help="an ONNX Runtime to use, by name, release or path (see `ortstudio runtimes`); once for"
        " each that is to be measured",
    )
    add_custom_ops(group)


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--budget",
        metavar="SECONDS",
        type=_seconds,
        help=f"stop after that (default {BUDGET_S:.0f}, with --modes {BUDGET_MODES_S:.0f})",
    )
    group.add_argument(
        "--cache",
        choices=["warm", "dropped", "as-is"],
        default="warm",
        help="whether the file is in the system's memory before a load (default %(default)s)",
    )
    group.add_argument(
        "--cpus",
        metavar="N,...",
        type=_numbers(MOST_CPU, least=0),
        default=(),
        help="keep children to these processors, counted from 0, so that they do not move about:"
        " steadier with few --threads (default any)",
    )
    group.add_argument(
        "--memory",
        metavar="BYTES",
        type=byte_count,
        help="what a child process may take, such as 2G",
    )


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--save", metavar="R.json", help="keep the result with all samples")
    group.add_argument("--csv", metavar="OUT.csv", help="write every sample on a line of its own")
    group.add_argument("--html", metavar="OUT.html", help="write a page with plots and tables")
    group.add_argument(
        "--against", metavar="R.json", help="hold the result against an earlier one that was saved"
    )
    group.add_argument("--overwrite", action="store_true", help="replace files that are there")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Measure; 0 where that could be done, whatever was found."""
    from ortstudio.services.lab.bench import bench
    from ortstudio.services.lab.earlier import Earlier
    from ortstudio.services.lab.reopening import reopen
    from ortstudio.services.lab.saved import check_saving

    for option in ("save", "csv", "html"):
        if target := getattr(arguments, option):
            check_apart(Path(target), f"--{option}", [arguments.first, arguments.second])
            check_saving(Path(target), overwrite=arguments.overwrite)
    earlier = Earlier(reopen(Path(arguments.against))) if arguments.against else None
    paths = [Path(path) for path in (arguments.first, arguments.second) if path]
    settings = _settings(arguments)
    with cancel_on_signals() as cancelled, status_line() as show:
        result = bench(
            paths,
            settings,
            on_progress=lambda progress: show(_progress_text(progress)),
            cancelled=cancelled.is_set,
        )
    _write(result, earlier, arguments)
    if output.as_json:
        against = {"against": earlier.to_json(result)} if earlier else {}
        output.json(result.to_json() | against)
    else:
        from ortstudio.cli import bench_text

        bench_text.show(result, output, earlier)
    return _exit_code(result)


def _settings(arguments: argparse.Namespace) -> BenchSettings:
    """What the options say."""
    from ortstudio.services.lab.bench import CPU, BenchSettings
    from ortstudio.services.lab.measuring import LabSettings

    runtimes = tuple(dict.fromkeys(find(name) for name in arguments.runtime)) or (own(),)
    return BenchSettings(
        all_modes=arguments.modes,
        levels=arguments.level,
        threads=arguments.threads or (None,),
        batches=arguments.batches or (None,),
        providers=(CPU, *_providers(arguments.provider, runtimes[0])),
        runtimes=runtimes,
        inputs=input_settings(arguments),
        custom_ops=arguments.custom_ops,
        memory_bytes=arguments.memory,
        lab=LabSettings(
            budget_s=arguments.budget or (BUDGET_MODES_S if arguments.modes else BUDGET_S),
            cache=arguments.cache,
            cpus=arguments.cpus,
            seed=arguments.seed,
            tolerance=tolerance(arguments),
        ),
    )


def _providers(names: Sequence[str], runtime: Runtime) -> tuple[str, ...]:
    """Those that were named. Raises UsageError for one that the runtime does not offer."""
    from ortstudio.services.providers import chosen, offered

    return chosen(names, offered(runtime.child)) if names else ()


def _write(result: Result, earlier: Earlier | None, arguments: argparse.Namespace) -> None:
    """The files that were asked for."""
    from ortstudio.services.lab.page import page
    from ortstudio.services.lab.saved import csv_text, save, write

    overwrite = arguments.overwrite
    if arguments.save:
        save(result, Path(arguments.save), overwrite=overwrite)
    if arguments.csv:
        write(csv_text(result), Path(arguments.csv), overwrite=overwrite)
    if arguments.html:
        write(page(result, earlier), Path(arguments.html), overwrite=overwrite)


def _exit_code(result: Result) -> int:
    if result.stopped == "cancelled":
        return CANCELLED
    return DONE_YES if any(one.status == "ok" for one in result.subjects) else CHILD_FAILED


def _progress_text(progress: LabProgress) -> str:
    """Which round it is, and what is measured in it."""
    one = progress.result.subjects[progress.subject]
    number = f"round {progress.round_number}" if progress.round_number else "trying out"
    what = f"{one.subject.path.name}, {one.subject.mode.title}"
    return f"{number}, {progress.elapsed_s:.0f} s: {what}"


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return found


def _levels(text: str) -> tuple[Level, ...]:
    """A parser of `all,basic`."""
    try:
        return tuple(dict.fromkeys(Level(name.strip()) for name in text.split(",")))
    except ValueError:
        names = ", ".join(level.value for level in Level)
        raise argparse.ArgumentTypeError(f"{text!r} is no list of levels: {names}") from None


def _numbers(most: int, least: int = 1) -> Callable[[str], tuple[int, ...]]:
    """A parser of `1,8,32`."""

    def parse(text: str) -> tuple[int, ...]:
        from ortstudio.services.lab.numbers import numbers

        try:
            return numbers(text, most, least)
        except UsageError as error:
            raise argparse.ArgumentTypeError(error.message) from None

    return parse
