"""What only training checkpoints and adapters say of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.pairing.facts import Fact, fact_row
from ortstudio.analysis.pairing.rows import ModelRow
from ortstudio.model.model import Model


def training_rows(a: Model, b: Model) -> Iterator[ModelRow]:
    """A row for each of these facts that at least one side states."""
    ours, theirs = _facts(a), _facts(b)
    for name in dict.fromkeys((*ours, *theirs)):
        yield from fact_row(name, ours.get(name), theirs.get(name))


def _facts(model: Model) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    if model.adapter is not None:
        found["adapter format"] = model.adapter.format_version
        found["adapter version"] = model.adapter.adapter_version
    checkpoint = model.checkpoint
    if checkpoint is not None:
        found["checkpoint version"] = checkpoint.version
        found["nominal state"] = "yes" if checkpoint.is_nominal_state else "no"
        found["trained parameters"] = ", ".join(checkpoint.trained_parameters)
        found["frozen parameters"] = ", ".join(checkpoint.frozen_parameters)
        for group in checkpoint.optimizer_groups:
            parameters = ", ".join(group.parameters)
            found[f"optimizer group {group.name}"] = (
                f"step {group.step}, first learning rate {group.initial_learning_rate:g},"
                f" {parameters}"
            )
        for entry in checkpoint.properties:
            found[f"property {entry.name}"] = repr(entry.value)
    return found
