"""Small files that a release takes or refuses: for one element type, or one action of replay.

Each is one of `resources/probes`, with a number or a name in it changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.replay_actions import ACTIONS
from ortstudio.format.content import Batch, Links, Union, read_content
from ortstudio.format.flatwrite import write_content
from ortstudio.format.ort_tables import (
    SCHEMA,
    RuntimeOptimizationRecord,
    RuntimeOptimizationRecordContainerEntry,
    Tensor,
    TensorTypeAndShape,
    TypeInfo,
    TypeInfoValue,
    ValueInfo,
)
from ortstudio.format.source import Source
from ortstudio.model.types import DataType
from ortstudio.services import resources
from ortstudio.services.ort_write import Edit, rewrite

ELEMENT_TYPES = tuple(
    kind
    for kind in DataType
    if kind not in (DataType.UNDEFINED, DataType.STRING, DataType.COMPLEX64, DataType.COMPLEX128)
)
"""Those that were asked for."""
CONSTANT, BETWEEN = b"w", b"v"
"""The names of the constant, which is empty, and of a value between nodes in `types.ort`."""
OF_BOTH = DataType.INT8
"""Their element type there."""
TYPES_VERSION = 6
"""The format version of `types.ort`."""
ACTIONS_VERSIONS = (5, 4)
"""Those that there are files with records of; newer releases ignore the records of 4."""
UNKNOWN_ACTION = "no-such-action"
"""What a release loads with, if it replays nothing."""
_OPTIMIZERS = ("QDQSelectorActionTransformer", "ConvActivationFusion")
"""Those whose records are in the files."""
_NO_TYPE = re.compile(r"Invalid tensor data type")
_NO_CONSTANT = re.compile(
    r"(?:Invalid|Unsupported) tensor data type|MLDataType for: \S+ is not currently registered"
)
"""Other messages are about the nodes, whose turn comes after that."""
_NO_ACTION = re.compile(r"Missing action")


@dataclass(frozen=True, slots=True)
class Probe:
    """A file for one item of a part of a survey, and what a release says that does not know it."""

    part: str
    item: int | str
    path: Path
    refusal: re.Pattern[str]

    def is_known(self, said: str) -> bool:
        """By what a release says of the file, nothing where it loads."""
        return self.refusal.search(said) is None


def type_probes(folder: Path) -> Iterator[Probe]:
    """Of every element type, as that of a constant and of a value."""
    source = Source.open(resources.find("probes") / "types.ort")
    content = read_content(source, SCHEMA)
    for part, name, refusal in (
        ("initializers", CONSTANT, _NO_CONSTANT),
        ("values", BETWEEN, _NO_TYPE),
    ):
        for kind in ELEMENT_TYPES:
            _element_type(name, kind)(content)
            path = folder / f"{part}-{kind}.ort"
            path.write_bytes(b"".join(write_content(content, SCHEMA, source).chunks()))
            _element_type(name, OF_BOTH)(content)
            yield Probe(part, int(kind), path, refusal)


def action_probes(folder: Path, version: int) -> Iterator[Probe]:
    """Of every action, the unknown one first, in a file of that format version, 4 or 5."""
    base = resources.find("probes") / f"actions_v{version}.ort"
    known = [(optimizer, action) for optimizer, action in ACTIONS if optimizer in _OPTIMIZERS]
    for place, (optimizer, action) in enumerate([(_OPTIMIZERS[0], UNKNOWN_ACTION), *known]):
        path = folder / f"action-{place}.ort"
        rewrite(base, path, [_action(optimizer.encode(), action.encode())])
        yield Probe("actions", f"{optimizer}:{action}", path, _NO_ACTION)


def _element_type(name: bytes, kind: int) -> Edit:
    """Give a value another element type, and the constant of that name too."""

    def edit(root: Batch) -> None:
        for tensors in root.all("Tensor"):
            numbers = tensors.numbers(Tensor.data_type)
            for row in _named(tensors.texts(Tensor.name), name):
                numbers[row] = kind
        for values in root.all("ValueInfo"):
            types = values.columns[ValueInfo.type.slot]
            assert isinstance(types, Links)
            tensor_types = types.batch.columns[TypeInfo.value.slot]
            assert isinstance(tensor_types, Union)
            links = tensor_types.links[TypeInfoValue.tensor_type]
            numbers = links.batch.numbers(TensorTypeAndShape.elem_type)
            for row in _named(values.texts(ValueInfo.name), name):
                numbers[links.rows[types.rows[row]]] = kind

    return edit


def _action(optimizer: bytes, action: bytes) -> Edit:
    """Give all records of an optimizer this action."""
    entry = RuntimeOptimizationRecordContainerEntry

    def edit(root: Batch) -> None:
        for entries in root.all("RuntimeOptimizationRecordContainerEntry"):
            field = entry.runtime_optimization_records
            records = entries.link_rows(field, SCHEMA.tables[field.target])
            actions = records.batch.texts(RuntimeOptimizationRecord.action_id)
            for row in _named(entries.texts(entry.optimizer_name), optimizer):
                for record in records.rows[row] or ():
                    actions[record] = action

    return edit


def _named(names: list[bytes | None], wanted: bytes) -> list[int]:
    return [row for row, name in enumerate(names) if name == wanted]
