"""What people choose first: how far to optimize, for which device, and where the result goes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.ui.offer.choices import LEVELS, STYLES, TARGETS
from ortstudio.ui.offer.fields import ChoiceField, PathField
from ortstudio.ui.offer.rows import Rows


class FirstChoices(Rows):
    """Level, style, target and folder."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.level: ChoiceField[Level] = ChoiceField(LEVELS)
        self.style_: ChoiceField[tuple[Style, ...]] = ChoiceField(STYLES)
        self.target: ChoiceField[Target | None] = ChoiceField(TARGETS)
        self.folder = PathField("Beside the source")
        self.level.add_to(self, "&Level")
        self.style_.add_to(self, "&Style")
        self.target.add_to(self, "&Target")
        self.add("&Where to", self.folder)
        for field in (self.level, self.style_, self.target, self.folder):
            field.chosen.connect(self.changed)

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        return replace(
            settings,
            level=self.level.value,
            styles=self.style_.value,
            target=self.target.value,
            output_dir=self.folder.path,
        )

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self.level.choose(settings.level)
        self.style_.choose(settings.styles)
        self.target.choose(settings.target)
        self.folder.choose(settings.output_dir)
