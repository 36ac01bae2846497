"""Where the program keeps what is its own: settings and caches, by each system's custom."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "ortstudio"


def config_folder() -> Path:
    """Where settings are kept. It need not exist, and may not be writable."""
    return _folder("XDG_CONFIG_HOME", ".config", "APPDATA", "Library/Application Support")


def data_folder() -> Path:
    """Where what the user had us fetch is kept. It need not exist, and may not be writable."""
    return _folder("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA", "Library/Application Support")


def cache_folder() -> Path:
    """A writable folder for what can be made again; a temporary one where the usual is not."""
    usual = _folder("XDG_CACHE_HOME", ".cache", "LOCALAPPDATA", "Library/Caches")
    try:
        usual.mkdir(parents=True, exist_ok=True)
        if os.access(usual, os.W_OK):
            return usual
    except OSError:
        pass
    import tempfile  # Late: it takes longer to load than the window has.

    fallback = Path(tempfile.gettempdir()) / f"{NAME}-{_user()}"
    try:
        fallback.mkdir(mode=0o700, exist_ok=True)
        if _is_mine(fallback):
            return fallback
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix=f"{NAME}-"))


def _folder(variable: str, unix: str, windows: str, mac: str) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get(windows) or Path.home()) / NAME
    if os.environ.get(variable):
        return Path(os.environ[variable]) / NAME
    home = os.environ.get("HOME") or "/nonexistent"
    return Path(home, mac if sys.platform == "darwin" else unix, NAME)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def _is_mine(folder: Path) -> bool:
    """Nobody else may have put the folder there: what lies in it would be trusted."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.lstat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022
