"""Every model of the ground truth by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onnx import ModelProto

from tests.pairing_truth.attention import ATTENTION
from tests.pairing_truth.bodies import BODIES
from tests.pairing_truth.eliminations import ELIMINATIONS
from tests.pairing_truth.folding import FOLDING
from tests.pairing_truth.fusions import FUSIONS
from tests.pairing_truth.language import LANGUAGE
from tests.pairing_truth.layouts import LAYOUTS
from tests.pairing_truth.quantized import QUANTIZED

FAMILIES = (
    ELIMINATIONS, FOLDING, FUSIONS, LANGUAGE, ATTENTION, QUANTIZED, LAYOUTS, BODIES,
)  # fmt: skip

MODELS: Mapping[str, Callable[[], ModelProto]] = {
    build.__name__: build for family in FAMILIES for build in family
}
