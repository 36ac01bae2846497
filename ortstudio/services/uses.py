"""For each use of a model the settings that suit it, with the reasons that hold for this one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from ortstudio.analysis.accelerators import Accelerator, Outlook, free_sizes
from ortstudio.analysis.quantized_nodes import quantized_types
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.model.types import TensorType
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.effects import DEFAULT, Effect
from ortstudio.services.reasons import Case, Evidence, Reason
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.trials import Choice

Ship = Literal["ort", "onnx", "not known"]


class Use(Enum):
    """Where a model is to run. The value is what people call it."""

    MOBILE_CPU = "Mobile CPU"
    NNAPI = "NNAPI device"
    COREML = "CoreML device"
    WEB = "Web"
    DESKTOP = "Desktop or server"
    MINIMAL_BUILD = "Minimal build"

    @property
    def key(self) -> str:
        """The name that stands in answers."""
        return self.name.lower().replace("_", "-")


DEVICES = {
    Use.NNAPI: (Accelerator.NNAPI,),
    Use.COREML: (Accelerator.COREML_ML_PROGRAM, Accelerator.COREML_NEURAL_NETWORK),
}
"""Uses that are of worth only with an accelerator."""

EXTENDED = Reason(
    "NNAPI and CoreML need its extended kind, which can also replay what runtime style saves.",
    Evidence.RULE,
)


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What to do for one use: the format, the settings that make it, and why.

    `fits` says whether the use suits the model, and a file in ORT format the use as it is. The
    settings are for the source in either case; with `converts` they are what is advised.
    """

    use: Use
    ship: Ship
    text: str
    settings: ConvertSettings
    reasons: tuple[Reason, ...]
    fits: bool = True
    converts: bool = True

    @property
    def options(self) -> str:
        """The settings as options of `ortstudio convert`; empty for the defaults."""
        return options_text(self.settings)


def options_text(settings: ConvertSettings) -> str:
    """What differs from the defaults, as options of the command line."""
    parts = []
    if settings.level is not Level.ALL:
        parts.append(f"--level {settings.level.value}")
    if settings.styles != (Style.FIXED,):
        style = settings.styles[0].value if len(settings.styles) == 1 else "both"
        parts.append(f"--style {style}")
    if settings.target is not None:
        parts.append(f"--target {settings.target.value}")
    parts += [
        f"--fix-dim {shlex.quote(f'{symbol}={size}')}"
        for symbol, size in settings.fixed_dims.items()
    ]
    if settings.custom_ops:
        parts.append(f"--custom-ops {shlex.quote(settings.custom_ops)}")
    if settings.type_reduction:
        parts.append("--type-reduction")
    return " ".join(parts)


def of_source(case: Case, use: Use) -> Recommendation:
    """What to do with a source that converts."""
    if use in DEVICES:
        return device(case, use)
    return {
        Use.MOBILE_CPU: mobile_cpu,
        Use.WEB: _web,
        Use.DESKTOP: _desktop,
        Use.MINIMAL_BUILD: _minimal,
    }[use](case)


def mobile_cpu(case: Case) -> Recommendation:
    """All optimizations baked in, quantized activations with the sign that ARM likes."""
    target, reason = _arm(case)
    settings, reasons = replace(case.base, target=target), [reason]
    default = case.effect(DEFAULT)
    if default is not None:
        reasons.append(
            Reason(_at_level_all(case.document.totals.nodes, default), Evidence.MEASURED)
        )
    if case.accelerators is not None:
        outlook = case.accelerators.outlook(Accelerator.XNNPACK)
        text = f"Before nodes are fused XNNPACK {_lower(outlook.text)}"
        if outlook.best.worth != "no":
            whole, _why = _style(case.effect(Choice(style=Style.RUNTIME, target=target)), settings)
            text += f" To try it, convert with {options_text(whole)}."
        reasons.append(Reason(text, Evidence.ESTIMATE))
    return Recommendation(Use.MOBILE_CPU, "ort", "ORT format.", settings, tuple(reasons))


def _at_level_all(nodes: int, result: Effect) -> str:
    size = size_text(result.size_bytes)
    if nodes == result.nodes:
        return f"Level all leaves {count(nodes, 'node')}, in {size}."
    return f"Level all makes {count(result.nodes, 'node')} of {nodes:,}, in {size}."


def _arm(case: Case) -> tuple[Target | None, Reason]:
    """The target for phones, and why."""
    types = sorted(quantized_types(case.typed.model))
    tried = case.effect(Choice(target=Target.ARM))
    if tried is not None and tried.same_as is not None:
        text = "Target arm gives the same as none."
        return None, Reason(text, Evidence.MEASURED)
    if tried is not None:
        return Target.ARM, Reason(f"Target arm: {tried.text}", Evidence.MEASURED)
    if not types:
        text = "Nothing in it is quantized: target arm makes no difference."
        return None, Reason(text, Evidence.FILE)
    text = f"It is quantized to {listed(types)}: target arm keeps signed activations signed."
    return Target.ARM, Reason(text, Evidence.FILE)


def device(case: Case, use: Use) -> Recommendation:
    """Nodes left whole for an accelerator, where it promises anything."""
    cpu = mobile_cpu(case)
    if case.accelerators is None:
        why = case.unseen.message if case.unseen else "the model was not looked at"
        reason = Reason(f"What it would take is not known: {why}.", Evidence.MEASURED)
        return replace(cpu, use=use, reasons=(reason,), text="As on a CPU.", fits=False)
    outlook = best_outlook(case.accelerators, DEVICES[use])
    name = outlook.as_is.accelerator.value
    estimate = Reason(f"{name} {_lower(outlook.text)}", Evidence.ESTIMATE)
    if outlook.best.worth == "no":
        text = f"Not worth it: {name} takes too little, or in too many pieces. As on a CPU."
        return replace(cpu, use=use, text=text, reasons=(estimate,), fits=False)
    if case.refused_whole:
        text = "Not possible with whole nodes, which an accelerator needs. As on a CPU."
        reason = Reason(f"At level basic: {case.refused_whole}.", Evidence.MEASURED)
        return replace(cpu, use=use, text=text, reasons=(estimate, reason), fits=False)
    return _whole(case, use, outlook, estimate, cpu.settings)


def best_outlook(accelerators: Accelerators, names: Sequence[Accelerator]) -> Outlook:
    """The outlook that promises most, the first of equal ones."""
    order = ("no", "maybe", "yes")
    outlooks = [accelerators.outlook(name) for name in names]
    return max(outlooks, key=lambda one: (order.index(one.best.worth), one.best.taken))


def _whole(
    case: Case, use: Use, outlook: Outlook, estimate: Reason, base: ConvertSettings
) -> Recommendation:
    """A conversion that leaves nodes whole, with fixed sizes where they are needed."""
    tried = Choice(style=Style.RUNTIME, target=base.target)
    settings, style = _style(case.effect(tried), base)
    text = "ORT format, worth a try." if outlook.best.worth == "maybe" else "ORT format."
    reasons = [estimate, style]
    if outlook.if_fixed is not None:
        free = free_sizes(case.typed.model)
        settings = replace(settings, fixed_dims={**case.base.fixed_dims, **_batches(case)})
        rest = [symbol for symbol in free.symbols if symbol not in settings.fixed_dims]
        if rest:
            text += f" Fix {listed(rest)} to the sizes that you need."
        if free.unnamed:
            text += (
                f" Sizes without a name, of {listed(free.unnamed)}, must be fixed in the source."
            )
        reasons.append(Reason(f"{free.text}, and must be fixed for that.", Evidence.ESTIMATE))
    return Recommendation(use, "ort", text, settings, tuple(reasons))


def _style(runtime: Effect | None, base: ConvertSettings) -> tuple[ConvertSettings, Reason]:
    """The style that leaves nodes whole, and why."""
    basic = replace(base, level=Level.BASIC, target=None)
    whole = "An accelerator takes whole nodes, not fused ones"
    if runtime is None:
        text = f"{whole}: runtime style leaves them, and saves how the others can be fused."
        return replace(base, styles=(Style.RUNTIME,)), Reason(text, Evidence.RULE)
    if not runtime.saved:
        text = f"{whole}: level basic leaves them, and runtime style would save nothing beside."
        return basic, Reason(text, Evidence.MEASURED)
    if runtime.unreplayable:
        text = (
            f"{whole}: level basic leaves them. Runtime style saves what cannot be replayed and"
            f" stops the load up to 1.29: {runtime.text}"
        )
        return basic, Reason(text, Evidence.MEASURED)
    text = f"{whole}: runtime style leaves them. {runtime.text}"
    return replace(base, styles=(Style.RUNTIME,)), Reason(text, Evidence.MEASURED)


def _batches(case: Case) -> dict[str, int]:
    """One for sizes that only ever come first, which are batches; the others are the user's."""
    graph = case.typed.model.main
    types = [graph.values.types[value] for value in graph.inputs.tolist()]
    dims = [of.dims or () for of in types if isinstance(of, TensorType)]
    later = {dim for row in dims for dim in row[1:]}
    return {symbol: 1 for symbol in free_sizes(case.typed.model).symbols if symbol not in later}


def _web(case: Case) -> Recommendation:
    text = "WebAssembly runs on every processor: no target may tie the file to one."
    reasons = [Reason(text, Evidence.RULE)]
    default = case.effect(DEFAULT)
    if default is not None:
        text = f"One file of {size_text(default.size_bytes)} is fetched, compressed if served so."
        reasons.append(Reason(text, Evidence.MEASURED))
    return Recommendation(Use.WEB, "ort", "ORT format.", case.base, tuple(reasons))


def _desktop(case: Case) -> Recommendation:
    text = "From ONNX the runtime optimizes for the processor and the providers that are there."
    reasons = [Reason(text, Evidence.RULE)]
    blocked = case.effect(Choice(target=Target.AMD64))
    if blocked is not None and blocked.same_as is not None:
        reasons.append(Reason("Target amd64 gives the same as none.", Evidence.MEASURED))
    elif blocked is not None:
        reasons.append(Reason(f"Target amd64: {blocked.text}", Evidence.MEASURED))
    which = "these" if options_text(case.base) else "the default"
    text = f"ONNX as it is. Where ORT format is wanted all the same, {which} settings suit."
    return Recommendation(Use.DESKTOP, "onnx", text, case.base, tuple(reasons))


def _minimal(case: Case) -> Recommendation:
    reasons = [Reason("A minimal build reads nothing but ORT format.", Evidence.RULE)]
    default = case.effect(DEFAULT)
    if default is not None:
        text = f"The result needs {count(default.operators, 'operator')}, and no others need be in."
        reasons.append(Reason(text, Evidence.MEASURED))
    text = "The operator config beside the result names them, with their types for less still."
    reasons.append(Reason(text, Evidence.RULE))
    if any(device(case, use).fits for use in DEVICES):
        reasons.append(EXTENDED)
    settings = replace(mobile_cpu(case).settings, type_reduction=True)
    text = "ORT format, with the operator config for the build."
    return Recommendation(Use.MINIMAL_BUILD, "ort", text, settings, tuple(reasons))


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
