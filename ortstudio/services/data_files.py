"""The files with weights that belong to a model, where the model is written anew."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from ortstudio.errors import StudioError
from ortstudio.model.external import external_files, locate
from ortstudio.model.model import Model
from ortstudio.services.staging import unwritable


class DataFiles:
    """External data of an ONNX model; a model in ORT format has none.

    A model names them by their way from its own folder, so that they are copied along into another
    folder, and stay where the folder is the same.
    """

    def __init__(self, model: Model, target: Path) -> None:
        self._model = model.source.path
        self._target = target
        self.locations = tuple(file.path for file in external_files(model))
        self.stay = target.parent.resolve() == Path(self._model).parent.resolve()

    @property
    def originals(self) -> list[Path]:
        """Those that are there."""
        found = []
        for location in self.locations:
            with contextlib.suppress(StudioError):
                found.append(locate(self._model, location))
        return found

    @property
    def targets(self) -> list[Path]:
        """The files that will be written."""
        return [] if self.stay else [self._target.parent / name for name in self.locations]

    def bring(self, folder: Path, *, run: bool) -> None:
        """Put them into a folder, for the model that will lie there; `run` if it is to run there.

        Raises what `locate` raises where one is missing that is to be copied, RefusedError where it
        cannot be written.
        """
        if self.stay and not run:
            return
        for location in self.locations:
            try:
                original = locate(self._model, location)
            except StudioError:
                if self.stay:
                    continue
                raise
            try:
                (folder / location).parent.mkdir(parents=True, exist_ok=True)
                self._bring(original, folder / location)
            except OSError as error:
                raise unwritable(self._target, error) from None

    def _bring(self, original: Path, path: Path) -> None:
        if self.stay:
            # For the run alone: a second name is enough, if the file system has such.
            with contextlib.suppress(OSError):
                os.link(original, path)
                return
        shutil.copyfile(original, path)
