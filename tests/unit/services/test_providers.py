from __future__ import annotations

import pytest

from ortstudio.errors import UsageError
from ortstudio.services.providers import chosen

KNOWN = ("CoreMLExecutionProvider", "CPUExecutionProvider")


@pytest.mark.parametrize("name", ["CoreMLExecutionProvider", "CoreML", "coreml"])
def test_a_provider_has_a_short_name(name: str) -> None:
    assert chosen([name], KNOWN) == ("CoreMLExecutionProvider",)


def test_the_order_stays_and_each_comes_once() -> None:
    assert chosen(["CPU", "CoreML", "cpu"], KNOWN) == tuple(reversed(KNOWN))


def test_one_that_is_not_offered_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError) as caught:
        chosen(["CoreML", "CUDA"], KNOWN)
    assert "CUDA" in caught.value.message
    assert "CoreMLExecutionProvider, CPUExecutionProvider" in caught.value.hint
