"""What a release cannot do that ours can, said before it is used."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.versions import FormatVersion
from ortstudio.services.knowledge import knowledge
from ortstudio.services.runtimes.runtime import Runtime, version_key

_FIRST_FORMAT = (1, 5)
_LEAVES_OUT = (1, 8)
_SAVES_OPTIMIZATIONS = (1, 11)
_NO_IDENTIFIER = (1, 5, 1)
_LOSES_STRINGS = ((1, 23), (1, 25, 1))


def limits(runtime: Runtime) -> list[str]:
    """Sentences about converting with this release; none for one that does as the newest does."""
    release, key = runtime.onnxruntime, version_key(runtime.onnxruntime)
    if not runtime.kind.is_python:
        return [f"{runtime.name} loads and runs models, and converts none."]
    return [f"onnxruntime {release} {words}." for words in _limits(key)] if key else []


def _limits(key: tuple[int, ...]) -> Iterator[str]:
    if key < _FIRST_FORMAT:
        yield "has no ORT format: it runs ONNX models only"
        return
    versions = knowledge().versions
    written = _written(key[1])
    if written is not None and written.number != versions.newest:
        yield (
            f"writes format version {written.number}: full builds of"
            f" {versions.words(written.full)} load it, minimal builds of"
            f" {versions.words(written.minimal)}"
        )
    if key == _NO_IDENTIFIER:
        yield "leaves the identifier out of its files, so that no other release loads them"
    if key < _LEAVES_OUT:
        yield (
            "cannot leave single optimizers out: level all is extended there, since all would"
            " tie the result to this processor"
        )
    if key < _SAVES_OPTIMIZATIONS:
        yield "cannot save optimizations for the device to apply"
    if _LOSES_STRINGS[0] <= key <= _LOSES_STRINGS[1]:
        yield "loses initializers of four or more strings"


def _written(minor: int) -> FormatVersion | None:
    """The format version that a release writes; None for one that is newer than what we know."""
    versions = knowledge().versions
    numbers = range(1, versions.newest + 1)
    found = (versions.get(number) for number in numbers)
    return next((version for version in found if version and minor in version.writes), None)
