"""The program of the child process, which speaks what `ortstudio/jobs/protocol.py` describes.

It imports nothing of ortstudio, since the interpreter may be somebody else's and old: the syntax is
that of Python 3.6, and only the standard library, numpy and onnxruntime are used, the last two once
a request needs them. A verb that needs more imports it when it is asked, and fails with the kind
`import` where it is not there. What both sides must know (the protocol's number, the description of
values) is repeated here.

Each module of `verbs` serves one verb by `serve(work, arguments)` and says what it takes and gives;
`worker.VERBS` names them. The package has a name of its own, and its folder holds nothing else, so
that it shadows no module of the interpreter.
"""

import time

STARTED = time.perf_counter()
"""From here on modules are imported, until there is a worker."""
