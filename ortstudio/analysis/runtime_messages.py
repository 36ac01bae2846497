"""What releases of ONNX Runtime say, recognized and put into plain words.

The texts are those of 1.4 to 1.32, provoked or recorded. A rule names the first that matches; the
special ones stand before the general ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_CUSTOM_OPS = "Give the library that brings it with --custom-ops."
_DAMAGED = "Inspect the file to see what is wrong with it."
_NARROW = "Keep ONNX for this model, or use other element types."
_READERS = "Ship a newer runtime, or convert again from the ONNX source with an older release."
_LACKS = "Ship a release that has it, or make the model with another operator or element type."
_HASHES = (
    "Before 1.13 a file loads best in the release that wrote it: convert again with the release of"
    " the device, or ship 1.14 or newer."
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A text that we know, under a stable code. `meaning` may use the pattern's named groups."""

    code: str
    pattern: re.Pattern[str]
    meaning: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Recognized:
    """What a text means, and what to do. `names` are those that the text gives."""

    code: str
    meaning: str
    hint: str
    names: Mapping[str, str]


def _rule(code: str, pattern: str, meaning: str, hint: str = "") -> Rule:
    return Rule(code, re.compile(pattern, re.DOTALL), meaning, hint)


RULES = (
    _rule(
        "operator-not-in-build",
        r"error: (?P<domain>ai\.onnx\S*|com\.microsoft\S*?):(?P<op>\w+)\(-?\d*\)"
        r" is not a registered function/op",
        "This build of ONNX Runtime does not have the operator {op} of domain {domain}",
        "Training operators, for one, are in builds for training only.",
    ),
    _rule(
        "custom-operator",
        r"error: (?P<domain>\S*?):(?P<op>\w+)\(-?\d*\) is not a registered function/op",
        "The operator {op} of domain {domain} is not known: it needs a custom operator library",
        _CUSTOM_OPS,
    ),
    _rule(
        "operator-version",
        r"No Op registered for (?P<op>\S+) with domain_version of (?P<version>\d+)",
        "The operator {op} does not exist in version {version} of its operator set",
        "Import another version of the operator set, or give a custom operator library.",
    ),
    _rule(
        "no-kernel",
        r"Could not find an implementation for (?P<op>\w+)\((?P<version>\d+)\) node with name"
        r" '(?P<node>[^']*)'",
        "ONNX Runtime has no code for {op}({version}) with the types of node '{node}'",
        _LACKS,
    ),
    _rule(
        "no-kernel",
        r"Failed to find kernel for (?P<op>\w+)\((?P<version>\d+)\) \(node:'(?P<node>[^']*)'",
        "ONNX Runtime has no code for {op}({version}) with the types of node '{node}'",
        _LACKS,
    ),
    _rule(
        "element-type-refused",
        r"Unsupported tensor data type '<unknown>' for tensor '(?P<name>[^']*)'",
        "ONNX Runtime cannot load an ORT-format model with the element type of the tensor {name},"
        " though it writes one",
        _NARROW,
    ),
    _rule(
        "element-type-refused",
        r"Unsupported tensor data type '(?P<type>[^'<]*)' for tensor '(?P<name>[^']*)'",
        "ONNX Runtime cannot load an ORT-format model with the element type of the tensor {name},"
        " {type}, though it writes one",
        _NARROW,
    ),
    _rule(
        "optional-type",
        r"We do not support type \[9\]",
        "The ORT format cannot hold values of optional type",
        "Export the model without optional inputs and outputs.",
    ),
    _rule(
        "value-type-not-stored",
        r"We do not support type \[(?P<type>\d+)\]",
        "The ORT format cannot hold values of this type (number {type} in ONNX TypeProto)",
    ),
    _rule(
        "type-not-registered",
        r"MLDataType for: (?P<type>\S+) is not currently registered",
        "ONNX Runtime has no values of type {type}",
    ),
    _rule(
        "attribute-not-stored",
        r"Unsupported attribute type: ?(?P<type>\S*)",
        "The ORT format cannot hold an attribute of this type ({type})",
    ),
    _rule(
        "ir-version",
        r"Unsupported model IR version: (?P<found>\d+), max supported IR version: (?P<known>\d+)",
        "The model has ONNX IR version {found}, and this ONNX Runtime knows up to {known}",
        "Use a newer onnxruntime, or save the model with an older IR version.",
    ),
    _rule(
        "opset-too-new",
        r"Opset (?P<found>\d+) is under development.*?domain (?P<domain>\S+) is till opset"
        r" (?P<known>\d+)",
        "The model uses opset {found} of {domain}, and this ONNX Runtime knows up to {known}",
        "Use a newer onnxruntime, or export the model for an older opset.",
    ),
    _rule(
        "library-missing",
        r"Failed to load library (?P<path>.+?) with error: .*?(?:No such file|not be found)",
        "There is no custom operator library {path}, or a library that it needs is missing",
    ),
    _rule(
        "library-not-shared",
        r"Failed to load library (?P<path>.+?) with error: ",
        "{path} is not a shared library that this system can load",
    ),
    _rule(
        "library-without-entry",
        r"Failed to get symbol RegisterCustomOps with error: (?P<path>.+?):",
        "{path} is a shared library, but not one of custom operators: it lacks RegisterCustomOps",
    ),
    _rule(
        "external-data-missing",
        r"External data path does not exist: \"?(?P<path>[^\"]+)",
        "The file that holds weights of the model is missing: {path}",
        "Put it beside the model.",
    ),
    _rule(
        "external-data-short",
        r"External initializer: (?P<name>\S+) offset: (?P<offset>\d+) size to read: (?P<size>\d+)"
        r" given file_length: (?P<length>\d+)",
        "The tensor {name} needs {size} bytes from byte {offset} of its external file, which has"
        " {length}",
        "Fetch the whole file.",
    ),
    _rule(
        "external-data-outside",
        r"escapes model directory",
        "The model wants to read weights from outside its own folder, which is not allowed",
        "Put them beside the model and correct their location in it.",
    ),
    _rule(
        "not-saved",
        r"Failed to save ORT format model to file",
        "ONNX Runtime could not write the file",
        "Is the disk full, the folder read-only, or the model over 2 GiB?",
    ),
    _rule(
        "verification-failed",
        r"(?:ORT model verification failed|VerifyInferenceSessionBuffer)",
        "The structure of the ORT-format file is broken",
        _DAMAGED,
    ),
    _rule(
        "format-not-read",
        r"The ORT format model version \[(?P<version>[^]]*)\] is not supported (?:in )?this build"
        r" (?P<release>\d+\.\d+\.\d+)",
        "ONNX Runtime {release} does not read ORT format version {version}",
        _READERS,
    ),
    _rule(
        "protobuf-failed",
        r"[Pp]rotobuf parsing failed",
        "The file is not a whole ONNX model",
        _DAMAGED,
    ),
    _rule(
        "record-without-product",
        r"Not enough produced nodes in the runtime optimization record",
        "The saved runtime optimizations of this file cannot be replayed",
        "Convert again in the fixed style, or ship 1.30 or newer, which replays only when told to.",
    ),
    _rule(
        "input-type",
        r"Type '(?P<type>[^']+)' of input parameter \((?P<name>[^)]*)\) of operator"
        r" \((?P<op>\w+)\) in node \((?P<node>[^)]*)\) is invalid",
        "The operator {op} of node '{node}' does not take {type} ('{name}')",
    ),
    _rule(
        "path-not-unicode",
        r"codec can't encode|incompatible (?:constructor|function) arguments.*\\udc",
        "ONNX Runtime cannot open a path that is not valid Unicode",
        "Rename the file or its folder.",
    ),
    _rule(
        "no-memory",
        r"bad allocation|bad_alloc|Failed to allocate memory|out of memory",
        "There is not enough memory",
    ),
    _rule(
        "kernel-hash",
        r"Failed to find kernel (?:def hash \((?P<hash>\d+)\) in kernel registries )?for"
        r" (?P<op>\w+) ?\((?P<version>\d+)\)(?! \(node:')",
        "This release has another kernel for {op}({version}) than the one that the file, which an"
        " older or newer release wrote, names by its hash",
        _HASHES,
    ),
    _rule(
        "node-lost-at-load",
        r"Can't find node with index (?P<index>\d+)",
        "The release optimizes while it loads and then misses node {index}, which it took out",
        "Convert again at a higher level, or use another release.",
    ),
    _rule(
        "element-type-unknown",
        r"Invalid tensor data type (?P<number>\d+)",
        "The file holds element type number {number}, which this release does not know",
        "Ship a newer runtime, or use other element types.",
    ),
    _rule(
        "wrong-size-of-constant",
        r"Initializer (?:raw|string) data size mismatch for tensor '(?P<name>[^']*)'",
        "The constant {name} does not hold as much data as its shape needs",
        "Convert again: 1.23 to 1.25, for one, lose string constants of four or more strings.",
    ),
    _rule(
        "wrong-size-of-constant",
        r"Deserialize tensor (?P<name>\S+) failed",
        "The constant {name} does not hold as much data as its shape needs",
        "Convert again: 1.5 and 1.6 left weights from external files out, and 1.23 to 1.25 lose"
        " string constants of four or more strings.",
    ),
    _rule(
        "sparse-indices",
        r"Indicies expected to be INT64",
        "The file has a sparse constant with narrow indices, which 1.9 and newer write and this"
        " release does not read",
        "Ship 1.9 or newer, or convert again with the release of the device.",
    ),
    _rule(
        "attribute-unknown",
        r"Unrecognized attribute: (?P<attribute>\w+) for operator (?P<op>\w+)",
        "This release does not know the attribute {attribute} of {op}: a newer one wrote the file",
        _READERS,
    ),
    _rule(
        "action-unknown",
        r"Missing action (?P<action>\S+) for transformer (?P<optimizer>\w+)",
        "The file has a saved optimization ({action}) that this release cannot replay: a newer one"
        " wrote it",
        "Convert again in the fixed style, or ship a newer runtime.",
    ),
    _rule(
        "record-and-product",
        r"Too many produced nodes in the runtime optimization record"
        r"|does not match produced node op",
        "A saved optimization does not say what this release would make by it",
        "Convert again in the fixed style, or with the release of the device.",
    ),
    _rule(
        "produced-kernel-missing",
        r"Failed to find kernel for (?P<op>com\.[\w.]+)\((?P<version>\d+)\)",
        "Replaying a saved optimization made {op}, and the file does not say which kernel runs it",
        "The file was saved again with replay enabled, which loses that: convert again.",
    ),
    _rule(
        "locale-missing",
        r"Failed to construct locale with name: ?(?P<name>[\w.@-]+)",
        "The operator StringNormalizer needs the locale {name}, which this machine lacks",
        "Install the locale on the device, or leave the operator out of the model.",
    ),
    _rule(
        "missing-part",
        r"Serialized version info is null|Missing Model\.|Graph is null"
        r"|Model must have opset imports",
        "The file lacks a part that every ORT-format model has",
        _DAMAGED,
    ),
    _rule(
        "value-without-type",
        r"Null type info for (?P<name>.+?)\. Invalid ORT",
        "The value {name} has no type",
        _DAMAGED,
    ),
    _rule(
        "missing-data",
        r"Missing raw data for initializer",
        "A constant of the file has no data",
        "Convert again from the ONNX source.",
    ),
    _rule(
        "negative-dimension",
        r"Invalid negative dimension (?P<size>-\d+) for tensor '(?P<name>[^']*)'",
        "The shape of the constant {name} has the size {size}",
        _DAMAGED,
    ),
    _rule(
        "node-numbers",
        r"Duplicate node index (?P<index>\d+)|Serialized max node index is smaller",
        "The numbers of the file's nodes contradict each other",
        _DAMAGED,
    ),
    _rule(
        "argument-counts",
        r"input_arg_counts (?:total|contains)",
        "The counts of a node's inputs do not add up to the inputs that it has",
        _DAMAGED,
    ),
    _rule(
        "edges",
        r"edge has out-of-range node index|edge connects mismatched NodeArgs",
        "The connections between nodes do not fit the nodes",
        _DAMAGED,
    ),
    _rule(
        "operator-id",
        r"Invalid OpIdentifier string: (?P<text>\S+)|Failed to parse since_version",
        "An entry of the kernel type resolver is malformed",
        _DAMAGED,
    ),
    _rule(
        "format-version-odd",
        r"^(?:\S+: )?stoi$|invalid stoi argument",
        "The format version of the file is no number, which releases 1.24 to 1.29 cannot read",
        _DAMAGED,
    ),
    _rule(
        "empty-file",
        r"Cannot memory-map an empty file",
        "The file is empty",
        "Write or download it again.",
    ),
    _rule(
        "no-such-file",
        r"Invalid fd was supplied: -1|File doesn't exist|NO_SUCHFILE",
        "There is no such file, or it may not be read",
        "Look at the path: for a missing .ort the runtime only says that a descriptor is invalid.",
    ),
    _rule(
        "option-not-for-ort",
        r"(?:session\.\w+|Session option '[^']*') is not supported (?:when loading an|for)"
        r" ORT format",
        "A session option is set that does not go with ORT-format models",
        "Leave the option out for .ort files.",
    ),
    _rule(
        "compiled-nodes",
        r"Unable to serialize model as it contains compiled nodes",
        "An execution provider compiled nodes, and those cannot be saved",
        "Convert with the CPU provider only.",
    ),
)


_RELEASE = re.compile(r"\bthis build (?P<release>\d+\.\d+\.\d+)")


def recognize(text: str) -> tuple[Recognized, ...]:
    """All that is recognized in a text, most telling first; empty where nothing is."""
    found = []
    for rule in RULES:
        match = rule.pattern.search(text)
        if match:
            names = {name: value for name, value in match.groupdict().items() if value is not None}
            meaning = rule.meaning.format(**match.groupdict())
            found.append(Recognized(rule.code, meaning, rule.hint, names))
    return tuple(found)


def release_in(text: str) -> str | None:
    """The release that says so, where it names itself."""
    found = _RELEASE.search(text)
    return found["release"] if found else None


_NOISE = re.compile(
    r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : "
    r"|Load model from .*? failed: ?"
    r"|Exception during (?:loading|initialization): "
    r"|This is an invalid model\. "
    # file.cc:12 Name, or file.cc:12 a whole signature
    r"|\S+\.(?:cc|cpp|h|hpp):\d+ (?:\w+ (?=[A-Z])|.*?\)(?: const)?(?: \[with .*?\])? )"
)


def without_noise(text: str) -> str:
    """The runtime's words without codes, paths and places in its source."""
    return " ".join(_NOISE.sub("", text).split()).rstrip(". ")
