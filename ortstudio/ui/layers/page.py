"""The page below on whether two models compute the same, and from which node on they do not."""

from __future__ import annotations

from ortstudio.services.agreement import BIGGEST, OutputAgreement
from ortstudio.services.compare_view import CompareView, ValueLine
from ortstudio.ui.measured_page import MeasuredPage
from ortstudio.ui.tables import Column

NOTHING = (
    "Nothing was compared yet. Both models will be run on the same inputs in a process of its own,"
    " and the values inside be held against each other."
)
KINDS = (("Save &JSON…", "json"),)


class LayersPage(MeasuredPage):
    """Two tables: values inside, and outputs."""

    def __init__(self) -> None:
        super().__init__("Compare", NOTHING, KINDS)
        self.values = self.add_table("Values", _value_columns())
        self.outputs = self.add_table("Outputs", _output_columns())

    def show_view(self, view: CompareView) -> None:
        """Show what a comparison found."""
        self.fill(self.values, view.values)
        self.fill(self.outputs, view.outputs)
        self.show_result(" ".join(view.words))


def _number(value: object) -> str:
    if not isinstance(value, float):
        return ""
    return "infinite" if value >= BIGGEST else f"{value:.3g}"


def _value_columns() -> list[Column[ValueLine]]:
    return [
        Column("No.", lambda line: line.number, numeric=True),
        Column("Value", lambda line: line.value.a, mono=True, tip=lambda line: line.names),
        Column("Verdict", lambda line: line.verdict),
        Column("Largest difference", lambda line: line.value.found.max_abs, _number, numeric=True),
        Column("Of the value", lambda line: line.value.found.max_rel, _number, numeric=True),
        Column("By these nodes alone", lambda line: line.own_abs, _number, numeric=True),
        Column("Made in source by", lambda line: line.made_a, mono=True),
        Column("Made in result by", lambda line: line.made_b, mono=True),
    ]


def _output_columns() -> list[Column[OutputAgreement]]:
    return [
        Column("Output", lambda output: output.name, mono=True),
        Column("Verdict", _verdict),
        Column("Largest difference", lambda output: output.max_abs, _number, numeric=True),
        Column("Of the value", lambda output: output.max_rel, _number, numeric=True),
        Column("At", lambda output: str(list(output.where or ())) if output.where else ""),
        Column("NaN in both", lambda output: output.nan_both, numeric=True),
        Column("NaN in one", lambda output: output.nan_one, numeric=True),
        Column("Note", lambda output: output.note),
    ]


def _verdict(output: OutputAgreement) -> str:
    if output.equal:
        return "equal"
    return "agrees" if output.agrees else "differs"
