"""What a comparison of outputs found, as text."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.words import count, listed
from ortstudio.cli.page import Page
from ortstudio.services.agreement import OutputAgreement
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_words import layers_text, verdict_text
from ortstudio.services.layers_found import Layers
from ortstudio.services.runtimes import Runtime
from ortstudio.services.runtimes.limits import limits
from ortstudio.services.verify_words import difference_text, differs_text, tolerance_text

MOST_OUTPUTS = 40
MOST_VALUES = 12
MOST_OPERATORS = 12


def show(compared: Compared, runtime: Runtime, page: Page) -> None:
    """Write the page: the verdict, each output, and on which inputs."""
    found = compared.found
    page.title(
        f"{compared.a.path.name} → {compared.b.path.name}",
        f"ONNX Runtime {runtime.onnxruntime}, level {found.level.value}",
    )
    page.text(verdict_text(compared), "good" if found.agrees else "error")
    for words in (*compared.notes, *limits(runtime)):
        page.text(words, "warning")
    for which, ops in compared.executed.items():
        page.fact(
            f"ran in {which.upper()}",
            listed([f"{op} × {number}" if number > 1 else op for op, number in ops.items()], 12),
        )
    page.section("Outputs", f"{tolerance_text(found.tolerance)} may be")
    # Those that differ first: a list that is cut must not hide them.
    outputs = sorted(found.outputs, key=lambda output: (output.agrees, output.equal))
    for output in outputs[:MOST_OUTPUTS]:
        page.fact(output.name, _output_text(output), "" if output.agrees else "error")
    page.more(len(outputs) - MOST_OUTPUTS)
    if compared.layers is not None:
        _layers(compared, compared.layers, page)
    page.section("Inputs", ", ".join(_sizes(compared)))
    for name, used in found.inputs.items():
        page.fact(name, f"{used['type']}, {used['values']}")


def _output_text(output: OutputAgreement) -> str:
    text = "equal" if output.equal else differs_text(output)
    if output.agrees and not output.equal:
        text = f"agrees: {text}"
    if output.nan_both:
        text += f"; NaN in both in {count(output.nan_both, 'place')}"
    return text


def _layers(compared: Compared, layers: Layers, page: Page) -> None:
    """Where the difference begins, and the values around that place."""
    page.section("Inside, as stored", f"{count(len(layers.values), 'value')} of both compared")
    for line in layers_text(compared, layers):
        page.text(line, "good" if layers.agree else "error")
    told = [value for value in layers.values if value.differs][:MOST_VALUES]
    for value in told:
        page.fact(value.a, difference_text(value.found))
    page.more(sum(value.differs for value in layers.values) - len(told))
    for name, why in list(layers.left_out.items())[:MOST_VALUES]:
        page.fact(name, f"not compared: {why}", "warning")
    page.more(len(layers.left_out) - MOST_VALUES)


def _sizes(compared: Compared) -> Iterator[str]:
    yield f"seed {compared.found.seed}"
    for symbol, size in compared.found.sizes.items():
        yield f"{symbol} = {size}"
