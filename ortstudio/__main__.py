"""Starts what was asked for: a verb of the command line, or the window."""

from __future__ import annotations

import atexit
import signal
import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """The program; gives its exit code. Neither face waits for the imports of the other."""
    # What is done by then stays done: else an interrupt while Python clears up takes the exit code.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return command_line(arguments) if arguments else window([])
    except KeyboardInterrupt:
        # It came while modules were imported.
        from ortstudio.errors import CANCELLED

        return CANCELLED


def command_line(arguments: list[str]) -> int:
    """A verb, or files for the window."""
    from ortstudio.cli.main import VERBS, Verb, main

    verbs = (
        *VERBS,
        Verb("render", "the graph as a picture, .svg or .png", "ortstudio.ui.render"),
        Verb("screenshot", "a picture of the window", "ortstudio.ui.screenshot"),
    )
    first = arguments[0]
    if first.startswith("-") or first in {verb.name for verb in verbs} or _is_meant_as_verb(first):
        return main(arguments, verbs)
    return window(arguments)


def _is_meant_as_verb(word: str) -> bool:
    """Whether a word that is no verb is no file's name either."""
    return word.isalpha() and not Path(word).exists()


def window(paths: list[str]) -> int:
    """The window, on these files."""
    from ortstudio.ui import display

    if display.is_missing():
        return _without_display()
    if paths:
        load_ahead()
    from ortstudio.ui.app import main

    return main(paths)


def _without_display() -> int:
    from ortstudio.cli.output import complain
    from ortstudio.errors import RefusedError

    hint = "See ortstudio --help for what works without, such as ortstudio screenshot."
    error = RefusedError("There is no display to open the window on", hint=hint)
    complain(error)
    return error.exit_code


def load_ahead() -> None:
    """Load what reading a model takes before Qt, which looks into all that is loaded after it."""
    import ortstudio.analysis.layout
    import ortstudio.services.arrivals
    import ortstudio.services.describe  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
