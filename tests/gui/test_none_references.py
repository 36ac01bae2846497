"""The reason why PySide6 stays below 6.12 (see pyproject.toml).

There each call of a void method takes one reference off None. Before Python 3.12 made None immortal
that ends the process after a few thousand paint calls, so the count is taken in a child process.
"""

from __future__ import annotations

import subprocess
import sys

CALLS = 20_000
PROGRAM = f"""
import sys
from PySide6.QtGui import QColor, QImage, QPainter, QPen

image = QImage(8, 8, QImage.Format.Format_ARGB32)
painter = QPainter(image)
pen = QPen(QColor("black"))
before = sys.getrefcount(None)
for _ in range({CALLS}):
    painter.setPen(pen)
after = sys.getrefcount(None)
painter.end()
print(after - before)
"""


def test_painting_takes_no_reference_off_none() -> None:
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr
    assert abs(int(child.stdout)) < CALLS // 100
