"""The panel at the right: everything about what is selected, and where each name leads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.analysis.nodes import node_text
from ortstudio.errors import StudioError
from ortstudio.format.source import Source
from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.tensor import Tensor
from ortstudio.services import describe
from ortstudio.services.describe import facts as plain
from ortstudio.services.document import Document
from ortstudio.services.operators import Documented, OperatorDoc, operator_doc
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.views.facts import Embed, Fact, Link, Prose, Run, Section, Sheet
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.services.crossing import Crossing

SOON_MS = 25

Operator = tuple[str, str, int]
"""Domain, operator, since-version: what documentation is looked up by."""


class Inspector(QWidget):
    """Shows the last selection. Its links select what they name."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._docs: dict[Operator, OperatorDoc | None] = {}
        self.view = FactsView(self)
        self.view.link_activated.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        # One sheet for all that happens at once, and after the pictures of what was just opened.
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._show)
        workspace.selected.connect(self._selected)
        workspace.changed.connect(self._soon.start)

    def refresh(self) -> None:
        """Show the same thing with what is known of it now."""
        self._soon.start()

    def _selected(self, side: int, _ref: Ref | None) -> None:
        if side == self._workspace.active:
            self._soon.start()

    def _show(self) -> None:
        side = self._workspace.active
        document, ref = self._workspace.document(side), self._workspace.selection(side)
        if document is None or ref is None:
            self._tasks.drop("sheet")
            self.view.show_sheet(Sheet("Nothing selected"))
            return
        self._tasks.drop("doc")
        crossing = self._workspace.crossing
        self._tasks.run(
            lambda _task: sheet_of(document, side, ref, crossing),
            done=partial(self._show_sheet, document, ref),
            failed=self._failed,
            lane="sheet",
        )

    def _show_sheet(self, document: Document, ref: Ref, sheet: Sheet) -> None:
        self.view.show_sheet(sheet)
        if ref.kind is RefKind.NODE:
            self._document_operator(document, ref)

    def _failed(self, error: StudioError) -> None:
        self.view.show_sheet(Sheet("Cannot be shown", (str(error),)))

    def _follow(self, target: object) -> None:
        if isinstance(target, tuple):
            side, ref = target
            if ref.kind is RefKind.GRAPH:
                self._workspace.show_graph(side, ref.graph)
            self._workspace.select(side, ref)

    def _document_operator(self, document: Document, ref: Ref) -> None:
        """Add the operator's documentation; asked for in another thread when it is not at hand."""
        nodes = document.graphs[ref.graph].nodes
        key = nodes.domains[ref.row], nodes.op_types[ref.row], int(nodes.since_versions[ref.row])

        def add(doc: OperatorDoc | None) -> None:
            self._docs[key] = doc
            if doc is not None:
                self.view.add_sections(_doc_sections(doc))

        if key in self._docs:
            add(self._docs[key])
        else:
            self._tasks.run(lambda _task: operator_doc(*key), done=add, failed=_ignore, lane="doc")


def sheet_of(document: Document, side: int, ref: Ref, crossing: Crossing | None) -> Sheet:
    """What is shown of one thing. Runs off the UI thread: much is worked out at first asking."""
    found = [_section(section, side) for section in describe.describe(document, ref)]
    found[1:1] = _comparison(side, ref, crossing)
    for holds, tensor in document.tensors(ref).items():
        source = document.model.source
        found.append(Section(holds, [Embed(partial(_tensor_panel, source, tensor))]))
    title, subtitle = describe.heading(document, ref)
    return Sheet(title, (subtitle,), found)


def _comparison(side: int, ref: Ref, crossing: Crossing | None) -> list[Section]:
    """What became of a node, or what it came from, and why."""
    row = None if crossing is None else crossing.row_of(side, ref)
    if crossing is None or row is None:
        return []
    rows: list[Fact | Prose | Embed] = [Fact("Kind", row.kind, mono=False), Prose(row.reason)]
    if row.portability:
        rows.append(Prose(row.portability))
    for place, name in ((0, "Source"), (1, "Result")):
        document = crossing.document(place)
        for node in crossing.nodes_of(place, row):
            text = node_text(document.graphs[node.graph], node.row)
            rows.append(Fact(name, Link(text, (place, node)), mono=False))
    rows += [Fact(change.what, f"{change.before} → {change.after}") for change in row.changes]
    sources = crossing.nodes_of(0, row)
    if len(sources) > 1:
        rows.append(Embed(partial(_small_picture, crossing.document(0), sources)))
    return [Section(("What became of it", "Where it came from")[side], rows)]


def _tensor_panel(source: Source, tensor: Tensor) -> QWidget:
    from ortstudio.ui.views.tensor_panel import TensorPanel

    return TensorPanel(source, tensor)


def _small_picture(document: Document, nodes: Sequence[Ref]) -> QWidget:
    from ortstudio.ui.small_picture import SmallPicture

    return SmallPicture(document, nodes)


def _section(section: plain.Section, side: int) -> Section:
    rows: list[Fact | Prose | Embed] = [Prose(section.text)] if section.text else []
    rows += [_fact(fact, side) for fact in section.facts]
    return Section(section.title, rows, folded=section.folded)


def _fact(fact: plain.Fact, side: int) -> Fact:
    value: Run = fact.text
    if fact.ref is not None:
        value = Link(fact.text, (side, fact.ref), fact.tip)
    # What is said of a name is its type, which reads as a name does, on a line of its own.
    if fact.mono:
        return Fact(fact.name, value, detail=fact.note, tip=fact.tip)
    return Fact(fact.name, value, fact.note, mono=False, tip=fact.tip)


def _doc_sections(doc: OperatorDoc) -> tuple[Section, ...]:
    title = "Documentation, deprecated" if doc.deprecated else "Documentation"
    found = [Section(title, [Prose(doc.text, markdown=True)])]
    for name, entries in (
        ("Formal inputs", doc.inputs),
        ("Formal outputs", doc.outputs),
        ("Formal attributes", doc.attributes),
    ):
        if entries:
            found.append(Section(name, [_documented(entry) for entry in entries], folded=True))
    return tuple(found)


def _documented(entry: Documented) -> Fact:
    return Fact(entry.name, entry.type_text, entry.text)


def _ignore(_error: StudioError) -> None:
    """Looking documentation up reads no file of the user's."""
