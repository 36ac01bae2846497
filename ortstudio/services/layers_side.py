"""One of two models, made to give values from its inside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ortstudio.analysis.imports import needed_imports
from ortstudio.errors import Where
from ortstudio.jobs.runner import Ending
from ortstudio.model.external import external_tensors, locate
from ortstudio.model.model import FileKind
from ortstudio.services.document import Document
from ortstudio.services.exchange import Description, TensorValue, Value, ValuesFile, write_values
from ortstudio.services.export import MESSAGE_BYTES
from ortstudio.services.layers_scales import Scales
from ortstudio.services.onnx_write import write_onnx
from ortstudio.services.runtime_words import explained
from ortstudio.services.sessions import Level, Session
from ortstudio.services.verify import Ask

GIVEN = "given"


class NotGivenError(Exception):
    """The model does not give these values, and the message says why."""


class Side:
    """A model as ONNX in a folder of its own, run as it is stored.

    `session` says how it is loaded but for its file and level. Raises StudioError where it cannot
    be written as ONNX.
    """

    def __init__(self, document: Document, session: Session, folder: Path, ask: Ask) -> None:
        self.graph = document.model.main
        self.scales = Scales(document.model)
        self._document = document
        self._session = session
        self._folder = folder
        self._ask = ask
        self._made = 0
        folder.mkdir()
        self._source = self._as_onnx()

    def values(
        self,
        names: Sequence[str],
        fed: Mapping[str, Value],
        given: Mapping[str, TensorValue] | None = None,
    ) -> ValuesFile:
        """The values of these names, for these inputs; those in `given` are not computed.

        Raises NotGivenError, JobError.
        """
        self._made += 1
        tapped = self._folder / "tapped.onnx"
        inputs = dict(fed)
        described = []
        for name, value in (given or {}).items():
            new = self._free_name(f"{name}.{GIVEN}")
            inputs[new] = value
            described.append(
                {
                    "name": name,
                    "input": new,
                    "data_type": value.data_type,
                    "dims": list(value.dims),
                }
            )
        arguments = {"model": str(self._source), "target": str(tapped)}
        outcome = self._ask("tap", arguments | {"outputs": list(names), "given": described})
        if not outcome.ok:
            raise outcome.error("Looking into the model", Where(str(self._document.path)))
        return self._run(tapped, inputs)

    def remove(self) -> None:
        """Take the folder away, and all values in it."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, model: Path, inputs: Mapping[str, Value]) -> ValuesFile:
        fed, made = self._folder / "inputs.npz", self._folder / f"values-{self._made}.npz"
        session = replace(self._session, model=str(model), kind=FileKind.ONNX, level=Level.DISABLE)
        arguments = {
            "session": session.to_json(),
            "inputs": {"file": str(fed), "values": write_values(fed, inputs)},
            "outputs": str(made),
        }
        outcome = self._ask("run", arguments)
        if outcome.ending is Ending.FAILED and outcome.failure:
            raise NotGivenError(explained(outcome.failure.message)[0])
        if not outcome.ok:
            raise NotGivenError(f"the child process {outcome.words}")
        described = cast("list[Description]", outcome.value["outputs"])
        return ValuesFile(made, described)

    def _free_name(self, wanted: str) -> str:
        while wanted in self.graph.values.ids:
            wanted += "_"
        return wanted

    def _as_onnx(self) -> Path:
        """The model as ONNX, and its weights within or in the folder."""
        model = self._document.model
        if model.kind is FileKind.ONNX:
            _bring(self._folder, self._weights())
            return self._document.path.absolute()
        imports = needed_imports(model, self._document.known.operators)
        outside = model.source.size > MESSAGE_BYTES
        return write_onnx(model, imports, self._folder / "model.onnx", outside=outside)[0]

    def _weights(self) -> dict[str, Path]:
        """The files with weights by the names that the model has for them."""
        model = self._document.model
        names = {data.location for _, data in external_tensors(model)}
        return {name: locate(model.source.path, name) for name in sorted(names)}


def _bring(folder: Path, files: Mapping[str, Path]) -> None:
    """Have files in a folder, if possible without a copy."""
    for name, source in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            # ONNX Runtime follows no link that leads out of the folder, but cannot tell this one.
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
