from __future__ import annotations

import pytest

from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.limits import limits


def said(release: str) -> str:
    return "\n".join(limits(Runtime("r", Kind.INSTALLED, "/python", release)))


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("1.4.0", "has no ORT format"),
        ("1.5.1", "leaves the identifier out"),
        ("1.5.2", "writes format version 1: full builds of 1.5 to 1.7, 1.14 and newer load it"),
        ("1.7.0", "level all is extended there"),
        ("1.10.0", "cannot save optimizations for the device"),
        ("1.12.1", "writes format version 4"),
        ("1.15.1", "writes format version 5: full builds of 1.13 and newer load it"),
        ("1.24.1", "loses initializers of four or more strings"),
    ],
)
def test_what_a_release_does_otherwise_is_said(release: str, words: str) -> None:
    assert words in said(release)
    assert said(release).startswith(f"onnxruntime {release} ")


@pytest.mark.parametrize("release", ["1.16.3", "1.22.0", "1.26.0", "1.32.0", "1.40.0", "2.0.0", ""])
def test_of_others_there_is_nothing_to_say(release: str) -> None:
    assert said(release) == ""


def test_only_what_holds_is_said() -> None:
    assert "optimizers" not in said("1.8.0")
    assert "device" not in said("1.11.0")
    assert "identifier" not in said("1.5.2")
