"""Whether a release has the operators of a model, in the form and for the types that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ortstudio.analysis.compatibility.needs import Form, Needs
from ortstudio.analysis.compatibility.releases import Kernel, Release, Releases, Schema
from ortstudio.analysis.compatibility.said import Said
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.words import listed
from ortstudio.model.graph import onnx_domain

ONNX_DOMAINS = {"": "opset", "ai.onnx.ml": "ai.onnx.ml"}
"""Domains whose highest version was measured, and under which name."""


def check_imports(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """A full build looks operators up by the imported version, which it must know."""
    for domain, what in ONNX_DOMAINS.items():
        version = needs.imported.get(domain, 0)
        highest = releases.highest(release, what)
        if version > highest:
            name = f"opset {version}" if not domain else f"version {version} of {domain}"
            text = f"It imports {name}, and {release} knows up to {highest}"
            words = f"No Op registered for … with domain_version of {version}"
            if needs.is_ort and _looks_ahead(version, highest, domain, releases, release):
                yield Said("not known", f"{text}, but may have some operators of the next one")
            else:
                yield Said("no", text, "measured", words, cause="opset")


def _looks_ahead(
    version: int, highest: int, domain: str, releases: Releases, release: Release
) -> bool:
    """Whether the release may know the version all the same.

    The highest was measured with ONNX models, of which a release refuses those of an opset still in
    development. It already has some of the next one's operators, and asks no such thing of `.ort`.
    """
    return version == highest + 1 and not releases.knows_schemas_of(domain, release)


def check_operators(needs: Needs, releases: Releases, release: Release) -> Iterator[Said]:
    """Every operator must be known in its form, and have a kernel for its types."""
    local = {(onnx_domain(function.domain), function.name) for function in needs.model.functions}
    for form, node in needs.forms.items():
        if (onnx_domain(form.domain), form.op_type) in local:
            continue
        yield from _check_form(form, node, needs, releases, release)


def _check_form(
    form: Form, node: NodeRef, needs: Needs, releases: Releases, release: Release
) -> Iterator[Said]:
    operator = (form.domain, form.op_type)
    if not needs.subject.operators.knows_domain(form.domain):
        text = f"{form.text} is a custom operator: it loads only with the library that brings it"
        yield Said("no", text, "rule", _not_registered(form), (node,), cause="custom operator")
    elif not releases.knows_schemas_of(form.domain, release):
        if onnx_domain(form.domain) not in ONNX_DOMAINS:
            text = f"Nobody asked {release} which operators of {form.domain} it has"
            yield Said("not known", text, nodes=(node,))
    else:
        schema = releases.schema(operator, form.version, release)
        if schema is None:
            text = f"{release} does not have the operator {form.text}"
            yield _refused(text, _not_registered(form), node)
            return
        yield from _check_schema(form, node, schema, release)
        if releases.asked("kernels", release):
            kernels = [k for k in releases.kernels(operator, release) if k.serves(schema.since)]
            said = _check_kernels(form, node, schema, kernels, release)
            yield from said if needs.is_ort else map(_perhaps, said)


def _perhaps(said: Said) -> Said:
    """An ONNX model's node may be rewritten before a kernel is looked for: cast, or inlined."""
    return replace(said, kind="not known", evidence="rule", words="")


def _check_schema(form: Form, node: NodeRef, schema: Schema, release: Release) -> Iterator[Said]:
    unknown = sorted(form.attributes - schema.attributes) if schema.attributes is not None else []
    if unknown:
        text = f"{release} does not know the attribute {listed(unknown)} of {form.text}"
        words = f"Unrecognized attribute: {unknown[0]} for operator {form.op_type}"
        yield _refused(text, words, node)
    if -1 < schema.most_inputs < form.inputs:
        text = f"{form.text} has {form.inputs} inputs, and {release} takes {schema.most_inputs}"
        yield _refused(text, "has input size … not in range", node)


def _check_kernels(
    form: Form, node: NodeRef, schema: Schema, kernels: list[Kernel], release: Release
) -> Iterator[Said]:
    name = f"{form.text}({schema.since})"
    words = f"Could not find an implementation for {form.op_type}({schema.since})"
    if not kernels:
        yield _refused(f"{release} has no code for {name}", words, node)
    elif not any(_takes(kernel, form) for kernel in kernels):
        types = listed(sorted({text for _, text in form.types}), at_most=6)
        text = f"{release} has no code for {name} with these types: {types}"
        yield _refused(text, words, node)


def _refused(text: str, words: str, node: NodeRef) -> Said:
    return Said("no", text, "measured", words, (node,), cause="operator")


def _takes(kernel: Kernel, form: Form) -> bool:
    """Whether the kernel is for the types of the nodes."""
    return all(text in kernel.types[name] for name, text in form.types if name in kernel.types)


def _not_registered(form: Form) -> str:
    domain = onnx_domain(form.domain)
    if not domain:
        return f"No Op registered for {form.op_type} with domain_version of {form.version}"
    return f"{domain}:{form.op_type}(-1) is not a registered function/op"
