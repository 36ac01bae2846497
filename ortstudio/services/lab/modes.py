"""The ways in which a model can be brought into a session, each with what it is good for."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.model.model import FileKind
from ortstudio.services.sessions import Level
from ortstudio.services.snippet.loading import Loading, Way

MAPPED = "session.use_memory_mapped_ort_model"
DIRECTLY = "session.use_ort_model_bytes_directly"
IN_PLACE = "session.use_ort_model_bytes_for_initializers"
NO_PREPACKING = "session.disable_prepacking"


@dataclass(frozen=True, slots=True)
class Mode:
    """One way of loading.

    `how` is the way that the child process takes (`path`, `bytes`, `c-path`, `c-bytes` or
    `c-mapped`); `loading` says the same to whoever writes code for it. `level` None is the
    subject's own.
    """

    name: str
    title: str
    why: str
    how: str
    loading: Loading
    level: Level | None = None

    @property
    def native(self) -> bool:
        """Whether it takes the C API."""
        return self.how.startswith("c-")

    def config(self) -> dict[str, str]:
        """The session configuration entries that it is made of."""
        loading = self.loading
        wanted = {
            # An application that maps the file itself hands its bytes over.
            MAPPED: loading.way is Way.MAPPED and not self.native,
            DIRECTLY: loading.directly,
            IN_PLACE: loading.in_place,
            NO_PREPACKING: not loading.prepacking,
        }
        return {key: "1" for key, on in wanted.items() if on}


PATH = Mode(
    "path",
    "from a path",
    "what everybody does: the whole file is read and copied",
    "path",
    Loading(),
)
_ANY_KIND = (
    PATH,
    Mode(
        "bytes",
        "from bytes",
        "what is downloaded or decrypted: the bytes are copied once more",
        "bytes",
        Loading(Way.BYTES),
    ),
    Mode(
        "path-no-prepacking",
        "from a path, weights not repacked",
        "ready sooner and smaller, runs may be slower",
        "path",
        Loading(prepacking=False),
    ),
    Mode(
        "path-level-disable",
        "from a path, nothing optimized at load",
        "what the optimization at load costs, and brings",
        "path",
        Loading(optimized=False),
        Level.DISABLE,
    ),
)
_ORT_ONLY = (
    Mode(
        "mapped",
        "mapped",
        "the system pages the file in; weights are still copied",
        "path",
        Loading(Way.MAPPED),
    ),
    Mode(
        "mapped-in-place",
        "mapped, weights in place",
        "weights stay in the file's pages, but for those that are repacked",
        "path",
        Loading(Way.MAPPED, in_place=True),
    ),
    Mode(
        "mapped-in-place-no-prepacking",
        "mapped, weights in place and not repacked",
        "nothing is copied: pages are read when a run first needs them",
        "path",
        Loading(Way.MAPPED, in_place=True, prepacking=False),
    ),
    Mode(
        "bytes-directly",
        "bytes used directly",
        "saves one copy of the file; weights are copied",
        "bytes",
        Loading(Way.BYTES, directly=True),
    ),
    Mode(
        "bytes-in-place",
        "bytes used directly, weights in place",
        "in Python the bytes are gone when the weights are read: unsafe",
        "bytes",
        Loading(Way.BYTES, directly=True, in_place=True),
    ),
    Mode(
        "c-bytes-in-place",
        "C API: a buffer that is kept, weights in place",
        "what an application in C++ does with bytes that it holds",
        "c-bytes",
        Loading(Way.BYTES, directly=True, in_place=True),
    ),
    Mode(
        "c-mapped-in-place",
        "C API: its own mapping, weights in place and not repacked",
        "what an application in C++ does with a file of its own, in every release",
        "c-mapped",
        Loading(Way.MAPPED, directly=True, in_place=True, prepacking=False),
    ),
)
_C_PATH = Mode(
    "c-path", "C API: from a path", "what the Python package itself costs", "c-path", Loading()
)


def modes(kind: FileKind) -> tuple[Mode, ...]:
    """All that there are for a kind of file, the usual one first."""
    return (*_ANY_KIND, *(_ORT_ONLY if kind is FileKind.ORT else ()), _C_PATH)


def mode(name: str) -> Mode:
    """The way of that name. Raises KeyError where there is none."""
    return {found.name: found for found in modes(FileKind.ORT)}[name]
