"""Make `.venv` ready: ORT Studio from this checkout, its tools, and the system libraries of Qt.

`make setup` runs this under whatever Python the machine has, so it uses the standard library only.
A stamp in `.venv` tells what it was made from; as long as that is unchanged, nothing is done.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "prepared"
PINS = "constraints.txt"
PINS_310 = "packaging/constraints-py310.txt"  # the last releases that run on Python 3.10
MADE_FROM = ("pyproject.toml", PINS, PINS_310, "packaging/prepare.py")

OLDEST = (3, 10)

# Found by starting the window in an empty Debian: even without a display Qt links EGL and GL.
LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
    # From here on: what a window on an X display needs as well.
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
FONT_PACKAGE = "fonts-dejavu-core"
# A virtual display: tests that want a real X server use it where it is.
TEST_TOOLS = {"Xvfb": "xvfb", "xauth": "xauth"}


def main() -> int:
    """Do what is still to be done; the exit code is 0 when the environment is ready."""
    if sys.version_info < OLDEST:
        return refuse(
            f"Python {dotted(sys.version_info)} is too old, it takes {dotted(OLDEST)} or newer.",
            "Name a newer one: make setup PYTHON=python3.12",
        )
    if sys.platform == "linux":
        prepare_system()
    if not is_usable(PYTHON) and not make_environment():
        return 1
    made_from = fingerprint()
    if not (STAMP.is_file() and STAMP.read_text() == made_from):
        if not install():
            return refuse("pip could not install what ORT Studio needs; its reason stands above.")
        STAMP.write_text(made_from)
    return 0


def prepare_system() -> None:
    """Install the system libraries that are missing, or say how to."""
    libraries = [name for name in LIBRARIES if not can_load(name)]
    packages = [LIBRARIES[name] for name in libraries]
    if not has_font():
        packages.append(FONT_PACKAGE)
    if can_install():
        packages += [package for tool, package in TEST_TOOLS.items() if not shutil.which(tool)]
        if not packages or apt_install(packages):
            return
    if packages:
        say("The window needs system packages that are missing. Install them with:")
        say("    " + install_command(packages, libraries))


def can_load(library: str) -> bool:
    """Whether the dynamic linker finds the library and all that it links to."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Whether there is any font: without one every letter is a box."""
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(next(folder.rglob("*.[to]t[fc]"), None) for folder in folders if folder.is_dir())


def can_install() -> bool:
    """Whether this is a Debian, or one of its kin, and we are root."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages without a question; False where that failed."""
    say("Installing system packages: " + " ".join(packages))
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"]
    install = [*apt, "install", "-y", "--no-install-recommends", *packages]
    # A list that could not be fetched anew may still do, so only the second command decides.
    subprocess.run([*apt, "update"], env=quiet, check=False)
    return subprocess.run(install, env=quiet, check=False).returncode == 0


def install_command(packages: list[str], libraries: list[str]) -> str:
    """What to type: Debian's packages by name, elsewhere whatever provides the libraries."""
    if shutil.which("apt-get"):
        return "sudo apt-get install " + " ".join(packages)
    if shutil.which("dnf"):
        fonts = ["dejavu-sans-fonts"] if FONT_PACKAGE in packages else []
        return "sudo dnf install " + " ".join([f"'{name}()(64bit)'" for name in libraries] + fonts)
    fonts = ["a TrueType font"] if FONT_PACKAGE in packages else []
    return "your package manager: " + ", ".join(libraries + fonts)


def is_usable(python: Path) -> bool:
    """Whether the environment's interpreter is there and starts."""
    try:
        return subprocess.run([python, "-c", ""], check=False).returncode == 0
    except OSError:
        return False


def make_environment() -> bool:
    """Make `.venv` anew; where Debian keeps venv apart, fetch it or say how to."""
    package = f"python{dotted(sys.version_info)}-venv"
    if importlib.util.find_spec("ensurepip") is None and not (
        sys.platform == "linux" and can_install() and apt_install([package])
    ):
        refuse(
            "This Python cannot make virtual environments.",
            f"On Debian and Ubuntu this helps: sudo apt-get install {package}",
        )
        return False
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    return subprocess.run(command, check=False).returncode == 0


def install() -> bool:
    """Install this checkout, editable, and its tools at the pinned versions."""
    say("Installing ORT Studio and its tools into .venv")
    # The environment's version: it may be older than the Python that runs this.
    ask = [str(PYTHON), "-c", "import sys; print(*sys.version_info[:2], sep='.')"]
    version = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    pins = PINS_310 if version == dotted(OLDEST) else PINS
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    pip += ["-c", pins]
    # The build tool first, so that it is the pinned one and stays at hand for `make package`.
    steps = ([*pip, "hatchling"], [*pip, "--no-build-isolation", "-e", ".[dev]"])
    return all(subprocess.run(step, cwd=ROOT, check=False).returncode == 0 for step in steps)


def fingerprint() -> str:
    """What the environment is made from, its own place included: scripts in it name that."""
    digest = hashlib.sha256(str(ROOT).encode())
    for name in MADE_FROM:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def dotted(version: tuple[object, ...]) -> str:
    """The first two numbers of a version."""
    return ".".join(str(part) for part in version[:2])


def say(line: str) -> None:
    """Tell the user at once, also where a child writes to the same place."""
    print(line, flush=True)


def refuse(*lines: str) -> int:
    """Say why it cannot be done."""
    for line in lines:
        print(line, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
