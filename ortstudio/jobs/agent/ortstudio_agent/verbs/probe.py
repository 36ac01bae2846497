"""`probe` {}: what this interpreter has to offer."""

import platform
import sys

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.runtime import import_runtime
from ortstudio_agent.work import Work


def serve(_work: Work, _arguments: Json) -> Json:
    """Releases and providers."""
    ort = import_runtime()
    with failing("import"):
        import numpy as np

        build = getattr(ort, "get_build_info", None)
        return {
            "onnxruntime": ort.__version__,
            "package": ort.__file__,
            "providers": ort.get_available_providers(),
            "build_info": build() if build else "",
            "numpy": np.__version__,
            "python": platform.python_version(),
            "executable": sys.executable,
            "platform": platform.platform(),
        }
