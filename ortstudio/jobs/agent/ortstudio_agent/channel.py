"""The two ways between us and the parent: what we say, and that we are to stop."""

import contextlib
import json
import os
from typing import Any, Callable, Dict, Iterator, Optional

PROTOCOL = 1

Json = Dict[str, Any]
"""An object of the protocol: a request's arguments, a result, or a part of them."""


class Channel:
    """The way to the parent: a private duplicate of stdout, which itself now leads to stderr.

    Native libraries print to descriptor 1 as they like.
    """

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self._file.write(b"\n")  # Ends what was printed before us, if it ended without a newline.

    def say(self, message_type: str, **fields: Any) -> None:
        """Write one message."""
        try:
            self._file.write(json.dumps(dict(fields, type=message_type)).encode() + b"\n")
            self._file.flush()
        except OSError:
            os._exit(0)  # Nobody listens any more.


class Stop:
    """Whether the parent closed stdin, and how the work that goes on can be interrupted."""

    def __init__(self) -> None:
        self.requested = False
        self._interrupt: Optional[Callable[[], None]] = None

    def request(self) -> None:
        """Stop, as soon as the work lets itself be stopped."""
        self.requested = True
        interrupt = self._interrupt
        if interrupt:
            interrupt()

    @contextlib.contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Inside, `interrupt` is what ends the work early."""
        self._interrupt = interrupt
        try:
            if self.requested:
                interrupt()
            yield
        finally:
            self._interrupt = None
