"""What a user can choose of a conversion, and how a model is loaded for each choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ortstudio.errors import UsageError
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import Tolerance
from ortstudio.services.inputs import InputSettings
from ortstudio.services.sessions import (
    Form,
    Level,
    Session,
    Style,
    Target,
    converter_config,
    converter_disabled,
    saving_config,
)


@dataclass(frozen=True, slots=True)
class ConvertSettings:
    """What the user chose. Paths are as they were given.

    What is made: `level`, `styles` and `target` as in the upstream converter; `custom_ops` is a
    library of operators; `disabled_optimizers` are names of the runtime's; `fixed_dims` gives
    symbolic sizes a number; `opset` is the version of ONNX's operator set that the source is
    updated to first; `providers` may take nodes, the CPU the rest.

    What is written: `optimized_onnx` adds an ONNX model of the same graph, `write_config` the
    operators that a minimal build needs, with `type_reduction` their types too; `reproducible`
    makes the bytes the same every time, `stamp` records in the metadata how they were made.
    `output_dir` None means beside the source.

    How several sources are worked on: `keep_going` after failures, `jobs` at a time (None: as many
    as the machine allows), `memory` in bytes for all of them (None: what is free), `resume` to
    skip what an earlier run finished; with `dry_run` only the plan is made. `threads` run one
    operator (None: one for each processor). `release` is the ONNX Runtime that converts, as
    whoever starts it calls it (empty: our own).
    """

    level: Level = Level.ALL
    styles: tuple[Style, ...] = (Style.FIXED,)
    target: Target | None = None
    custom_ops: str | None = None
    disabled_optimizers: tuple[str, ...] = ()
    fixed_dims: Mapping[str, int] = field(default_factory=dict)
    opset: int | None = None
    providers: tuple[str, ...] = ()
    optimized_onnx: bool = False
    write_config: bool = True
    type_reduction: bool = False
    reproducible: bool = False
    stamp: bool = False
    output_dir: str | None = None
    overwrite: bool = False
    keep_going: bool = False
    jobs: int | None = None
    memory: int | None = None
    resume: bool = False
    dry_run: bool = False
    verify: bool = True
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)
    threads: int | None = None
    release: str = ""

    def sized_inputs(self) -> InputSettings:
        """The inputs to verify with: a size that is fixed is the only one.

        Raises UsageError where another was asked for.
        """
        for symbol, size in self.fixed_dims.items():
            asked = self.inputs.dims.get(symbol, size)
            if asked != size:
                raise UsageError(f"The size {symbol} cannot be {asked}: it is fixed to {size}")
        return replace(self.inputs, dims={**self.inputs.dims, **self.fixed_dims})

    def saving_session(self, source: Path, style: Style, form: Form = Form.ORT) -> Session:
        """How a source is loaded to be saved in a style."""
        config = converter_config(self.target) | saving_config(style, form)
        return self._session(source, FileKind.ONNX, self.level, config)

    def running_session(self, path: Path, kind: FileKind, style: Style) -> Session:
        """How a source, or its result in a style, is loaded to be run.

        The graph of the runtime style has the basic optimizations only. To run the source with
        more would compare fused quantized operators, which may be many steps off, with unfused.
        """
        level = self.level
        if style is Style.RUNTIME and level is not Level.DISABLE:
            level = Level.BASIC
        return self._session(path, kind, level, converter_config(self.target))

    def _session(
        self, path: Path, kind: FileKind, level: Level, config: Mapping[str, str]
    ) -> Session:
        disabled = (*converter_disabled(level, self.target), *self.disabled_optimizers)
        # Links in the path stay: the runtime looks for external data beside the name that it gets.
        return Session(
            str(path.absolute()),
            kind,
            level,
            config,
            disabled,
            self.custom_ops,
            # Of an ORT-format model the runtime would leave them open without a word.
            self.fixed_dims if kind is FileKind.ONNX else {},
            self.providers,
            self.threads,
        )
