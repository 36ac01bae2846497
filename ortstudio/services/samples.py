"""The sample that comes with the program; its `.ort` is made where the program runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import StudioError
from ortstudio.services import convert, resources
from ortstudio.services.conversion import ConvertProgress
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.places import cache_folder
from ortstudio.services.sessions import Style

SAMPLE = "samples/keyword_spotting.onnx"


@dataclass(frozen=True, slots=True)
class SamplePair:
    """The sample's source, and its result where that is made already."""

    source: Path
    result: Path

    @property
    def is_made(self) -> bool:
        """Whether the result is there."""
        return self.result.is_file()


def sample() -> SamplePair:
    """Where the sample is. Its result goes to the cache, apart for each form of the source."""
    source = resources.find(SAMPLE)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    folder = cache_folder() / "samples" / digest
    return SamplePair(source, folder / source.with_suffix(".with_runtime_opt.ort").name)


def make(
    pair: SamplePair,
    on_progress: Callable[[ConvertProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> None:
    """Convert the sample in Runtime style, which leaves the most to look at. Blocks.

    Raises the StudioError of the conversion where it fails.
    """
    settings = ConvertSettings(
        styles=(Style.RUNTIME,), output_dir=str(pair.result.parent), overwrite=True
    )
    done = convert.run(plan([pair.source], settings), on_progress=on_progress, cancelled=cancelled)
    error: StudioError | None = done.results[0].error
    if error is not None:
        raise error
