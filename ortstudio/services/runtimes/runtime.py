"""One release of ONNX Runtime at hand: what it is, and a child process that runs under it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ortstudio.errors import JobError, RefusedError, Where
from ortstudio.jobs.helped import node_child, python_child
from ortstudio.jobs.remote import remote_child
from ortstudio.jobs.runner import Child, Ending, Outcome
from ortstudio.services.conversion import CancelledError

PROBE_S = 60.0


class Kind(Enum):
    """How it came to be at hand."""

    OWN = "own"
    INSTALLED = "installed"
    GIVEN = "given"
    FOUND = "found"
    NODE = "node"
    WEB = "web"
    SSH = "ssh"

    @property
    def is_python(self) -> bool:
        """Whether the whole protocol is spoken, conversion too."""
        return self not in (Kind.NODE, Kind.WEB)


@dataclass(frozen=True, slots=True)
class Runtime:
    """A release at hand.

    `where` is its interpreter, the folder of what runs under Node, or an address. `package` is the
    file that is imported there, and `stamp` when that was changed. These, `providers` and what
    describes the surroundings are empty until it was asked.
    """

    name: str
    kind: Kind
    where: str
    onnxruntime: str
    providers: tuple[str, ...] = ()
    build_info: str = ""
    numpy: str = ""
    python: str = ""
    platform: str = ""
    package: str = ""
    stamp: str = ""

    @property
    def minor(self) -> int:
        """16 for 1.16.3; 0 where the release does not look like one of ours."""
        found = re.match(r"1\.(\d+)", self.onnxruntime)
        return int(found[1]) if found else 0

    def child(self, *, memory_bytes: int | None = None) -> Child:
        """A child process under this release, not yet started."""
        child = self._child(memory_bytes)
        child.release = self.release
        return child

    @property
    def release(self) -> str:
        """What tells it from the others, and from itself once it was renewed: `own 1.32.0`."""
        return f"{self.name} {self.onnxruntime}"

    def _child(self, memory_bytes: int | None) -> Child:
        if self.kind is Kind.SSH:
            return remote_child(self.where)
        if self.kind.is_python:
            return python_child(self.where, memory_bytes=memory_bytes)
        return node_child(self.kind.value, self.where)

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        return {
            "name": self.name,
            "kind": self.kind.value,
            "onnxruntime": self.onnxruntime,
            "providers": list(self.providers),
            "where": self.where,
            "python": self.python,
            "numpy": self.numpy,
            "platform": self.platform,
            "build_info": self.build_info,
        }


def version_key(release: str) -> tuple[int, ...]:
    """For sorting: `1.16.3` → (1, 16, 3)."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:3])


def probed(
    name: str,
    kind: Kind,
    where: str,
    child: Child,
    cancelled: Callable[[], bool] | None = None,
) -> Runtime:
    """Ask a child what it has to offer. Raises JobError or RefusedError where it has nothing."""
    with child:
        outcome = child.ask("probe", {}, timeout_s=PROBE_S, cancelled=cancelled)
    if outcome.ending is Ending.CANCELLED:
        raise CancelledError("Asking the interpreter was cancelled")
    if not outcome.ok:
        raise _probe_error(outcome, where)
    value, providers = outcome.value, outcome.value.get("providers")
    package = str(value.get("package", ""))
    return Runtime(
        name,
        kind,
        where,
        onnxruntime=str(value.get("onnxruntime", "")),
        providers=tuple(map(str, providers)) if isinstance(providers, list) else (),
        build_info=str(value.get("build_info", "")),
        numpy=str(value.get("numpy", "")),
        python=str(value.get("python", "")),
        platform=str(value.get("platform", "")),
        package=package,
        stamp=_stamp(package),
    )


def _probe_error(outcome: Outcome, where: str) -> JobError | RefusedError:
    if outcome.failure and outcome.failure.kind == "import":
        return RefusedError(
            f"onnxruntime cannot be imported here: {outcome.failure.message}",
            where=Where(where),
            hint="Install it there with pip, or name another interpreter.",
        )
    if outcome.ending is Ending.NOT_STARTED:
        return JobError(f"The interpreter {outcome.words}", where=Where(where))
    if where.startswith("ssh://") and outcome.failure is None:
        return JobError(f"This machine cannot be used, it {outcome.words}", where=Where(where))
    return outcome.error("Asking what this interpreter has", Where(where))


def free_name(release: str, python: str, taken: set[str]) -> str:
    """`1.16.3`; where that is taken `1.16.3-py310`, then `1.16.3-py310-2`."""
    major_minor = "".join(python.split(".")[:2])
    names = [release, f"{release}-py{major_minor}"]
    names += [f"{names[1]}-{number}" for number in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)


def is_there(runtime: Runtime) -> bool:
    """Whether what was found once is still there, and still the same release.

    Other machines are not asked: only their use shows it.
    """
    if runtime.kind is Kind.SSH:
        return True
    return Path(runtime.where).exists() and runtime.stamp == _stamp(runtime.package)


def _stamp(package: str) -> str:
    """Changes with an installation of another release."""
    try:
        return str(Path(package).stat().st_mtime_ns) if package else ""
    except OSError:
        return "gone"
