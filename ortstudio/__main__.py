"""Starts what was asked for: a verb of the command line, or the window."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ortstudio.cli.main import VERBS, Verb
from ortstudio.cli.main import main as command_line

ALL_VERBS = (*VERBS, Verb("screenshot", "a picture of the window", "ortstudio.ui.screenshot"))


def main(argv: Sequence[str] | None = None) -> int:
    """The program; gives its exit code. Qt is imported only where a window is asked for."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    first = arguments[0] if arguments else ""
    if first.startswith("-") or first in {verb.name for verb in ALL_VERBS}:
        return command_line(arguments, ALL_VERBS)
    from ortstudio.ui.app import main as window

    return window(arguments)


if __name__ == "__main__":
    sys.exit(main())
