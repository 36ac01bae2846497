"""Installs onnxruntime-node and onnxruntime-web (WebAssembly) by npm."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ortstudio.errors import RefusedError, UsageError
from ortstudio.jobs.helped import node_child
from ortstudio.services.runtimes import store
from ortstudio.services.runtimes.installer import Installer, failed, settled
from ortstudio.services.runtimes.runtime import Kind, Runtime, probed

_NO_PACKAGE = re.compile(r"\bE404\b|\bETARGET\b|\bENOVERSIONS\b")


def install_package(kind: Kind, release: str, installer: Installer) -> Runtime:
    """Install a release for Node. Its scripts, which would fetch more from elsewhere, do not run.

    Raises RefusedError where there is no npm or no such package, JobError where npm fails.
    """
    name, package = f"{kind.value}-{release}", f"onnxruntime-{kind.value}@{release}"
    for known in store.installed(installer.places):
        if known.name == name:
            return known
    if installer.wheels:
        raise UsageError("Wheels are for Python: packages for Node come from npm's registry")
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise RefusedError(
            "There is no npm here, which brings ONNX Runtime for Node",
            hint="Install Node.js, which npm comes with.",
        )

    def make(folder: Path) -> Runtime:
        _fetch(npm, package, folder, installer)
        installer.report("try")
        return probed(name, kind, str(folder), node_child(kind.value, str(folder)))

    return settled(name, make, installer)


def _fetch(npm: str, package: str, folder: Path, installer: Installer) -> None:
    installer.report("fetch", package)
    # Without a manifest of its own, npm would look for one in the folders above.
    (folder / "package.json").write_text('{"private": true}\n')
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = installer.run([npm, "install", *options, f"--prefix={folder}", package], "fetch")
    if done.code != 0:
        if _NO_PACKAGE.search(done.text):
            raise RefusedError(f"There is no {package} in npm's registry")
        raise failed("npm", done, npm)
