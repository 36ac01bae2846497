"""What became of a model: two read models in, all that they differ in out."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import cast

from ortstudio.analysis.pairing.compare import compare
from ortstudio.analysis.pairing.defaults import DefaultData, Defaults
from ortstudio.analysis.pairing.rows import Diff
from ortstudio.model.model import Model
from ortstudio.services import resources
from ortstudio.services.contents import FileContents


def compare_models(a: Model, b: Model, on_read: Callable[[int], None] = lambda _size: None) -> Diff:
    """Compare two models. Blocks while all constants are read; `on_read` is told how many bytes.

    What `on_read` raises ends the work.
    """
    return compare(a, b, contents=FileContents((a, b), on_read), defaults=attribute_defaults())


@cache
def attribute_defaults() -> Defaults:
    """The defaults of all operators. Raises MissingError where the program lacks its resources."""
    parsed = json.loads(resources.find("attribute_defaults.json").read_bytes())
    return Defaults(cast(DefaultData, parsed))
