"""The options of `ortstudio convert`, each explained by what it does to the result."""

from __future__ import annotations

import argparse

from ortstudio.cli.run_options import (
    add_custom_ops,
    add_run_options,
    add_verify,
    byte_count,
    fixed_size,
    input_settings,
    natural,
    path_name,
    tolerance,
)
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target

_STYLES = {
    "fixed": (Style.FIXED,),
    "runtime": (Style.RUNTIME,),
    "both": (Style.FIXED, Style.RUNTIME),
}


def add_convert_options(parser: argparse.ArgumentParser) -> None:
    """Declare them all, and what to convert."""
    parser.add_argument(
        "source",
        metavar="SRC",
        nargs="+",
        type=path_name,
        help="ONNX models, or folders of them",
    )
    graph = parser.add_argument_group("the graph that is saved")
    _add_kind_options(graph)
    _add_source_options(graph)
    _add_result_options(parser.add_argument_group("what is written"))
    _add_work_options(parser.add_argument_group("several sources"))
    add_run_options(parser)


def convert_settings(arguments: argparse.Namespace) -> ConvertSettings:
    """What was chosen."""
    return ConvertSettings(
        level=Level(arguments.level),
        styles=_STYLES[arguments.style],
        target=Target(arguments.target) if arguments.target else None,
        custom_ops=arguments.custom_ops,
        disabled_optimizers=tuple(arguments.disable_optimizer),
        fixed_dims=dict(arguments.fix_dim),
        opset=arguments.opset,
        providers=tuple(arguments.provider),
        optimized_onnx=arguments.optimized_onnx,
        write_config=arguments.config,
        type_reduction=arguments.type_reduction,
        reproducible=arguments.reproducible,
        stamp=arguments.stamp,
        output_dir=arguments.folder,
        overwrite=arguments.overwrite,
        keep_going=arguments.keep_going,
        jobs=arguments.jobs,
        memory=arguments.memory,
        resume=arguments.resume,
        dry_run=arguments.dry_run,
        verify=arguments.verify,
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
    )


def _add_kind_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--level",
        choices=[level.value for level in Level],
        default=Level.ALL.value,
        help="disable: the graph as it is; basic: constants folded, no-ops removed, still ONNX that"
        " other runtimes read; extended: also fused into operators that only ONNX Runtime has;"
        " layout, all: also laid out for the processor (default %(default)s)",
    )
    group.add_argument(
        "--style",
        choices=list(_STYLES),
        default="fixed",
        help="fixed: all optimizations are applied, for the CPU; runtime: only the basic ones are,"
        " and the rest is recorded, so that an accelerator on the device finds whole operators;"
        " both: a file of each (default %(default)s)",
    )
    group.add_argument(
        "--target",
        choices=[target.value for target in Target],
        help="arm: quantized activations stay signed; amd64: they become unsigned, and convolutions"
        " get the blocked layout of this processor, which others do not load; without: unsigned,"
        " and no blocked layout, which any processor loads",
    )


def _add_source_options(group: argparse._ArgumentGroup) -> None:
    add_custom_ops(group)
    group.add_argument(
        "--fix-dim",
        metavar="S=N",
        action="append",
        default=[],
        type=fixed_size,
        help="give a symbolic size a number, in every source that has it: accelerators need that,"
        " and shape folding profits by it",
    )
    group.add_argument(
        "--disable-optimizer",
        metavar="N",
        action="append",
        default=[],
        help="leave out one of the runtime's optimizers, by its name",
    )
    group.add_argument(
        "--opset",
        metavar="N",
        type=natural,
        help="update the source to this version of ONNX's operator set first",
    )
    group.add_argument(
        "--provider",
        metavar="P",
        action="append",
        default=[],
        help="an execution provider that may take nodes, before the CPU; the result may need it"
        " then",
    )


def _add_result_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-o",
        dest="folder",
        metavar="DIR",
        type=path_name,
        help="where to, not beside the source",
    )
    group.add_argument("--overwrite", action="store_true", help="replace results that exist")
    group.add_argument(
        "--optimized-onnx",
        action="store_true",
        help="also write the optimized graph as ONNX, to look at or to run elsewhere",
    )
    group.add_argument(
        "--config",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="also write which operators a minimal build needs (default: yes)",
    )
    group.add_argument(
        "--type-reduction",
        action="store_true",
        help="name in that config the element types too, for a still smaller build",
    )
    group.add_argument(
        "--reproducible",
        action="store_true",
        help="rewrite the result in canonical order: the same bytes every time",
    )
    group.add_argument(
        "--stamp",
        action="store_true",
        help="record source, release, level, style and target in the result's metadata",
    )
    add_verify(group, "source and result")
    group.add_argument(
        "--dry-run", action="store_true", help="only say what would be written and refused"
    )


def _add_work_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--keep-going", action="store_true", help="go on after a source that fails")
    group.add_argument(
        "--jobs", metavar="N", type=_positive, help="how many sources are worked on at a time"
    )
    group.add_argument(
        "--memory",
        metavar="BYTES",
        type=byte_count,
        help="what all of them together may use, such as 2G (default: what is free)",
    )
    group.add_argument(
        "--resume", action="store_true", help="skip what an earlier run has finished"
    )


def _positive(text: str) -> int:
    found = natural(text)
    if not found:
        raise argparse.ArgumentTypeError("0 is not a whole number from 1 up")
    return found
