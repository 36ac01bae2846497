"""Colours, fonts and spacing of the window, light and dark, as the system says or as asked.

A widget asks `current()` when it paints and repaints on `QEvent.PaletteChange`, which `apply` sends
to every widget; who wants to delete widgets then must wait until that round is over. Each colour
was chosen by contrast on its ground (4.5 : 1 for text, 3 : 1 for borders) and by its distance from
its neighbours as protan, deutan and tritan eyes see them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from ortstudio.ui.style_sheet import style_sheet

Scheme = Literal["system", "light", "dark"]

Tone = Literal["text", "muted", "good", "warning", "error"]
"""What a text says by its colour, which is never all that says it."""

SPACE = 4
"""Step of the grid, in pixels: every margin and gap is a multiple of it."""

SMALL, BODY, TITLE = -1, 0, 4
"""The three sizes of text, in points from the system's own."""

_DRESSER = "ortstudio-dresser"
_SCHEME = "ortstudio-scheme"
"""A property of the application: what `apply` was asked for."""


@dataclass(frozen=True, slots=True)
class Family:
    """How one operator family or kind of change looks: never by colour alone, so `mark` goes along.

    `ink` is for text on `fill`; `border` stands out from the canvas.
    """

    fill: QColor
    border: QColor
    ink: QColor
    mark: str


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """Every colour of the window. Text colours are readable on canvas, chrome and surface."""

    dark: bool
    canvas: QColor
    canvas_grid: QColor
    edge: QColor
    edge_strong: QColor
    selection: QColor
    selection_ink: QColor
    chrome: QColor
    """Ground of the window, its bars and docks."""
    surface: QColor
    """Ground of lists, tables and panels."""
    hover: QColor
    hairline: QColor
    text: QColor
    text_muted: QColor
    accent: QColor
    good: QColor
    warning: QColor
    error: QColor
    families: Mapping[str, Family]
    """Operator families; their keys are those of `FAMILY_MARKS`."""
    diff: Mapping[str, Family]
    """Kinds of change between two models; their keys are those of `DIFF_MARKS`."""

    def tone(self, tone: Tone) -> QColor:
        """The text colour of a tone."""
        tones = {
            "text": self.text,
            "muted": self.text_muted,
            "good": self.good,
            "warning": self.warning,
            "error": self.error,
        }
        return tones[tone]


FAMILY_MARKS = {
    "convolution": "C",
    "normalization": "N",
    "activation": "A",
    "shape": "S",
    "quantization": "Q",
    "control": "F",
    "other": "",
    "port": "",
}

DIFF_MARKS = {
    "kept": "=",
    "changed": "~",
    "fused": ">",
    "split": "<",
    "added": "+",
    "removed": "\N{MINUS SIGN}",
    "folded": "c",
    "inlined": "i",
}


def _families(
    marks: Mapping[str, str], ink: str, colours: Mapping[str, tuple[str, str]]
) -> dict[str, Family]:
    return {
        name: Family(QColor(fill), QColor(border), QColor(ink), marks[name])
        for name, (fill, border) in colours.items()
    }


LIGHT = Theme(
    dark=False,
    canvas=QColor("#fbfbfc"),
    canvas_grid=QColor("#eeeff2"),
    edge=QColor("#9aa1aa"),
    edge_strong=QColor("#4a525c"),
    selection=QColor("#1a5fb4"),
    selection_ink=QColor("#ffffff"),
    chrome=QColor("#f3f4f6"),
    surface=QColor("#ffffff"),
    hover=QColor("#eceef1"),
    hairline=QColor("#d9dce1"),
    text=QColor("#1a1d21"),
    text_muted=QColor("#5b636d"),
    accent=QColor("#1a5fb4"),
    good=QColor("#1c6b3a"),
    warning=QColor("#8a5a00"),
    error=QColor("#b3261e"),
    families=_families(
        FAMILY_MARKS,
        "#1a1d21",
        {
            "convolution": ("#9db9f7", "#6785c8"),
            "normalization": ("#94bf9c", "#60906a"),
            "activation": ("#fbd3c2", "#a77d6b"),
            "shape": ("#d3b94f", "#9e8400"),
            "quantization": ("#dccdf5", "#8e7ea8"),
            "control": ("#dd93c6", "#bb69a3"),
            "other": ("#c3c6cb", "#83868c"),
            "port": ("#f4f6f8", "#838588"),
        },
    ),
    diff=_families(
        DIFF_MARKS,
        "#1a1d21",
        {
            "kept": ("#eef0f3", "#848689"),
            "changed": ("#fbe38a", "#9f8400"),
            "fused": ("#d6c6f7", "#8f7db1"),
            "split": ("#66c6d2", "#0094a2"),
            "added": ("#cdf3c8", "#689063"),
            "removed": ("#f4aba0", "#c07166"),
            "folded": ("#c48a45", "#ba781d"),
            "inlined": ("#7fa6e2", "#5b87ca"),
        },
    ),
)

DARK = Theme(
    dark=True,
    canvas=QColor("#1b1d20"),
    canvas_grid=QColor("#25282c"),
    edge=QColor("#676e77"),
    edge_strong=QColor("#b4bbc4"),
    selection=QColor("#6cb0ff"),
    selection_ink=QColor("#0d1520"),
    chrome=QColor("#26292d"),
    surface=QColor("#1f2225"),
    hover=QColor("#30343a"),
    hairline=QColor("#3a3f45"),
    text=QColor("#f2f4f6"),
    text_muted=QColor("#a3abb5"),
    accent=QColor("#7cb5f5"),
    good=QColor("#6fce8f"),
    warning=QColor("#e8b34a"),
    error=QColor("#ff8f85"),
    families=_families(
        FAMILY_MARKS,
        "#f2f4f6",
        {
            "convolution": ("#1d3f86", "#4b72c1"),
            "normalization": ("#1f6b45", "#2b8557"),
            "activation": ("#5a2613", "#a6634b"),
            "shape": ("#766417", "#897414"),
            "quantization": ("#6f5599", "#8465b5"),
            "control": ("#6d2f58", "#a75a8c"),
            "other": ("#606469", "#71757b"),
            "port": ("#262a30", "#70767e"),
        },
    ),
    diff=_families(
        DIFF_MARKS,
        "#f2f4f6",
        {
            "kept": ("#3a3e44", "#70767d"),
            "changed": ("#7d6c1a", "#877302"),
            "fused": ("#42287c", "#7b67bd"),
            "split": ("#0f7580", "#00818e"),
            "added": ("#1a6335", "#30844d"),
            "removed": ("#5e1a1c", "#b25b59"),
            "folded": ("#7d420b", "#aa6227"),
            "inlined": ("#2f5ba6", "#4774c2"),
        },
    ),
)


def current() -> Theme:
    """The theme in use: what `apply` was given, else what the system asks for, else light."""
    app = QGuiApplication.instance()
    asked = app.property(_SCHEME) if app is not None else None
    if asked in ("light", "dark"):
        return DARK if asked == "dark" else LIGHT
    dark = app is not None and QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return DARK if dark else LIGHT


def scheme(text: str) -> Scheme:
    """A scheme by its name; the system's for any other text."""
    found: dict[str, Scheme] = {"light": "light", "dark": "dark"}
    return found.get(text, "system")


def apply(app: QApplication, scheme: Scheme = "system") -> None:
    """Dress the application; with `system`, and until asked otherwise, follow the system."""
    app.setProperty(_SCHEME, scheme)
    app.styleHints().setColorScheme(
        {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(
            scheme, Qt.ColorScheme.Unknown
        )
    )
    _dresser(app).dress()


def changed(app: QCoreApplication) -> SignalInstance:
    """Emitted when the application was dressed anew, for what gets no `PaletteChange`."""
    return _dresser(app).changed


def font(size: int = BODY, *, strong: bool = False) -> QFont:
    """The system's font in one of the three sizes and two weights, digits of equal width."""
    made = QFont(QApplication.font())
    return _sized(made, size, strong)


def mono(size: int = BODY, *, strong: bool = False) -> QFont:
    """The monospace for names, types, shapes and hexadecimal."""
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if made.family() == "Courier New":  # Windows reports its oldest; it has had better since 2007.
        made.setFamilies(["Cascadia Mono", "Consolas", "Courier New"])
    return _sized(made, size, strong)


def _sized(made: QFont, size: int, strong: bool) -> QFont:
    points = QApplication.font().pointSizeF()
    if points > 0:
        made.setPointSizeF(points + size)
    else:
        made.setPixelSize(QApplication.font().pixelSize() + size)
    made.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    made.setFeature(QFont.Tag.fromString("tnum"), 1)
    return made


class _Dresser(QObject):
    """One for an application: dresses it, again whenever the system's scheme changes."""

    changed = Signal()

    def __init__(self, app: QCoreApplication) -> None:
        super().__init__(app)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.dress)
        self.setObjectName(_DRESSER)

    def dress(self) -> None:
        app, theme = self.parent(), current()
        assert isinstance(app, QApplication)
        app.setPalette(_palette(theme))
        app.setStyleSheet(style_sheet(theme))
        self.changed.emit()


def _dresser(app: QCoreApplication) -> _Dresser:
    # By name: without one Python looks at every child, and the style takes it 10 ms.
    return app.findChild(_Dresser, _DRESSER) or _Dresser(app)


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(theme.chrome)
    for name, colour in {
        role.Window: theme.chrome,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.chrome,
        role.Text: theme.text,
        role.Button: theme.chrome,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.PlaceholderText: theme.text_muted,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.selection_ink,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
    }.items():
        palette.setColor(name, colour)
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, theme.text_muted)
    return palette
