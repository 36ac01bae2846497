"""What to do next, where the services say it by options of the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WAYS = {
    "-o": "under Where to",
    "--overwrite": "by ticking Replace what is there",
    "--custom-ops": "under The graph",
    "--opset": "under The graph",
    "--no-verify": "with the verification switched off",
    "--inputs": "under Verification",
    "--dim": "under Sizes and ranges",
    "--fix-dim": "under Sizes and ranges",
    "--range": "under Sizes and ranges",
    "--level": "under Level",
    "--style": "under Style",
    "--target": "under Target",
    "--resume": "by ticking Skip what an earlier run finished",
    "--keep-going": "under Several models",
    "--jobs": "under Several models",
    "--memory": "under Several models",
}
_OPTION = re.compile(r"(?:(?:with|by) )?(--?[a-z][a-z-]*)(?: [A-Z]+)?(?=[\s,.;)]|$)")


def in_window(hint: str, ways: Mapping[str, str] = _WAYS) -> str:
    """The hint with the place in the window for each option that has one; `ways` says where."""
    return _OPTION.sub(lambda found: ways.get(found[1], found[0]), hint)
