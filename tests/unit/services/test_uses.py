"""Settings as options of the command line, and the better of two accelerators."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.analysis.accelerators import (
    Accelerator,
    Cause,
    Estimate,
    FreeSizes,
    NotTaken,
    Outlook,
)
from ortstudio.analysis.nodes import NodeRef
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.document import open_document
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.uses import DEVICES, Use, best_outlook, options_text


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (ConvertSettings(), ""),
        (ConvertSettings(level=Level.BASIC), "--level basic"),
        (ConvertSettings(styles=tuple(Style)), "--style both"),
        (
            ConvertSettings(
                styles=(Style.RUNTIME,), target=Target.ARM, fixed_dims={"N": 1, "a b": 8}
            ),
            "--style runtime --target arm --fix-dim N=1 --fix-dim 'a b=8'",
        ),
        (
            ConvertSettings(type_reduction=True, custom_ops="my ops.so"),
            "--custom-ops 'my ops.so' --type-reduction",
        ),
    ],
)
def test_only_what_differs_from_the_defaults_is_an_option(
    settings: ConvertSettings, text: str
) -> None:
    assert options_text(settings) == text


def outlook(accelerator: Accelerator, taken: int, left: int) -> Outlook:
    piece = tuple(NodeRef("/", index) for index in range(taken))
    rows = tuple(NotTaken(NodeRef("/", i), "Erf", Cause.OPERATOR, "why") for i in range(left))
    return Outlook(Estimate(accelerator, (piece,) if piece else (), rows, (), ""))


@pytest.mark.parametrize(
    ("program", "network", "best"),
    [
        ((9, 1), (10, 0), Accelerator.COREML_NEURAL_NETWORK),
        ((10, 0), (10, 0), Accelerator.COREML_ML_PROGRAM),
        ((6, 4), (9, 1), Accelerator.COREML_NEURAL_NETWORK),
        ((0, 10), (0, 10), Accelerator.COREML_ML_PROGRAM),
    ],
)
def test_of_two_forms_of_coreml_the_one_that_promises_more_is_told(
    program: tuple[int, int], network: tuple[int, int], best: Accelerator, corpus: Path
) -> None:
    document = open_document(corpus / "sources" / "mlp.onnx")
    both = (
        outlook(Accelerator.COREML_NEURAL_NETWORK, *network),
        outlook(Accelerator.COREML_ML_PROGRAM, *program),
    )
    found = Accelerators(both, FreeSizes((), ()), document, document, {})
    assert best_outlook(found, DEVICES[Use.COREML]).as_is.accelerator is best
