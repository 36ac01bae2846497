"""`update-opset` {model, opset, output}: bring an ONNX model to a version of ONNX's operator set.

Needs the package `onnx`, whose converter drops local functions and keeps their calls: they are
inlined first.
"""

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Gives the package's release. The output holds all weights, wherever the model has them."""
    with failing("import"):
        import onnx
        from onnx import inliner, version_converter
    work.progress("update")
    with failing("update-opset"):
        model = onnx.load(arguments["model"])
        if model.functions:
            model = inliner.inline_local_functions(model)
        updated = version_converter.convert_version(model, arguments["opset"])
        onnx.save(updated, arguments["output"])
    return {"onnx": onnx.__version__}
