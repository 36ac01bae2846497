"""External data: weights in other files, which may lie nowhere but in the model's own folder.

A location is a relative path with `/` between its parts, counted from the name under which the
model was opened. Absolute ones, those that climb with `..`, and links that lead outside are
refused. Inside is the folder of that name and, where the name is a link, the folder of the real
file: caches of downloaded models link both files into one folder, and ONNX Runtime 1.32 draws the
line there too. A hard link, or a folder exchanged between look and read, cannot be told from the
real thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from ortstudio.errors import FormatError, MissingError, RefusedError, StudioError, Where
from ortstudio.format.source import Source
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.tensor import ExternalData, SparseTensor, Tensor


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """A file that holds elements of a model's tensors. `path` is the location as the model has it.

    `size_bytes` is None unless the file was found; `needed_bytes` is how far the tensors reach into
    it; `problem` says in words why it cannot be used, and is empty where it can.
    """

    path: str
    size_bytes: int | None
    found: bool
    needed_bytes: int
    problem: str = ""


def external_files(model: Model) -> tuple[ExternalFile, ...]:
    """The other files that a model names, in the order of first use. Looks at the disk."""
    needed: dict[str, int] = {}
    for tensor, data in external_tensors(model):
        _, end = needed_range(tensor, data)
        needed[data.location] = max(needed.get(data.location, 0), end)
    return tuple(_look(model.source.path, location, end) for location, end in needed.items())


def _look(model_path: str, location: str, needed: int) -> ExternalFile:
    try:
        size = locate(model_path, location).stat().st_size
    except StudioError as error:
        return ExternalFile(location, None, False, needed, error.message)
    problem = "" if needed <= size else f"It has {size} bytes, the model needs {needed}"
    return ExternalFile(location, size, True, needed, problem)


def external_tensors(model: Model) -> Iterator[tuple[Tensor, ExternalData]]:
    """Every tensor that lies elsewhere, of graphs, functions and attributes, and where it lies."""
    for graph in model.all_graphs:
        yield from _tensors_of(graph)
    for function in model.functions:
        for value in function.attribute_defaults.values():
            yield from _tensors_in(value)


def _tensors_of(graph: Graph) -> Iterator[tuple[Tensor, ExternalData]]:
    initializers = graph.initializers
    for row, data in initializers.elsewhere.items():
        if isinstance(data, ExternalData):
            yield initializers[row], data
    for value in [*graph.sparse_initializers, *graph.nodes.attributes.others.values()]:
        yield from _tensors_in(value)


def _tensors_in(value: object) -> Iterator[tuple[Tensor, ExternalData]]:
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, SparseTensor):
            yield from _tensors_in((item.values, item.indices))
        elif isinstance(item, Tensor) and isinstance(item.data, ExternalData):
            yield item, item.data


def locate(model_path: str, location: str) -> Path:
    """The file that a location means, resolved.

    Raises RefusedError for one that may not be read, MissingError where there is no such file.
    """
    where = Where(model_path, None, location)
    if not model_path:
        raise MissingError("External data needs a model that lies in a folder", where=where)
    if not location or leaves_folder(location):
        raise RefusedError(
            f"External data may not lie outside the model's folder: {location!r}", where=where
        )
    try:
        model = Path(model_path)
        folders = {model.parent.resolve(), model.resolve().parent}
        path = (model.parent / location).resolve()
        if not any(path.is_relative_to(folder) for folder in folders):
            raise RefusedError(
                f"External data may not lie outside the model's folder: {location!r} is a link to"
                f" {path}",
                where=where,
            )
        if path.is_file():
            return path
    except (OSError, ValueError, RuntimeError):
        # A name that the system does not allow, or links in a circle: no such file either way.
        pass
    raise MissingError(f"There is no file {location!r} beside the model", where=where)


def leaves_folder(location: str) -> bool:
    """Whether a location is absolute or climbs, by the rules of any system."""
    return any(
        bool(path.anchor) or ".." in path.parts
        for path in (PurePosixPath(location), PureWindowsPath(location))
    )


def needed_range(tensor: Tensor, data: ExternalData) -> tuple[int, int]:
    """Where a tensor's elements begin and end in their file."""
    length = tensor.size_bytes if data.length is None else data.length
    return data.offset, data.offset + length


def check_range(tensor: Tensor, data: ExternalData, model_path: str, size: int) -> None:
    """Raises FormatError where a file of that size does not hold all of a tensor's elements."""
    begin, end = needed_range(tensor, data)
    if end > size:
        raise FormatError(
            f"The tensor {tensor.name!r} needs bytes {begin} to {end} of {data.location!r},"
            f" which has {size}",
            where=Where(str(Path(model_path).parent / data.location), begin, tensor.name),
            hint="Fetch the whole file.",
        )


def open_external(model_path: str, tensor: Tensor, data: ExternalData) -> tuple[Source, int, int]:
    """The file, offset and length of a tensor's elements, checked against the file's real size."""
    path = locate(model_path, data.location)
    source = Source.open(path)
    check_range(tensor, data, model_path, source.size)
    begin, end = needed_range(tensor, data)
    return source, begin, end - begin
