"""Shared libraries in C, where the machine has a compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.builders.toolchains import program

SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

RETURNS_NOTHING = """
void *RegisterCustomOps(void *options, const void *api) { return 0; }
"""
"""An entry point that registers no operator and finds nothing wrong."""

CRASHES = """
#include <stdlib.h>
void *RegisterCustomOps(void *options, const void *api) { abort(); }
"""


def built(code: str, folder: Path, *flags: str) -> Path:
    """The library; skips the test where there is no compiler."""
    compiler = program("cc")
    source, library = folder / "library.c", folder / f"library{SUFFIX}"
    source.write_text(code, encoding="ascii")
    command = [compiler, "-shared", "-fPIC", *flags, str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True)
    return library


TWICE = """
#include <onnxruntime_c_api.h>

static const OrtApi *api;

static void *create(const OrtCustomOp *op, const OrtApi *given, const OrtKernelInfo *info) {
    return (void *)op;
}
static void destroy(void *kernel) {}
static const char *name(const OrtCustomOp *op) { return "Twice"; }
static const char *provider(const OrtCustomOp *op) { return 0; }
static size_t one(const OrtCustomOp *op) { return 1; }
static ONNXTensorElementDataType type(const OrtCustomOp *op, size_t place) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static OrtCustomOpInputOutputCharacteristic there(const OrtCustomOp *op, size_t place) {
    return INPUT_OUTPUT_REQUIRED;
}

static void compute(void *kernel, OrtKernelContext *context) {
    const OrtValue *input;
    OrtValue *output;
    OrtTensorTypeAndShapeInfo *shape;
    int64_t dims[8];
    size_t rank, elements;
    float *from, *to;
    api->KernelContext_GetInput(context, 0, &input);
    api->GetTensorTypeAndShape(input, &shape);
    api->GetDimensionsCount(shape, &rank);
    api->GetDimensions(shape, dims, rank);
    api->GetTensorShapeElementCount(shape, &elements);
    api->ReleaseTensorTypeAndShapeInfo(shape);
    api->KernelContext_GetOutput(context, 0, dims, rank, &output);
    api->GetTensorMutableData((OrtValue *)input, (void **)&from);
    api->GetTensorMutableData(output, (void **)&to);
    for (size_t i = 0; i < elements; ++i) to[i] = 2 * from[i];
}

static OrtCustomOp twice = {
    .version = 8,
    .CreateKernel = create,
    .GetName = name,
    .GetExecutionProviderType = provider,
    .GetInputType = type,
    .GetInputTypeCount = one,
    .GetOutputType = type,
    .GetOutputTypeCount = one,
    .KernelCompute = compute,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = there,
    .GetOutputCharacteristic = there,
};

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    OrtCustomOpDomain *domain;
    api = base->GetApi(8);
    api->CreateCustomOpDomain("my.ops", &domain);
    api->CustomOpDomain_Add(domain, &twice);
    return api->AddCustomOpDomain(options, domain);
}
"""
"""An operator `my.ops:Twice` of one float tensor."""
