"""Settings for a use, before a model was looked at: only what decides the use is chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.uses import Use
from ortstudio.services.uses_in_general import TEXTS, general_settings

BASE = ConvertSettings(
    level=Level.BASIC,
    styles=(Style.RUNTIME,),
    target=Target.AMD64,
    type_reduction=True,
    output_dir="elsewhere",
    custom_ops="lib.so",
    stamp=True,
)


@pytest.mark.parametrize(
    ("use", "style", "target", "types"),
    [
        (Use.MOBILE_CPU, Style.FIXED, Target.ARM, False),
        (Use.NNAPI, Style.RUNTIME, None, False),
        (Use.COREML, Style.RUNTIME, None, False),
        (Use.WEB, Style.FIXED, None, False),
        (Use.DESKTOP, Style.FIXED, None, False),
        (Use.MINIMAL_BUILD, Style.FIXED, None, True),
    ],
)
def test_a_use_decides_level_style_target_and_types_and_nothing_else(
    use: Use, style: Style, target: Target | None, types: bool
) -> None:
    found = general_settings(use, BASE)
    assert found == replace(
        BASE, level=Level.ALL, styles=(style,), target=target, type_reduction=types
    )


def test_every_use_has_its_sentence() -> None:
    assert set(TEXTS) == set(Use)
