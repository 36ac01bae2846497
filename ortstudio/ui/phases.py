"""Words on what is being done, on their way from another thread into the window."""

from __future__ import annotations

from collections.abc import Callable

from ortstudio.ui.tasks import Task


class Phases:
    """The newest word of one run; the window hears it as the task's progress."""

    def __init__(self) -> None:
        self.text = ""

    def telling(self, task: Task) -> Callable[[str], None]:
        """What the run tells; called in its thread."""

        def tell(text: str) -> None:
            self.text = f"{text[0].upper()}{text[1:]}…" if text else ""
            task.progress(0, 0)

        return tell
