"""Which attributes have a default value."""

from __future__ import annotations

import subprocess
import sys

from ortstudio.analysis.pairing.defaults import Defaults
from tests.builders.knowledge import RESOURCES
from tests.unit.analysis.pairing.everywhere import attribute_defaults


def test_the_file_is_what_the_schemas_say() -> None:
    script = RESOURCES / "make_attribute_defaults.py"
    found = subprocess.run([sys.executable, script, "--check"], check=False)
    assert found.returncode == 0


def test_text_is_bytes_as_the_files_hold_it() -> None:
    assert attribute_defaults().of("", "Conv", 11) == {"auto_pad": b"NOTSET", "group": 1}


def test_a_version_has_the_defaults_of_the_last_change_before_it() -> None:
    defaults = attribute_defaults()
    assert defaults.of("ai.onnx", "Softmax", 1) == {"axis": 1}
    assert defaults.of("", "Softmax", 11) == {"axis": 1}
    assert defaults.of("", "Softmax", 13) == {"axis": -1}


def test_a_version_that_is_not_known_counts_as_the_newest() -> None:
    assert attribute_defaults().of("", "Softmax", 0) == {"axis": -1}


def test_an_operator_that_is_not_known_has_none() -> None:
    assert attribute_defaults().of("my.ops", "Softmax", 1) == {}
    assert Defaults({}).of("", "Conv", 11) == {}
