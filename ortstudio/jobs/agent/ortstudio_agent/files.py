"""Files that the parent sends where it has no disk in common with us."""

import os
import shutil
import tempfile
from typing import Optional


class Files:
    """A temporary folder, made when it is first needed and removed at the end."""

    def __init__(self) -> None:
        self._folder: Optional[str] = None

    def path(self, name: str) -> str:
        """The path of a file in it. Raises ValueError for a name that leads elsewhere."""
        if not name or os.path.basename(name) != name or name in (".", ".."):
            raise ValueError("not the name of a file: " + repr(name))
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="ortstudio-")
        return os.path.join(self._folder, name)

    def remove(self) -> None:
        """Remove all that was sent and made."""
        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
