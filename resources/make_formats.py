"""Makes `formats/`: a model of one node, and what a release of each ORT format version makes of it.

The releases must be at hand: `ortstudio runtimes install 1.5.2`, and so on.
"""

from __future__ import annotations

import sys
from pathlib import Path

from onnx import TensorProto, helper

from ortstudio.model.model import FileKind
from ortstudio.services import runtimes
from ortstudio.services.sessions import Level, Session, Style, saving_config

FOLDER = Path(__file__).parent / "formats"
WRITERS = {1: "1.5.2", 2: "1.6.0", 3: "1.7.0", 4: "1.12.1", 5: "1.14.1", 6: "1.16.3"}


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    source = FOLDER / "source.onnx"
    source.write_bytes(model())
    config = saving_config(Style.FIXED)
    session = Session(str(source), FileKind.ONNX, Level.DISABLE, config).to_json()
    for version, release in WRITERS.items():
        runtime = runtimes.find(release)
        with runtime.child() as child:
            output = str(FOLDER / f"v{version}.ort")
            outcome = child.ask("convert", {"session": session, "output": output})
        if not outcome.ok:
            sys.exit(f"{release}: {outcome.words}")


def model() -> bytes:
    """Of the oldest operator set and IR version that matter, so that every release takes it.

    The node has an attribute: of files without, 1.5.2 crashes on its own.
    """
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    node = helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5)
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    imports = [helper.make_opsetid("", 7)]
    made: bytes = helper.make_model(graph, opset_imports=imports, ir_version=3).SerializeToString()
    return made


if __name__ == "__main__":
    main()
