"""`get` {name, offset, size}: give a piece of a file, as Base64, and the size of the whole."""

import base64
import os

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Fewer bytes than were asked for are the last ones."""
    with failing("files"):
        path = work.files.path(arguments["name"])
        with open(path, "rb") as file:
            file.seek(arguments["offset"])
            data = file.read(arguments["size"])
        return {"data": base64.b64encode(data).decode(), "total": os.path.getsize(path)}
