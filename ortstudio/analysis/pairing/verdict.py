"""Whether two models differ in more than names, defaults, and what the format loses by nature.

How something is held is no difference: a constant in a `Constant` node or an initializer, nodes in
a local function or in the graph, weights in another file.
"""

from __future__ import annotations

from ortstudio.analysis.pairing.facts import FORMAT, GRAPH_NAME, NO_PLACE
from ortstudio.analysis.pairing.fates import UNUSED
from ortstudio.analysis.pairing.initializers import NOT_KNOWN
from ortstudio.analysis.pairing.interfaces import CONSTANT
from ortstudio.analysis.pairing.remarks import EXTERNAL, NODE_DOCS, NOT_IN_ORT, TENSOR_DOCS
from ortstudio.analysis.pairing.rows import ModelRow, NamedRow, NodeRow

CONSTANT_NODE = "constant-node"
"""The rewrite that only moves a constant from a node to an initializer."""

_NEVER = frozenset({FORMAT, GRAPH_NAME, EXTERNAL})
_BY_NATURE = NOT_IN_ORT | {TENSOR_DOCS, NODE_DOCS}
"""What a change of the format may take away, the last two with the nodes that hold constants."""


def node_differs(row: NodeRow) -> bool:
    """Whether something else is computed, or in another way."""
    return row.kind not in ("kept", "inlined") and row.rewrite != CONSTANT_NODE


def initializer_differs(row: NamedRow, *, other_format: bool) -> bool:
    """Whether there are other elements, or it is not known that there are not.

    Writing another format (`other_format`) drops what no node uses.
    """
    if row.kind == "kept":
        return row.reason.startswith(NOT_KNOWN)
    if row.kind == "folded":
        return row.a is None or row.b is None
    if row.kind == "inlined":
        return False
    return not (other_format and row.kind == "removed" and row.reason.startswith(UNUSED))


def model_differs(row: ModelRow, *, other_format: bool) -> bool:
    """Whether the models say other things of themselves, beyond what another format loses."""
    if row.kind == "kept" or row.name in _NEVER:
        return False
    if row.kind != "changed" and row.name.startswith(("opset ", "function ")):
        return False  # Its nodes tell.
    by_nature = row.name in _BY_NATURE or row.reason.startswith(NO_PLACE)
    return not (other_format and (by_nature or row.a.endswith(CONSTANT)))
