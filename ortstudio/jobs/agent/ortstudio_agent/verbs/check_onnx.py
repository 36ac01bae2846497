"""`check-onnx` {model}: what ONNX's own checker says of an ONNX model.

Needs the package `onnx`, whose checker is native code that has crashed on odd models.
"""

from ortstudio_agent.channel import Json
from ortstudio_agent.failures import failing
from ortstudio_agent.work import Work


def serve(work: Work, arguments: Json) -> Json:
    """Gives `refusal`, and `inference` where the model is accepted but not all types are inferred.

    Both are its words, empty where it has none.
    """
    with failing("import"):
        from onnx import checker, shape_inference
    work.progress("check")
    refusals = checker.ValidationError, shape_inference.InferenceError, RuntimeError, ValueError

    def words(full: bool) -> str:
        try:
            checker.check_model(arguments["model"], full_check=full)
        except refusals as error:
            return str(error) or type(error).__name__
        return ""

    with failing("check"):
        inference = words(full=True)
        refusal = words(full=False) if inference else ""
    return {"refusal": refusal, "inference": "" if refusal else inference}
