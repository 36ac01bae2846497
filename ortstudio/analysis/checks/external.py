"""Weights in other files: where they may lie, whether they are there and long enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ortstudio.model.external import leaves_folder, needed_range
from ortstudio.model.tensor import ExternalData, Tensor
from ortstudio.model.types import packed_size


def external_problems(
    tensor: Tensor, sizes: Mapping[str, int | None] | None
) -> Iterator[tuple[str, str]]:
    """Code and text of what is wrong; without `sizes` nothing that needs a look at the disk."""
    data = tensor.data
    assert isinstance(data, ExternalData)
    wanted = packed_size(tensor.data_type, tensor.dims)
    if leaves_folder(data.location):
        text = f"its file {data.location!r} is outside the model's folder; the runtime refuses that"
        yield "external-path-outside", text
        return
    if data.length is not None and wanted is not None and data.length != wanted:
        text = f"the model gives it {data.length:,} bytes of {data.location}, it needs {wanted:,}"
        yield "external-size-mismatch", text
    if sizes is None or data.location not in sizes:
        return
    size = sizes[data.location]
    begin, end = needed_range(tensor, data)
    if size is None:
        yield "external-data-missing", f"its file {data.location} is not there"
    elif end > size:
        text = f"it needs bytes {begin:,} to {end:,} of {data.location}, which has only {size:,}"
        yield "external-data-short", text
