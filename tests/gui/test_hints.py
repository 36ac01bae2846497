"""Hints in the window speak of the window, not of the command line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ortstudio.services
from ortstudio.ui.hints import in_window

SERVICES = Path(ortstudio.services.__path__[0])
OF_CONVERSION = ("convert*.py", "staging.py", "runtime_words.py", "verify.py", "inputs.py")


def hints() -> list[str]:
    """Every text in the conversion's services that is a sentence and names an option."""
    found = []
    for pattern in OF_CONVERSION:
        for path in SERVICES.glob(pattern):
            tree = ast.parse(path.read_text("utf-8"))
            texts = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant))
            found += [t for t in texts if isinstance(t, str) and " -" in t and t[-1] == "."]
    return found


@pytest.mark.parametrize("hint", hints())
def test_no_hint_of_a_conversion_names_an_option_of_the_command_line(hint: str) -> None:
    assert " -" not in in_window(hint)


def test_an_option_becomes_the_place_where_the_window_has_it() -> None:
    assert in_window("Replace it with --overwrite, or choose another place with -o.") == (
        "Replace it by ticking Replace what is there, or choose another place under Where to."
    )
    assert in_window("Give it with --custom-ops LIB.") == "Give it under The graph."
    assert in_window("Say which by --graph.") == "Say which by --graph."
    assert in_window("It is well-known.") == "It is well-known."
