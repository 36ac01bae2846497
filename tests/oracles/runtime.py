"""ONNX Runtime asked about files in ORT format, damaged ones too, in a child process.

A file that takes the child down is refused like any other, with the way in which it died.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import numpy as np

from ortstudio.format.arrays import Numbers
from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType
from ortstudio.services.exchange import Description, TensorValue, read_values, write_values
from ortstudio.services.sessions import Session

REPLAY = "session.enable_saved_runtime_optimizations"


class RefusedByRuntimeError(Exception):
    """The runtime's words, or those for a child that is gone."""


class Runtime:
    """Loads models and runs them on float32 inputs; `child` gives a process that can be asked."""

    def __init__(self, child: Callable[[], Child], folder: Path) -> None:
        self._child = child
        self._folder = folder

    def check(self, content: bytes, expected: Path, *, replay: bool = False) -> None:
        """Run a model on the inputs that a file of the corpus holds: it must give its outputs.

        Raises RefusedByRuntimeError where it cannot be loaded or run.
        """
        with np.load(expected) as arrays:
            names = arrays["input_names"].tolist()
            inputs = {name: arrays[f"in{i}"] for i, name in enumerate(names)}
            outputs = {name: arrays[f"out{i}"] for i, name in enumerate(arrays["output_names"])}
        found = self._run(content, inputs, replay)
        assert found.keys() == outputs.keys()
        for name, array in outputs.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-6)

    def _run(
        self, content: bytes, inputs: Mapping[str, Numbers], replay: bool
    ) -> dict[str, Numbers]:
        model, outputs = self._folder / "model.ort", self._folder / "outputs.npz"
        model.write_bytes(content)
        values = {
            name: TensorValue(DataType.FLOAT, array.shape, array) for name, array in inputs.items()
        }
        described = write_values(self._folder / "inputs.npz", values)
        session = Session(str(model), FileKind.ORT, config={REPLAY: "1"} if replay else {})
        arguments = {
            "session": session.to_json(),
            "inputs": {"file": str(self._folder / "inputs.npz"), "values": described},
            "outputs": str(outputs),
        }
        outcome = self._child().ask("run", arguments)
        if not outcome.ok:
            raise RefusedByRuntimeError(
                outcome.failure.message if outcome.failure else outcome.words
            )
        found = read_values(outputs, cast("list[Description]", outcome.value["outputs"]))
        return {name: v.numbers for name, v in found.items() if isinstance(v, TensorValue)}
