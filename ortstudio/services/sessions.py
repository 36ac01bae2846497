"""How a model is loaded by ONNX Runtime: the description that `ortstudio/jobs/agent` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ortstudio.model.model import FileKind


class Level(Enum):
    """Graph optimization levels, by the names that the upstream converter has for them."""

    DISABLE = "disable"
    BASIC = "basic"
    EXTENDED = "extended"
    LAYOUT = "layout"
    ALL = "all"


class Style(Enum):
    """Whether optimizations are baked in, or partly saved to be applied at load."""

    FIXED = "fixed"
    RUNTIME = "runtime"


class Target(Enum):
    """The family of processors that a model is made for."""

    ARM = "arm"
    AMD64 = "amd64"


class Form(Enum):
    """What is saved of a source.

    `ORT` is what the style says; in `APPLIED` and `ONNX` the optimizations that the runtime style
    would record are applied.
    """

    ORT = "ort"
    APPLIED = "applied"
    ONNX = "onnx"


@dataclass(frozen=True, slots=True)
class Session:
    """One model and the way to load it. The path of the model is absolute.

    `free_dims` gives symbolic sizes a number, which the runtime does for ONNX models only;
    `providers` may take nodes, in this order, and the CPU has the rest. `threads` run one operator;
    None is one for each processor.
    """

    model: str
    kind: FileKind
    level: Level = Level.ALL
    config: Mapping[str, str] = field(default_factory=dict)
    disabled_optimizers: tuple[str, ...] = ()
    custom_ops: str | None = None
    free_dims: Mapping[str, int] = field(default_factory=dict)
    providers: tuple[str, ...] = ()
    threads: int | None = None

    def to_json(self) -> dict[str, object]:
        """As the child process takes it."""
        # By path the runtime would go by the extension, and extensions lie.
        model_format = "ORT" if self.kind is FileKind.ORT else "ONNX"
        return {
            "model": self.model,
            "level": self.level.value,
            "config": {"session.load_model_format": model_format, **self.config},
            "disabled_optimizers": list(self.disabled_optimizers),
            "custom_ops": str(Path(self.custom_ops).resolve()) if self.custom_ops else None,
            "free_dims": dict(self.free_dims),
            "providers": list(self.providers),
            "threads": self.threads,
        }


UNPACKED = {"session.disable_prepacking": "1"}
"""Entries that leave weights as they are, which the runtime would else pack for kernels to run."""


def converter_config(target: Target | None) -> dict[str, str]:
    """Entries that the upstream converter sets, whatever it saves."""
    return {"session.qdqisint8allowed": "1" if target is Target.ARM else "0"}


def saving_config(style: Style, form: Form = Form.ORT) -> dict[str, str]:
    """Entries that make the runtime save what it loads."""
    config = {"session.save_model_format": "ONNX" if form is Form.ONNX else "ORT"}
    if style is Style.RUNTIME:
        mode = "save" if form is Form.ORT else "apply"
        config["optimization.minimal_build_optimizations"] = mode
    return config


def converter_disabled(level: Level, target: Target | None) -> tuple[str, ...]:
    """Optimizers that the upstream converter leaves out.

    The blocked layout fits only processors like the one that made it.
    """
    blocked = level in (Level.LAYOUT, Level.ALL) and target is not Target.AMD64
    return ("NchwcTransformer",) if blocked else ()
