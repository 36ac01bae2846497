"""The window's icons: one family, drawn as 16-unit SVGs whose strokes are 1.5 px at 16 and 24 px.

An icon has the theme's colours of the moment it was made; `set_icon` remembers the name with the
action or button, and `refresh` gives all of them the colours of a new theme.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from ortstudio.services import resources
from ortstudio.ui import theme

SIZES = (16, 24)
STROKE = 1.5
"""Pixels, at either size."""

_NAME = "ortstudio-icon"


def icon(name: str) -> QIcon:
    """The icon of `resources/icons/NAME.svg` in the theme's text colour, muted where disabled."""
    look = theme.current()
    return _made(name, look.text.name(), look.text_muted.name(), _pixel_ratio())


def tinted(name: str, colour: QColor) -> QIcon:
    """The icon in one colour of the theme, such as `warning`."""
    return _made(name, colour.name(), colour.name(), _pixel_ratio())


def pixmap(name: str, colour: QColor, size: int = 16) -> QPixmap:
    """The icon as a picture `size` wide and high, sharp on the sharpest screen."""
    return _painted(name, colour.name(), size, _pixel_ratio())


def application() -> QIcon:
    """The icon of ORT Studio itself."""
    return QIcon(str(resources.find("ortstudio.svg")))


def set_icon(target: QAction | QAbstractButton, name: str) -> None:
    """Give an action or a button an icon that `refresh` will know again."""
    target.setProperty(_NAME, name)
    target.setIcon(icon(name))


def refresh(root: QObject) -> None:
    """Recolour every icon below `root` that `set_icon` has set; for `QEvent.PaletteChange`."""
    targets: list[QAction | QAbstractButton] = [
        *root.findChildren(QAction),
        *root.findChildren(QAbstractButton),
    ]
    for target in targets:
        name = target.property(_NAME)
        if name:
            target.setIcon(icon(name))


def _pixel_ratio() -> float:
    app = QGuiApplication.instance()
    return app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0


@lru_cache(maxsize=512)
def _made(name: str, colour: str, disabled: str, ratio: float) -> QIcon:
    made = QIcon()
    for size in SIZES:
        made.addPixmap(_painted(name, colour, size, ratio), QIcon.Mode.Normal)
        made.addPixmap(_painted(name, disabled, size, ratio), QIcon.Mode.Disabled)
        made.addPixmap(_painted(name, colour, size, ratio), QIcon.Mode.Selected)
    return made


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
