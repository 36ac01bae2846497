"""`gather-weights` {model, folder}: take the external weights of an ONNX model into its file.

`folder` is where they are; the model may lie elsewhere. Needs the package `onnx`.
"""

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Gives the package's release."""
    with failing("import"):
        import onnx
        from onnx import external_data_helper
    work.progress("convert")
    with failing("gather-weights"):
        model = onnx.load(arguments["model"], load_external_data=False)
        external_data_helper.load_external_data_for_model(model, arguments["folder"])
        onnx.save(model, arguments["model"])
    return {"onnx": onnx.__version__}
