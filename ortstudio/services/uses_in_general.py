"""For each use the settings that suit most models: for many at once, or before one is looked at."""

from __future__ import annotations

from dataclasses import replace

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.uses import DEVICES, Use

TEXTS = {
    Use.MOBILE_CPU: "All optimizations are applied, and signed 8-bit activations stay signed.",
    Use.NNAPI: "Operators stay whole for the accelerator; sizes that are open should be fixed.",
    Use.COREML: "Operators stay whole for the accelerator; sizes that are open should be fixed.",
    Use.WEB: "WebAssembly runs on every processor: nothing may tie the file to one.",
    Use.DESKTOP: "From ONNX the runtime optimizes for the machine that is there: ORT format is for"
    " where it is wanted all the same.",
    Use.MINIMAL_BUILD: "The operator config, with element types, says what the build must have.",
}
"""Why these settings, in a sentence."""


def general_settings(use: Use, base: ConvertSettings) -> ConvertSettings:
    """The base with what decides a use set as most models for it want it."""
    plain = replace(base, level=Level.ALL, styles=(Style.FIXED,), target=None, type_reduction=False)
    if use in DEVICES:
        return replace(plain, styles=(Style.RUNTIME,))
    if use is Use.MOBILE_CPU:
        return replace(plain, target=Target.ARM)
    if use is Use.MINIMAL_BUILD:
        return replace(plain, write_config=True, type_reduction=True)
    return plain
