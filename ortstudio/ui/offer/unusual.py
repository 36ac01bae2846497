"""What is chosen otherwise than usual, in a word or two, for titles over folded choices."""

from __future__ import annotations

from ortstudio.services.convert_settings import ConvertSettings

_USUAL = ConvertSettings()


def unusual_sizes(chosen: ConvertSettings) -> str:
    """How many sizes and ranges are chosen."""
    number = len(chosen.fixed_dims) + len(chosen.inputs.dims) + len(chosen.inputs.ranges)
    return f"{number} chosen" if number else ""


def unusual_graph(chosen: ConvertSettings) -> str:
    """What the graph is made with."""
    return ", ".join(
        text
        for text, holds in (
            ("custom operators", chosen.custom_ops),
            (f"opset {chosen.opset}", chosen.opset),
            (f"{len(chosen.disabled_optimizers)} disabled", chosen.disabled_optimizers),
            ("providers", chosen.providers),
        )
        if holds
    )


def unusual_result(chosen: ConvertSettings) -> str:
    """What is written besides, or left out."""
    return ", ".join(
        text
        for text, holds in (
            ("no config", not chosen.write_config),
            ("types", chosen.type_reduction),
            ("ONNX", chosen.optimized_onnx),
            ("reproducible", chosen.reproducible),
            ("stamp", chosen.stamp),
        )
        if holds
    )


def unusual_verification(chosen: ConvertSettings) -> str:
    """Whether it is off, or how it differs."""
    if not chosen.verify:
        return "off"
    return ", ".join(
        text
        for text, holds in (
            ("own inputs", chosen.inputs.file),
            (f"seed {chosen.inputs.seed}", chosen.inputs.seed != _USUAL.inputs.seed),
            ("other tolerance", chosen.tolerance != _USUAL.tolerance),
        )
        if holds
    )
