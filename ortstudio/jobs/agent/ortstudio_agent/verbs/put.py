"""`put` {name, offset, data}: take a piece of a file, as Base64; gives the file's path here."""

import base64

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """The first piece, at 0, begins the file anew."""
    with failing("files"):
        path = work.files.path(arguments["name"])
        with open(path, "r+b" if arguments["offset"] else "wb") as file:
            file.seek(arguments["offset"])
            file.write(base64.b64decode(arguments["data"]))
    return {"path": path}
