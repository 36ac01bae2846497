"""`convert` {session, output}: load a model and have the runtime save what it made of it."""

from ortstudio_agent.channel import Json
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Gives the release that wrote it."""
    work.sessions.forget()
    work.progress("convert")
    work.sessions.open(arguments["session"], arguments["output"])
    return {"onnxruntime": import_runtime().__version__}
