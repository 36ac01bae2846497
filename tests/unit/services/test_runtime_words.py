"""Texts that onnxruntime 1.32.0 really says, shortened in their middle at most."""

from __future__ import annotations

import pytest

from ortstudio.errors import Where
from ortstudio.jobs.protocol import Failure
from ortstudio.jobs.runner import Ending, Outcome
from ortstudio.services.runtime_words import RuntimeRefusedError, child_error, explained, refusal

FAIL = "[ONNXRuntimeError] : 1 : FAIL : "
LOAD = FAIL + "Load model from /models/m.onnx failed:"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            LOAD + "Fatal error: my.ops:BpeLike(-1) is not a registered function/op",
            (
                "The operator BpeLike of domain my.ops is not known: it needs a custom operator"
                " library"
            ),
        ),
        (
            LOAD + "Fatal error: ai.onnx.preview.training:Adam(-1) is not a registered function/op",
            (
                "This build of ONNX Runtime does not have the operator Adam of domain"
                " ai.onnx.preview.training"
            ),
        ),
        (
            (
                "[ONNXRuntimeError] : 10 : INVALID_GRAPH : Load model from m.onnx failed:This is an"
                ' invalid model. In Node, ("", Nope, "", -1) : ("x": tensor(float),) -> ("y":'
                " tensor(float),) , Error No Op registered for Nope with domain_version of 17"
            ),
            "The operator Nope does not exist in version 17 of its operator set",
        ),
        (
            (
                "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for"
                " Identity(23) node with name 'id'"
            ),
            "ONNX Runtime has no code for Identity(23) with the types of node 'id'",
        ),
        (
            LOAD + "/onnxruntime_src/onnxruntime/core/graph/model.cc:256 onnxruntime::Model::Model"
            "(onnx::ModelProto&&, const onnxruntime::PathString&) Unsupported model IR version: 99,"
            " max supported IR version: 14\n",
            "The model has ONNX IR version 99, and this ONNX Runtime knows up to 14",
        ),
        (
            LOAD + "model_load_utils.h:46 void f(bool) ONNX Runtime only *guarantees* support for"
            " models stamped with official released onnx opset versions. Opset 99 is under"
            " development and support for this is limited. Current official support for domain"
            " ai.onnx is till opset 28.\n",
            "The model uses opset 99 of ai.onnx, and this ONNX Runtime knows up to 28",
        ),
        (
            "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : We do not support type [9] for now",
            "The ORT format cannot hold values of optional type",
        ),
        (
            (
                "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Unsupported tensor data type"
                " '<unknown>' for tensor 'w'. Invalid ORT format model."
            ),
            (
                "ONNX Runtime cannot load an ORT-format model with the element type of the tensor"
                " w, though it writes one"
            ),
        ),
        (
            (
                "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Unsupported tensor data type"
                " 'COMPLEX64' for tensor 'w'. Invalid ORT format model."
            ),
            (
                "ONNX Runtime cannot load an ORT-format model with the element type of the tensor"
                " w, COMPLEX64, though it writes one"
            ),
        ),
        (
            FAIL + "Failed to load library /l/fake.so with error: /l/fake.so: file too short",
            "/l/fake.so is not a shared library that this system can load",
        ),
        (
            FAIL + "Failed to load library /l/no.so with error: /l/no.so: cannot open shared object"
            " file: No such file or directory",
            "There is no custom operator library /l/no.so, or a library that it needs is missing",
        ),
        (
            FAIL + "Failed to get symbol RegisterCustomOps with error: /lib/libm.so.6: undefined"
            " symbol: RegisterCustomOps",
            (
                "/lib/libm.so.6 is a shared library, but not one of custom operators: it lacks"
                " RegisterCustomOps"
            ),
        ),
        (
            FAIL + "External data path validation failed for initializer: w. Error:"
            " tensorprotoutils.cc:619 ValidateExternalDataPathFromDir External data path does not"
            ' exist: "/models/missing.bin"',
            "The file that holds weights of the model is missing: /models/missing.bin",
        ),
        (
            FAIL + "Exception during initialization: initializer.cc:51 Initializer(const"
            " onnx::TensorProto&) [ONNXRuntimeError] : 1 : FAIL : tensorprotoutils.cc:2201"
            " GetExtDataFromTensorProto External initializer: w offset: 4 size to read: 8 given"
            " file_length: 3 are out of bounds or can not be read in full.\n",
            "The tensor w needs 8 bytes from byte 4 of its external file, which has 3",
        ),
        (
            FAIL + "inference_session.cc:1171 SaveToOrtFormat Failed to save ORT format model to"
            " file: /none/o.ort",
            "ONNX Runtime could not write the file",
        ),
        (
            LOAD + "This is an invalid model. Type Error: Type 'tensor(string)' of input parameter"
            " (x) of operator (Relu) in node (r) is invalid.",
            "The operator Relu of node 'r' does not take tensor(string) ('x')",
        ),
        ("std::bad_alloc", "There is not enough memory"),
    ],
)
def test_known_texts_are_said_plainly(text: str, message: str) -> None:
    assert explained(text)[0] == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            LOAD + "Node () Op (MatMul) [ShapeInferenceError] Incompatible dimensions for matrix"
            " multiplication",
            (
                "ONNX Runtime refuses: Node () Op (MatMul) [ShapeInferenceError] Incompatible"
                " dimensions for matrix multiplication"
            ),
        ),
        (
            FAIL + "Non-zero status code returned while running Reshape node. Name:'' Status"
            " Message: /onnxruntime_src/onnxruntime/core/providers/cpu/tensor/reshape_helper.h:91"
            " onnxruntime::ReshapeHelper::ReshapeHelper(const onnxruntime::TensorShape&,"
            " onnxruntime::TensorShapeVector&, bool) input_shape_size == requested_shape_size was"
            " false. Input shape:{3}, requested shape:{5,1}\n",
            (
                "ONNX Runtime refuses: Non-zero status code returned while running Reshape node."
                " Name:'' Status Message: input_shape_size == requested_shape_size was false. Input"
                " shape:{3}, requested shape:{5,1}"
            ),
        ),
    ],
)
def test_other_texts_lose_their_codes_and_source_places(text: str, message: str) -> None:
    assert explained(text) == (message, "")


def test_a_refusal_keeps_the_runtimes_own_words() -> None:
    error = refusal("std::bad_alloc", Where("m.onnx"))
    assert (error.kind, error.details, error.exit_code) == ("runtime", "std::bad_alloc", 1)
    assert error.to_json()["details"] == "std::bad_alloc"


def test_what_the_runtime_refuses_is_told_from_what_went_wrong_with_the_child() -> None:
    where = Where("m.onnx")
    failed = Outcome(Ending.FAILED, "failed", failure=Failure(1, "load", "words", "traceback"))
    assert isinstance(child_error(failed, "It", where), RuntimeRefusedError)
    for other in (
        Outcome(Ending.FAILED, "failed", failure=Failure(1, "import", "No module", "traceback")),
        Outcome(Ending.CRASHED, "crashed (SIGSEGV)", stderr="tail"),
    ):
        error = child_error(other, "The conversion", where)
        assert not isinstance(error, RuntimeRefusedError)
        assert error.message.startswith("The conversion failed: ")
        assert error.details in ("traceback", "tail")


@pytest.mark.parametrize("ending", [Ending.CRASHED, Ending.EXITED])
@pytest.mark.parametrize("library", [None, "ops.so"])
def test_a_library_is_suspected_of_a_crash(ending: Ending, library: str | None) -> None:
    error = child_error(Outcome(ending, "crashed"), "It", Where("m.onnx"), library)
    assert str(error.where) == "m.onnx"
    assert error.hint == (
        "The likely cause is the custom operator library ops.so." if library else ""
    )


def test_a_library_is_not_suspected_of_what_the_child_itself_tells() -> None:
    failure = Failure(1, "request", "x is missing")
    error = child_error(Outcome(Ending.FAILED, "failed", failure=failure), "It", Where(), "ops.so")
    assert error.hint == ""
