"""How a request fails."""

import contextlib
from typing import Iterator


class FailedError(Exception):
    """A request failed; `kind` says at what, the cause is the exception behind it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@contextlib.contextmanager
def failing(kind: str) -> Iterator[None]:
    """Any exception inside becomes a failure of this kind."""
    try:
        yield
    except FailedError:
        raise
    except MemoryError as error:
        raise FailedError("memory", str(error) or "out of memory") from error
    except Exception as error:
        raise FailedError(kind, str(error) or type(error).__name__) from error
