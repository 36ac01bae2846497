"""`ortstudio render`: a graph as a picture, with no window and no display."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter

from ortstudio.analysis.words import count, printable, size_text
from ortstudio.errors import DONE_YES, RefusedError, UsageError, Where
from ortstudio.model.graph import MAIN_PATH
from ortstudio.model.model import FileKind
from ortstudio.services.document import Document, open_document
from ortstudio.services.graph_lookup import graph_number
from ortstudio.services.whole_file import check_apart, check_free, write_whole
from ortstudio.ui.canvas.artist import Artist
from ortstudio.ui.canvas.camera import Box, Camera, Size
from ortstudio.ui.canvas.measure import measure_fonts
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.svg import extent, svg
from ortstudio.ui.picturing import draw
from ortstudio.ui.theme import DARK, LIGHT, Theme

LONGEST_SIDE = 16_384
MOST_PIXELS = 64_000_000
"""What a PNG may measure: 256 MB while it is painted. A larger graph is drawn smaller."""

SCHEMA = "ortstudio/render@1"


class Answers(Protocol):
    """Where the verb's answer goes."""

    as_json: bool

    def json(self, answer: Mapping[str, object]) -> None:
        """Answer with an object."""

    def line(self, text: str = "") -> None:
        """Answer with a line."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What was written. `scale` is how many pixels a unit takes: 1 where texts have their size."""

    path: Path
    graph: str
    nodes: int
    size: Size
    scale: float

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        return {
            "schema": SCHEMA,
            "path": str(self.path),
            "size_bytes": self.path.stat().st_size,
            "graph": self.graph,
            "nodes": self.nodes,
            "width": int(self.size.width),
            "height": int(self.size.height),
            "scale": self.scale,
        }

    @property
    def text(self) -> str:
        """What was written, in a line."""
        width, height = (f"{int(side):,}" for side in self.size)
        smaller = f", at {self.scale:.2%} of its size" if self.scale < 1.0 else ""
        size = size_text(self.path.stat().st_size)
        name = printable(str(self.path))
        return f"{name}: {count(self.nodes, 'node')}, {width} × {height} pixels{smaller}, {size}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A model, where the picture goes, what it shows."""
    parser.add_argument("file", metavar="FILE", help="a model, .onnx or .ort")
    parser.add_argument(
        "-o",
        dest="target",
        required=True,
        type=Path,
        metavar="OUT.svg",
        help="the picture, by its ending: .svg with text as text, or .png",
    )
    parser.add_argument(
        "--graph", metavar="PATH", default=MAIN_PATH, help="a subgraph, as /if_0/then_branch"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")


def run(arguments: argparse.Namespace, output: Answers) -> int:
    """Lay the graph out, and write the picture whole or not at all."""
    target: Path = arguments.target
    check_apart(target, "-o", [arguments.file])
    is_svg = _is_svg(target)
    check_free(target, overwrite=arguments.overwrite)
    document = _drawable(arguments.file)
    graph = graph_number(document, arguments.graph)
    application = start_unseen()  # As long as it is kept there are fonts.
    scene = draw(document, graph, measure_fonts()).scene
    look = DARK if arguments.theme == "dark" else LIGHT
    scale = 1.0 if is_svg else png_scale(extent(scene))
    size = _size(scene, scale)
    if is_svg:
        lines = svg(scene, look, document.graph_title(graph))
        _write(target, (f"{line}\n".encode() for line in lines), arguments.overwrite)
    else:
        _write(target, [_png(_painted(scene, look, size))], arguments.overwrite)
    application.quit()
    picture = Picture(target, arguments.graph, len(document.graphs[graph].nodes), size, scale)
    if output.as_json:
        output.json(picture.to_json())
    else:
        output.line(picture.text)
    return DONE_YES


def start_unseen() -> QGuiApplication:
    """What fonts need of Qt. On Linux they are the same with a display as without."""
    if sys.platform.startswith("linux"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QGuiApplication(["ortstudio"])


def _is_svg(target: Path) -> bool:
    """Whether a drawing is asked for, not pixels. Raises UsageError where it is neither."""
    suffix = target.suffix.lower()
    if suffix not in (".svg", ".png"):
        where = Where(str(target))
        raise UsageError("A picture is .svg or .png", where=where, hint="Name it OUT.svg.")
    return suffix == ".svg"


def _drawable(path: str) -> Document:
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error
    if document.model.kind not in (FileKind.ONNX, FileKind.ORT):
        raise RefusedError("This has parameters, but no graph", where=Where(path))
    return document


def png_scale(box: Box) -> float:
    """How many pixels a unit of the scene takes: one, and less where a picture gets too large."""
    room = math.sqrt(MOST_PIXELS / (box.width * box.height))
    return min(1.0, LONGEST_SIDE / max(box.width, box.height), room)


def _size(scene: Scene, scale: float) -> Size:
    box = extent(scene)
    return Size(max(math.floor(box.width * scale), 1), max(math.floor(box.height * scale), 1))


def _painted(scene: Scene, look: Theme, size: Size) -> QImage:
    image = QImage(int(size.width), int(size.height), QImage.Format.Format_RGB32)
    if image.isNull():
        raise RefusedError("There is no memory for the picture", hint="Write an .svg.")
    painter = QPainter(image)
    Artist(scene, look).paint(painter, Camera.fitted(extent(scene), size), size, vector=True)
    painter.end()
    return image


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())


def _write(target: Path, parts: Iterable[bytes], overwrite: bool) -> None:
    write_whole(target, lambda file: file.writelines(parts), overwrite=overwrite)
