"""What the palette cannot say: hairlines for boxes, flat tabs and buttons, slim scroll bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortstudio.ui.theme import Theme

CONTROL = 26
"""Pixels that buttons and fields are high at least, whether they have an icon or not."""


def style_sheet(theme: Theme) -> str:
    """The style sheet of a theme, over Fusion."""
    line = f"1px solid {theme.hairline.name()}"
    # Lists are dark enough already: what can be filled in is lighter than its surroundings.
    field = (theme.hover if theme.dark else theme.surface).name()
    muted, accent = theme.text_muted.name(), theme.accent.name()
    return f"""
QAbstractItemView {{ border: none; outline: none; }}
QHeaderView {{ background: {theme.surface.name()}; border: none; }}
QHeaderView::section {{ background: {theme.surface.name()}; color: {muted}; border: none;
    padding: 4px 12px; }}
QHeaderView::section:horizontal {{ border-bottom: {line}; }}
QHeaderView::section:vertical {{ border-right: {line}; padding: 0 8px; }}
TableView::item {{ padding: 0 9px; }}
QTableCornerButton::section {{ background: {theme.surface.name()}; border: none;
    border-bottom: {line}; border-right: {line}; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QToolBar {{ border: none; border-bottom: {line}; padding: 4px; spacing: 4px; }}
QStatusBar {{ border-top: {line}; }}
QStatusBar::item {{ border: none; }}
QMainWindow::separator {{ background: {theme.hairline.name()}; width: 1px; height: 1px; }}
QSplitter::handle {{ background: {theme.hairline.name()}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QPushButton {{ background: {theme.surface.name()}; border: {line}; border-radius: 4px;
    padding: 4px 15px; min-height: {CONTROL - 10}px; }}
QPushButton:hover {{ background: {theme.hover.name()}; }}
QPushButton:checked {{ border: 1px solid {accent}; }}
QPushButton:pressed {{ background: {theme.hairline.name()}; }}
QPushButton:default {{ background: {accent}; border-color: {accent};
    color: {theme.selection_ink.name()}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 3px 14px; }}
QPushButton:default:focus {{ border-color: {theme.text.name()}; }}
QPushButton:disabled {{ color: {muted}; background: {theme.chrome.name()}; border: {line}; }}
QLineEdit {{ background: {field}; border: {line}; border-radius: 4px; padding: 3px 7px;
    min-height: {CONTROL - 8}px; }}
QLineEdit:focus {{ border: 2px solid {accent}; padding: 2px 6px; }}
QAbstractSpinBox, QComboBox {{ background: {field}; min-height: {CONTROL - 6}px; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; padding: 0; min-height: 0; }}
QCheckBox::indicator:unchecked, QRadioButton::indicator:unchecked,
QAbstractItemView::indicator:unchecked {{ width: 12px; height: 12px;
    background: {field}; border: 1px solid {theme.edge.name()}; }}
QRadioButton::indicator:unchecked {{ border-radius: 7px; }}
QProgressBar {{ background: {theme.hairline.name()}; color: transparent; border: none;
    border-radius: 3px; min-height: 6px; max-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QTabWidget::pane {{ border: none; border-top: {line}; }}
QTabBar::tab {{ color: {muted}; background: transparent; border: none; padding: 6px 12px;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {theme.text.name()}; border-bottom: 2px solid {accent}; }}
QTabBar::tab:hover {{ color: {theme.text.name()}; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {theme.edge.name()}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QMessageBox#error QLabel#qt_msgbox_label {{ font-weight: 600; min-width: 360px; }}
QToolTip {{ color: {theme.text.name()}; background: {theme.surface.name()}; border: {line};
    padding: 4px; }}
"""
