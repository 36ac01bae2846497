"""One request, as the verb that serves it sees it."""

from ortstudio_agent.channel import Channel, Stop
from ortstudio_agent.files import Files
from ortstudio_agent.sessions import Sessions


class Work:
    """What a verb is given beside its arguments: how to speak, what to keep, when to stop."""

    def __init__(
        self,
        number: int,
        channel: Channel,
        stop: Stop,
        sessions: Sessions,
        files: Files,
        imports_s: float,
    ) -> None:
        self._number = number
        self._channel = channel
        self.stop = stop
        self.sessions = sessions
        self.files = files
        self.imports_s = imports_s
        """Seconds that the imports of this program took."""

    def progress(self, phase: str, done: int = 0, total: int = 1) -> None:
        """Say how far the request is."""
        self._channel.say("progress", request=self._number, phase=phase, done=done, total=total)

    def log(self, text: str) -> None:
        """Make a remark on the way."""
        self._channel.say("log", request=self._number, text=text)
