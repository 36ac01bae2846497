"""The releases of ONNX Runtime at hand, each of which can be asked for a child process.

`at_hand` starts nothing and is quick; `look_around` starts every interpreter that it finds.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from ortstudio.errors import MissingError, RefusedError, StudioError, UsageError, Where
from ortstudio.jobs.helped import python_child
from ortstudio.jobs.remote import address, remote_child
from ortstudio.services.paths import is_file, is_folder
from ortstudio.services.runtimes import search, store
from ortstudio.services.runtimes.runtime import (
    Kind,
    Runtime,
    free_name,
    is_there,
    probed,
    version_key,
)
from ortstudio.services.runtimes.store import Places, Remembered

__all__ = [
    "Kind",
    "Places",
    "Runtime",
    "add",
    "at_hand",
    "find",
    "look_around",
    "of_release",
    "own",
    "remove",
]

OWN = "own"
SSH = "ssh://"
_PACKAGES = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino")
_PROBES_AT_ONCE = 4


def at_hand(places: Places | None = None) -> list[Runtime]:
    """All that we know of and that is still there: our own first, then by release.

    Starts nothing. Of our own it says the release alone, unless `look_around` has asked it.
    """
    places = places or Places()
    remembered = [runtime for runtime in store.load(places).runtimes if is_there(runtime)]
    others = [runtime for runtime in remembered if runtime.kind is not Kind.OWN]
    mine = own(remembered)
    known = [*store.installed(places), *others]
    return _named([mine, *known] if mine.onnxruntime else known)


def find(name: str, places: Places | None = None) -> Runtime:
    """The runtime of that name or release, or under the interpreter of that path.

    Raises UsageError where there is none. A path that is not remembered is probed.
    """
    known = at_hand(places)
    for wanted in (
        [runtime for runtime in known if runtime.name == name.replace(":", "-")],
        [runtime for runtime in known if runtime.where == name],
        [runtime for runtime in known if runtime.onnxruntime == name and runtime.kind.is_python],
    ):
        if wanted:
            return wanted[0]
    if name.startswith(SSH):
        return probed(name, Kind.SSH, name, remote_child(name))
    if os.sep in name:
        path = str(_interpreter(name))
        return probed(name, Kind.GIVEN, path, python_child(path))
    names = ", ".join(runtime.name for runtime in known) or "none"
    raise UsageError(
        f"There is no runtime {name!r} at hand, but {names}",
        hint="See `ortstudio runtimes`; `ortstudio runtimes install` brings a release.",
    )


def of_release(release: str, places: Places | None = None) -> Runtime | None:
    """A runtime under Python of just this release; None where none is at hand."""
    known = (runtime for runtime in at_hand(places) if runtime.kind.is_python)
    return next((runtime for runtime in known if runtime.onnxruntime == release), None)


def look_around(
    places: Places | None = None,
    *,
    on_progress: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> list[Runtime]:
    """Find interpreters with onnxruntime, and remember them. Blocks for some seconds.

    `on_progress` hears of each interpreter that is asked. Those that were asked before and have not
    changed are not asked again.
    """
    places = places or Places()
    remembered = store.load(places)
    known = {runtime.where: runtime for runtime in remembered.runtimes}
    paths = dict.fromkeys([sys.executable, *known, *search.candidates()])
    with ThreadPoolExecutor(_PROBES_AT_ONCE) as pool:

        def ask(path: str) -> Runtime | None:
            runtime = known.get(path)
            if (runtime and is_there(runtime)) or (cancelled and cancelled()):
                return runtime
            if on_progress:
                on_progress(path)
            return _asked(path, runtime)

        wanted = [path for path in paths if path not in remembered.hidden]
        answers = [runtime for runtime in pool.map(ask, wanted) if runtime is not None]
    _remember(answers, remembered.hidden, places)
    return at_hand(places)


def _asked(path: str, before: Runtime | None) -> Runtime | None:
    """What an interpreter has; `before` is what it had."""
    kind = Kind.OWN if path == sys.executable else before.kind if before else Kind.FOUND
    with suppress(StudioError):
        return probed("", kind, path, python_child(path))
    return None


def add(
    place: str, places: Places | None = None, *, cancelled: Callable[[], bool] | None = None
) -> Runtime:
    """Take in an interpreter, an environment or another machine that the user names.

    Raises MissingError where there is none, RefusedError or JobError where it has no onnxruntime.
    """
    places = places or Places()
    if place.startswith(SSH):
        path = place
        runtime = probed(address(place).name, Kind.SSH, path, remote_child(place), cancelled)
    else:
        path = str(_interpreter(place))
        runtime = probed("", Kind.GIVEN, path, python_child(path), cancelled)
    for known in at_hand(places):
        is_same = known.package == runtime.package and known.kind is not Kind.FOUND
        if is_same and Kind.SSH not in (known.kind, runtime.kind):
            return known
    remembered = store.load(places)
    others = [known for known in remembered.runtimes if known.where != path]
    hidden = tuple(name for name in remembered.hidden if name != path)
    if not _remember([*others, runtime], hidden, places):
        raise RefusedError(
            "It cannot be remembered, since nothing can be written here",
            where=Where(str(places.file)),
            hint="It can be used all the same, by its path: --runtime PATH.",
        )
    return next(known for known in at_hand(places) if known.where == path)


def remove(name: str, places: Places | None = None) -> Runtime:
    """Delete a runtime that was installed, and forget one that was not. Gives what it was."""
    places = places or Places()
    runtime = find(name, places)
    if runtime.kind is Kind.OWN:
        raise RefusedError("This is the release that ORT Studio itself was installed with")
    if Path(runtime.where).is_relative_to(places.folder):
        _delete(places.folder / runtime.name)
        return runtime
    remembered = store.load(places)
    others = tuple(known for known in remembered.runtimes if known.where != runtime.where)
    store.save(Remembered(others, (*remembered.hidden, runtime.where)), places)
    return runtime


def own(remembered: Iterable[Runtime] = ()) -> Runtime:
    """What our own interpreter has. Its release is empty where it has none that pip knows of."""
    plain = Runtime(OWN, Kind.OWN, sys.executable, _own_release())
    for runtime in remembered:
        known = runtime.kind, runtime.where, runtime.onnxruntime
        if known == (plain.kind, plain.where, plain.onnxruntime):
            return replace(runtime, name=OWN)
    return plain


@cache
def _own_release() -> str:
    """By what pip installed; slow the first time."""
    from importlib import metadata  # Late: the window starts without it.

    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(package)
    return ""


def _remember(runtimes: Iterable[Runtime], hidden: tuple[str, ...], places: Places) -> bool:
    """Save them under names that are free, those that have one keeping it."""
    taken = {OWN, *(runtime.name for runtime in store.installed(places))}
    return store.save(Remembered(tuple(_named(runtimes, taken)), hidden), places)


def _named(runtimes: Iterable[Runtime], taken: Iterable[str] = ()) -> list[Runtime]:
    """Each package once, in the order of releases, and under a name of its own."""
    names, packages = set(taken), set[str]()
    found: list[Runtime] = []
    for runtime in sorted(runtimes, key=lambda runtime: not runtime.name):
        # A file of another machine may have the name of one of ours.
        package = runtime.where if runtime.kind is Kind.SSH else runtime.package
        if package and package in packages:
            continue
        packages.add(package)
        name = runtime.name
        if not name or name in names:
            name = free_name(runtime.onnxruntime, runtime.python, names)
        names.add(name)
        found.append(replace(runtime, name=name))
    return sorted(found, key=lambda one: (one.kind is not Kind.OWN, version_key(one.onnxruntime)))


def _interpreter(place: str) -> Path:
    """The interpreter that a path, a folder or a command means. Raises MissingError."""
    path = Path(place).expanduser()
    if is_folder(path):
        found = search.python_in(path)
    elif is_file(path):
        found = path
    else:
        command = shutil.which(place)
        found = Path(command) if command else None
    if found is None:
        raise MissingError(
            "There is no Python interpreter here",
            where=Where(place),
            hint="Name an interpreter, or the folder of a virtual environment.",
        )
    return found.absolute()


def _delete(folder: Path) -> None:
    """Take the name away first, so that what is half deleted is never listed."""
    from ortstudio.services.hidden import hidden_path

    leaving = hidden_path(folder.parent)
    try:
        folder.rename(leaving)
    except OSError as error:
        raise RefusedError(
            f"It cannot be removed: {error.strerror or error}", where=Where(str(folder))
        ) from None
    shutil.rmtree(leaving, ignore_errors=True)
