"""What an accelerator would take of a model: estimates, never the outcome of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from shlex import quote
from typing import Literal

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.families import words
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.types import DataType, Dim, TensorType, data_type_text

Worth = Literal["yes", "maybe", "no"]

MOST, HALF = 0.75, 0.5
"""Shares of the nodes from which an accelerator is worth it, or worth a try, as upstream has it."""

HEAVY = words(
    "Conv ConvTranspose ConvInteger QLinearConv QLinearConvTranspose FusedConv NhwcFusedConv",
    "MatMul Gemm MatMulInteger QLinearMatMul QGemm FusedMatMul FusedGemm MatMulNBits Einsum",
    "MatMulIntegerToFloat DynamicQuantizeMatMul LSTM GRU RNN Attention MultiHeadAttention",
)
"""Operators that do most of the work: convolutions, matrix products and what is made of them."""

COMMON = frozenset(
    {
        DataType.FLOAT,
        DataType.FLOAT16,
        DataType.UINT8,
        DataType.INT8,
        DataType.INT32,
        DataType.INT64,
        DataType.BOOL,
    }
)
"""Element types that any of the accelerators has."""


class Accelerator(Enum):
    """An execution provider that takes part of a graph. The value is what people call it."""

    NNAPI = "NNAPI"
    COREML_NEURAL_NETWORK = "CoreML NeuralNetwork"
    COREML_ML_PROGRAM = "CoreML MLProgram"
    XNNPACK = "XNNPACK"

    @property
    def key(self) -> str:
        """The name that stands in answers."""
        return self.name.lower().replace("_", "-")

    @property
    def runs_on(self) -> str:
        """Where what it takes is run."""
        places = {
            Accelerator.NNAPI: "accelerators of Android devices",
            Accelerator.XNNPACK: "the CPU of phones, and in browsers",
        }
        return places.get(self, "Apple's GPUs and neural engines")

    @property
    def apart(self) -> bool:
        """Whether values are copied to another device and back, at the ends of every piece."""
        return self is not Accelerator.XNNPACK


class Cause(Enum):
    """Why a node is not taken. The value is stable."""

    OPERATOR = "operator"
    DYNAMIC = "dynamic-shape"
    RANK = "rank"
    LIMIT = "limit"
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A node that stays on the CPU, and why. `op` is `Conv` or `com.microsoft.FusedConv`."""

    node: NodeRef
    op: str
    cause: Cause
    why: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one accelerator would take: pieces, the largest first, and what it would leave.

    `caveats` are limits of taken operators that nobody checked, `basis` is what it rests on. Of the
    `heavy` convolutions and matrix products it takes `heavy_taken`.
    """

    accelerator: Accelerator
    pieces: tuple[tuple[NodeRef, ...], ...]
    not_taken: tuple[NotTaken, ...]
    caveats: tuple[str, ...]
    basis: str
    heavy: int = 0
    heavy_taken: int = 0

    @property
    def taken(self) -> int:
        """How many nodes it takes."""
        return sum(map(len, self.pieces))

    @property
    def nodes(self) -> int:
        """How many nodes there are, those in subgraphs too."""
        return self.taken + len(self.not_taken)

    @property
    def share(self) -> float:
        """The part of the nodes that it takes, from 0 to 1."""
        return self.taken / self.nodes if self.nodes else 0.0

    @property
    def worth(self) -> Worth:
        """Whether it promises anything.

        On another device every piece costs copies there and back; on the CPU only the work counts.
        """
        if not self.accelerator.apart:
            return _worth(self.heavy_taken / self.heavy if self.heavy else 0.0)
        if len(self.pieces) == 2:
            return "maybe" if self.share > MOST else "no"
        return _worth(self.share) if len(self.pieces) == 1 else "no"

    @property
    def text(self) -> str:
        """`Takes 12 of 14 nodes in 2 pieces, with 3 of 4 convolutions and matrix products`."""
        if not self.taken:
            return f"Takes none of {count(self.nodes, 'node')}"
        of = f"all {count(self.nodes, 'node')}"
        if self.nodes == 1:
            of = "the one node"
        elif self.not_taken:
            of = f"{self.taken:,} of {count(self.nodes, 'node')}"
        text = f"Takes {of} in {count(len(self.pieces), 'piece')}"
        if self.heavy and self.not_taken:
            text += (
                f", with {self.heavy_taken:,} of {self.heavy:,} convolutions and matrix products"
            )
        return text

    @property
    def reasons(self) -> list[tuple[str, list[NotTaken]]]:
        """The nodes that are not taken, those of one reason together, the most first."""
        found: dict[str, list[NotTaken]] = {}
        for row in self.not_taken:
            found.setdefault(row.why, []).append(row)
        return sorted(found.items(), key=lambda item: -len(item[1]))


def _worth(share: float) -> Worth:
    return "yes" if share > MOST else "maybe" if share >= HALF else "no"


def estimate(
    model: Model,
    accelerator: Accelerator,
    pieces: Sequence[tuple[NodeRef, ...]],
    not_taken: Sequence[NotTaken],
    caveats: Sequence[str],
    basis: str,
) -> Estimate:
    """An estimate for a model, from what is said of its main graph."""
    graph, taken = model.main, {node.index for piece in pieces for node in piece}
    heavy = [
        index in taken
        for index, op in zip(graph.nodes.indices.tolist(), graph.nodes.op_types, strict=True)
        if op in HEAVY
    ]
    return Estimate(
        accelerator,
        tuple(sorted(pieces, key=len, reverse=True)),
        (*not_taken, *nested(model)),
        tuple(caveats),
        basis,
        len(heavy),
        sum(heavy),
    )


@dataclass(frozen=True, slots=True)
class Outlook:
    """One accelerator for a model as it is, and as it were with every size fixed.

    `if_fixed` is None where it would take the same.
    """

    as_is: Estimate
    if_fixed: Estimate | None = None

    @property
    def best(self) -> Estimate:
        """The estimate that promises more."""
        return self.if_fixed or self.as_is

    @property
    def text(self) -> str:
        """What it takes, in one or two sentences."""
        text = f"{self.as_is.text}."
        if self.if_fixed is not None:
            better = self.if_fixed.text
            text += f" With every size fixed: {better[0].lower()}{better[1:]}."
        return text


def nested(model: Model) -> list[NotTaken]:
    """The nodes of subgraphs: what runs them is the operator that they hang on, on the CPU."""
    return [
        NotTaken(NodeRef(graph.path, index), op, Cause.NESTED, _NESTED)
        for graph in model.graphs[1:]
        for index, op in zip(graph.nodes.indices.tolist(), graph.nodes.ops, strict=True)
    ]


_NESTED = "It is in a subgraph, and only nodes of the main graph are taken"


@dataclass(frozen=True, slots=True)
class FreeSizes:
    """Sizes of inputs that are not known before a run: names of symbols, and inputs with others."""

    symbols: tuple[str, ...]
    unnamed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.symbols or self.unnamed)

    @property
    def text(self) -> str:
        """`The size batch of its inputs is free`, without a period; empty where all are fixed."""
        texts = []
        if self.symbols:
            one = len(self.symbols) == 1
            names = listed(self.symbols)
            texts.append(f"{'size' if one else 'sizes'} {names} of its inputs {_is(one)} free")
        if self.unnamed:
            one = len(self.unnamed) == 1
            names = listed([repr(name) for name in self.unnamed])
            texts.append(f"shape of {names} is not fixed" if one else f"shapes of {names} are free")
        return f"The {', and the '.join(texts)}" if texts else ""

    @property
    def options(self) -> str:
        """The options of a conversion that fix the symbols, `SIZE` for a number."""
        return " ".join(f"--fix-dim {quote(f'{symbol}=SIZE')}" for symbol in self.symbols)


def _is(one: bool) -> str:
    return "is" if one else "are"


def free_sizes(model: Model) -> FreeSizes:
    """The sizes of inputs that a run decides on."""
    symbols: dict[str, None] = {}
    unnamed: dict[str, None] = {}
    graph = model.main
    for value in graph.inputs.tolist():
        name, of = graph.values.names[value], graph.values.types[value]
        if name in graph.initializers.rows or not isinstance(of, TensorType):
            continue
        if of.dims is None:
            unnamed[name] = None
        for dim in of.dims or ():
            if isinstance(dim, str) and dim:
                symbols[dim] = None
            elif not isinstance(dim, int) or dim < 0:
                unnamed[name] = None
    return FreeSizes(tuple(symbols), tuple(unnamed))


def uncommon_types(graph: Graph) -> dict[int, str]:
    """By row the nodes with inputs or outputs of element types that no accelerator has."""
    constants = graph.initializers
    kinds = [
        of.elem_type if isinstance(of, TensorType) else DataType.FLOAT for of in graph.values.types
    ]
    for name, data_type in zip(constants.names, constants.data_types.tolist(), strict=True):
        if name in graph.values.ids:
            kinds[graph.values.ids[name]] = data_type
    found: dict[int, str] = {}
    for values in (graph.nodes.inputs, graph.nodes.outputs):
        for row, ids in enumerate(values.lists()):
            odd = [kinds[value] for value in ids if value >= 0 and kinds[value] not in COMMON]
            if odd:
                found.setdefault(row, data_type_text(odd[0]))
    return found


def is_fixed(dim: Dim) -> bool:
    """Whether a size is known before a run."""
    return isinstance(dim, int) and dim > 0


def pieces(graph: Graph, taken: Sequence[bool]) -> tuple[tuple[NodeRef, ...], ...]:
    """Taken nodes that hand each other values, together; the largest first. By row of the node."""
    home = list(range(len(taken)))

    def root(row: int) -> int:
        while home[row] != row:
            home[row] = home[home[row]]
            row = home[row]
        return row

    makers = graph.producers.tolist()
    for row, inputs in enumerate(graph.nodes.inputs.lists()):
        for value in inputs if taken[row] else ():
            maker = makers[value] if value >= 0 else -1
            if maker >= 0 and taken[maker]:
                home[root(row)] = root(maker)
    found: dict[int, list[NodeRef]] = {}
    for row, index in enumerate(graph.nodes.indices.tolist()):
        if taken[row]:
            found.setdefault(root(row), []).append(NodeRef(graph.path, index))
    return tuple(sorted(map(tuple, found.values()), key=len, reverse=True))
