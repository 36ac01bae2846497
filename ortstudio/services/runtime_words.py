"""What ONNX Runtime says, in plain words, and what to do about it.

Texts were collected from onnxruntime 1.32.0 by provoking them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ortstudio.errors import DONE_NO, JobError, Where
from ortstudio.jobs.runner import Outcome

_CUSTOM_OPS = "Give the library that brings it with --custom-ops."
_DAMAGED = "Inspect the file to see what is wrong with it."
_NARROW = "Keep ONNX for this model, or use other element types."


class RuntimeRefusedError(JobError):
    """ONNX Runtime refused; `details` holds its own words."""

    kind = "runtime"
    exit_code = DONE_NO


@dataclass(frozen=True, slots=True)
class _Rule:
    """A text that we know. `message` may use the pattern's named groups."""

    pattern: re.Pattern[str]
    message: str
    hint: str = ""


def _rule(pattern: str, message: str, hint: str = "") -> _Rule:
    return _Rule(re.compile(pattern, re.DOTALL), message, hint)


_RULES = (
    _rule(
        r"error: (?P<domain>ai\.onnx\S*|com\.microsoft\S*?):(?P<op>\w+)\(-?\d*\)"
        r" is not a registered function/op",
        "This build of ONNX Runtime does not have the operator {op} of domain {domain}",
        "Training operators, for one, are in builds for training only.",
    ),
    _rule(
        r"error: (?P<domain>\S*?):(?P<op>\w+)\(-?\d*\) is not a registered function/op",
        "The operator {op} of domain {domain} is not known: it needs a custom operator library",
        _CUSTOM_OPS,
    ),
    _rule(
        r"No Op registered for (?P<op>\S+) with domain_version of (?P<version>\d+)",
        "The operator {op} does not exist in version {version} of its operator set",
        "Import another version of the operator set, or give a custom operator library.",
    ),
    _rule(
        r"Could not find an implementation for (?P<op>\w+)\((?P<version>\d+)\) node with name"
        r" '(?P<node>[^']*)'",
        "ONNX Runtime has no code for {op}({version}) with the types of node '{node}'",
    ),
    _rule(
        r"Unsupported tensor data type '(?P<type>[^']*)' for tensor '(?P<name>[^']*)'",
        "ONNX Runtime cannot load an ORT-format model whose tensor {name} has this element type"
        " ({type}), though it writes one",
        _NARROW,
    ),
    _rule(
        r"We do not support type \[9\]",
        "The ORT format cannot hold values of optional type",
        "Export the model without optional inputs and outputs.",
    ),
    _rule(
        r"We do not support type \[(?P<type>\d+)\]",
        "The ORT format cannot hold values of this type (number {type} in ONNX TypeProto)",
    ),
    _rule(
        r"MLDataType for: (?P<type>\S+) is not currently registered",
        "ONNX Runtime has no values of type {type}",
    ),
    _rule(
        r"Unsupported attribute type: ?(?P<type>\S*)",
        "The ORT format cannot hold an attribute of this type ({type})",
    ),
    _rule(
        r"Unsupported model IR version: (?P<found>\d+), max supported IR version: (?P<known>\d+)",
        "The model has ONNX IR version {found}, and this ONNX Runtime knows up to {known}",
        "Use a newer onnxruntime, or save the model with an older IR version.",
    ),
    _rule(
        r"Opset (?P<found>\d+) is under development.*?domain (?P<domain>\S+) is till opset"
        r" (?P<known>\d+)",
        "The model uses opset {found} of {domain}, and this ONNX Runtime knows up to {known}",
        "Use a newer onnxruntime, or export the model for an older opset.",
    ),
    _rule(
        r"Failed to load library (?P<path>.+?) with error: .*?(?:No such file|not be found)",
        "There is no custom operator library {path}, or a library that it needs is missing",
    ),
    _rule(
        r"Failed to load library (?P<path>.+?) with error: ",
        "{path} is not a shared library that this system can load",
    ),
    _rule(
        r"Failed to get symbol RegisterCustomOps with error: (?P<path>.+?):",
        "{path} is a shared library, but not one of custom operators: it lacks RegisterCustomOps",
    ),
    _rule(
        r"External data path does not exist: \"?(?P<path>[^\"]+)",
        "The file that holds weights of the model is missing: {path}",
        "Put it beside the model.",
    ),
    _rule(
        r"External initializer: (?P<name>\S+) offset: (?P<offset>\d+) size to read: (?P<size>\d+)"
        r" given file_length: (?P<length>\d+)",
        "The tensor {name} needs {size} bytes from byte {offset} of its external file, which has"
        " {length}",
        "Fetch the whole file.",
    ),
    _rule(
        r"escapes model directory",
        "The model wants to read weights from outside its own folder, which is not allowed",
        "Put them beside the model and correct their location in it.",
    ),
    _rule(
        r"Failed to save ORT format model to file",
        "ONNX Runtime could not write the file",
        "Is the disk full, the folder read-only, or the model over 2 GiB?",
    ),
    _rule(
        r"ORT model verification failed", "The structure of the ORT-format file is broken", _DAMAGED
    ),
    _rule(
        r"The ORT format model version \[(?P<version>[^]]*)\] is not supported in this build"
        r" (?P<release>\d+\.\d+\.\d+)",
        "ONNX Runtime {release} does not know ORT format version {version}",
    ),
    _rule(r"Protobuf parsing failed", "The file is not a whole ONNX model", _DAMAGED),
    _rule(
        r"Not enough produced nodes in the runtime optimization record",
        "The saved runtime optimizations of this file cannot be replayed",
    ),
    _rule(
        r"Type '(?P<type>[^']+)' of input parameter \((?P<name>[^)]*)\) of operator"
        r" \((?P<op>\w+)\) in node \((?P<node>[^)]*)\) is invalid",
        "The operator {op} of node '{node}' does not take {type} ('{name}')",
    ),
    _rule(
        r"codec can't encode|incompatible (?:constructor|function) arguments.*\\udc",
        "ONNX Runtime cannot open a path that is not valid Unicode",
        "Rename the file or its folder.",
    ),
    _rule(
        r"bad allocation|bad_alloc|Failed to allocate memory|out of memory",
        "There is not enough memory",
    ),
)

_NOISE = re.compile(
    r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : "
    r"|Load model from .*? failed: ?"
    r"|Exception during (?:loading|initialization): "
    r"|This is an invalid model\. "
    # file.cc:12 Name, or file.cc:12 a whole signature
    r"|\S+\.(?:cc|cpp|h|hpp):\d+ (?:\w+ (?=[A-Z])|.*?\)(?: const)?(?: \[with .*?\])? )"
)


_ASSERTION = re.compile(r"^\S+:\d+: \w+: Assertion `.*?` failed: ", re.DOTALL)
"""How the C++ of the package onnx begins what it says."""


def explained(text: str) -> tuple[str, str]:
    """A plain message for the runtime's text, and a hint where one is known."""
    for rule in _RULES:
        found = rule.pattern.search(text)
        if found:
            return rule.message.format(**found.groupdict()), rule.hint
    return _first_sentence(text), ""


def refusal(text: str, where: Where) -> RuntimeRefusedError:
    """The error for what the runtime refused with these words."""
    message, hint = explained(text)
    return RuntimeRefusedError(message, where=where, hint=hint, details=text)


def child_error(outcome: Outcome, work: str, where: Where) -> JobError:
    """The error for a request that did not end well; `work` goes on before "failed"."""
    if outcome.failure and outcome.failure.kind in ("load", "run", "custom-ops", "memory"):
        return refusal(outcome.failure.message, where)
    return outcome.error(work, where)


def update_error(outcome: Outcome, opset: int, where: Where) -> JobError:
    """The error for a model that could not be brought to another opset."""
    if outcome.failure and outcome.failure.kind == "update-opset":
        words = " ".join(_ASSERTION.sub("", outcome.failure.message).split()).rstrip(". ")
        return RuntimeRefusedError(
            f"The model cannot be brought to opset {opset}: {words}",
            where=where,
            hint="Export it with that opset, or convert it as it is.",
            details=outcome.failure.message,
        )
    return outcome.error("The update of the operator set", where)


def _first_sentence(text: str) -> str:
    """The runtime's words without codes, paths and places in its source."""
    cleaned = " ".join(_NOISE.sub("", text).split())
    return f"ONNX Runtime refuses: {cleaned.rstrip('. ')}"
