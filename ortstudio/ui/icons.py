"""The window's icons: one family, drawn as 16-unit SVGs whose strokes are 1.5 px at 16 and 24 px.

An icon has the theme's colours of the moment it was made; one that was given to an action or a
button with `set_icon` follows the theme.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from ortstudio.services import resources
from ortstudio.ui import theme

SIZES = (16, 24)
STROKE = 1.5
"""Pixels, at either size."""


def icon(name: str) -> QIcon:
    """The icon of `resources/icons/NAME.svg` in the theme's text colours of this moment."""
    look = theme.current()
    colours = (look.text.name(), look.text_muted.name(), look.selection_ink.name())
    return _made(name, colours, _pixel_ratio())


def toned(name: str, colour: QColor) -> QIcon:
    """The icon in a colour that means something; in a selected row it has that row's ink."""
    look = theme.current()
    colours = (colour.name(), look.text_muted.name(), look.selection_ink.name())
    return _made(name, colours, _pixel_ratio())


def pixmap(name: str, colour: QColor, size: int = 16) -> QPixmap:
    """The icon as a picture `size` wide and high, sharp on the sharpest screen."""
    return _painted(name, colour.name(), size, _pixel_ratio())


def application() -> QIcon:
    """The icon of ORT Studio itself."""
    return QIcon(str(resources.find("ortstudio.svg")))


def set_icon(target: QAction | QAbstractButton, name: str) -> None:
    """Give an action or a button an icon that takes the colours of each theme."""
    wearer = target.findChild(_Wearer) or _Wearer(target)
    wearer.wear(name)


class _Wearer(QObject):
    """Belongs to an action or a button and renews its icon."""

    def __init__(self, target: QAction | QAbstractButton) -> None:
        super().__init__(target)
        self._target = target
        self._name = ""
        app = QCoreApplication.instance()
        assert app is not None, "a button needs an application"
        theme.changed(app).connect(self._renew)

    def wear(self, name: str) -> None:
        self._name = name
        self._renew()

    def _renew(self) -> None:
        self._target.setIcon(icon(self._name))


def _pixel_ratio() -> float:
    app = QGuiApplication.instance()
    return app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0


@lru_cache(maxsize=512)
def _made(name: str, colours: tuple[str, str, str], ratio: float) -> QIcon:
    return QIcon(_Engine(name, colours, ratio))


class _Engine(QIconEngine):
    """Paints an icon in the size and state that are asked for, and not before."""

    def __init__(self, name: str, colours: tuple[str, str, str], ratio: float) -> None:
        super().__init__()
        self._arguments = name, colours, ratio

    def clone(self) -> QIconEngine:
        return _Engine(*self._arguments)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.drawPixmap(rect, self.pixmap(rect.size(), mode, state))

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        name, colours, ratio = self._arguments
        return _painted(name, colours[_MODES.get(mode, 0)], min(size.width(), size.height()), ratio)

    def scaledPixmap(  # noqa: N802
        self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float
    ) -> QPixmap:
        """`size` is in pixels of ours, `scale` how many of the screen's make one of them."""
        name, colours, _ = self._arguments
        wanted = min(size.width(), size.height())
        return _painted(name, colours[_MODES.get(mode, 0)], wanted, scale)


_MODES = {QIcon.Mode.Normal: 0, QIcon.Mode.Disabled: 1, QIcon.Mode.Selected: 2}
"""The place of a state's colour; the mouse over an icon changes nothing."""


@lru_cache(maxsize=1024)
def _painted(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    text = _source(name).replace("currentColor", colour)
    text = text.replace('stroke-width="1.5"', f'stroke-width="{STROKE * 16 / size}"')
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(text.encode())).render(
        painter, QRectF(0, 0, picture.width(), picture.height())
    )
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return resources.find(f"icons/{name}.svg").read_text(encoding="utf-8")
