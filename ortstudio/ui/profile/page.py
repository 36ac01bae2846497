"""The page below on where the time of a run goes: by node, operator, scope and fusion."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox

from ortstudio.analysis.profile_tables import Part
from ortstudio.analysis.words import duration_text, size_text
from ortstudio.services.profile_view import FusionLine, NodeLine, ProfileView
from ortstudio.services.sessions import Level
from ortstudio.ui.measured_page import MeasuredPage
from ortstudio.ui.tables import Column

NOTHING = (
    "Nothing was profiled yet. The model that is open will be run in a process of its own, with"
    " ONNX Runtime's profile on; beside a source, that is run as it is stored, too."
)
KINDS = (("Save &JSON…", "json"), ("Save Chrome &Trace…", "trace"))


class ProfilePage(MeasuredPage):
    """Four tables of times."""

    def __init__(self) -> None:
        super().__init__("Profile", NOTHING, KINDS)
        self.level = QComboBox()
        self.level.setAccessibleName("Graph that runs")
        self.level.setToolTip("Optimized at load as an application would, or as the file has it")
        self.level.addItem("As loaded", Level.ALL)
        self.level.addItem("As stored", Level.DISABLE)
        self.row.insertWidget(2, self.level)
        self.nodes = self.add_table("Nodes", _node_columns())
        self.operators = self.add_table("Operators", _part_columns("Operator"))
        self.scopes = self.add_table("Scopes", _part_columns("Scope"))
        self.fusions = self.add_table("Fusions", _fusion_columns())

    def show_view(self, view: ProfileView) -> None:
        """Show a profile."""
        self.fill(self.nodes, view.nodes)
        self.fill(self.operators, view.operators)
        self.fill(self.scopes, view.scopes)
        self.fill(self.fusions, view.fusions)
        self.show_result(" ".join(view.words))


def _time(value: object) -> str:
    return duration_text(float(value)) if isinstance(value, int | float) else ""


def _signed(value: object) -> str:
    if not isinstance(value, int):
        return ""
    return f"{'−' if value < 0 else ''}{duration_text(abs(value))}"


def _share(value: object) -> str:
    return f"{100 * value:.1f} %" if isinstance(value, float) else ""


def _node_columns() -> list[Column[NodeLine]]:
    return [
        Column("Time", lambda line: line.time.ns, _time, numeric=True),
        Column("Share", lambda line: line.share, _share, numeric=True),
        Column("Operator", lambda line: line.time.op, mono=True),
        Column(
            "Node",
            lambda line: line.time.name or f"#{line.time.ref.index}",
            mono=True,
            tip=lambda line: line.time.name,
        ),
        Column("Calls", lambda line: line.time.calls, _calls, numeric=True),
        Column("Output", lambda line: line.time.output_bytes, _size, numeric=True),
        Column("Came of", lambda line: line.origin, tip=lambda line: line.origin),
    ]


def _calls(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else ""


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) and value else ""


def _part_columns(title: str) -> list[Column[Part]]:
    return [
        Column("Time", lambda part: part.ns, _time, numeric=True),
        Column("Share", lambda part: part.share, _share, numeric=True),
        Column(title, lambda part: part.name, mono=True),
        Column("Nodes", lambda part: part.nodes, numeric=True),
    ]


def _fusion_columns() -> list[Column[FusionLine]]:
    return [
        Column("Saves", lambda line: line.fusion.saved_ns, _signed, numeric=True),
        Column("Before", lambda line: line.fusion.a_ns, _time, numeric=True),
        Column("After", lambda line: line.fusion.b_ns, _time, numeric=True),
        Column("Kind", lambda line: str(line.fusion.row.kind)),
        Column("Source", lambda line: line.before, mono=True, tip=lambda line: line.before),
        Column("Result", lambda line: line.after, mono=True, tip=lambda line: line.after),
    ]
