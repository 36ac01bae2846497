"""How a file was made, written into its metadata: neither format says so by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import MissingError, Where
from ortstudio.services.sessions import Level, Style, Target

SOURCE = "ortstudio.source_sha256"
DATA = "ortstudio.external_data_sha256"
RUNTIME = "ortstudio.onnxruntime"
LEVEL = "ortstudio.level"
STYLE = "ortstudio.style"
TARGET = "ortstudio.target"
KEYS = (SOURCE, DATA, RUNTIME, LEVEL, STYLE, TARGET)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file was made from and how.

    `external_data_sha256` is of all files with weights beside the source, one after the other in
    the order in which they are given; empty where there are none. `target` is empty where none was
    asked for. A stamp that was read may lack anything: empty too.
    """

    source_sha256: str
    onnxruntime: str
    level: str
    style: str
    target: str = ""
    external_data_sha256: str = ""

    @staticmethod
    def of(
        source: Path,
        onnxruntime: str,
        level: Level,
        style: Style,
        target: Target | None = None,
        external: Sequence[Path] = (),
    ) -> Stamp:
        """Of a conversion by a release. Reads all files. Raises MissingError where it cannot."""
        return Stamp(
            source_sha256=sha256(source),
            onnxruntime=onnxruntime,
            level=level.value,
            style=style.value,
            target=target.value if target else "",
            external_data_sha256=sha256(*external) if external else "",
        )

    @staticmethod
    def read(metadata: Mapping[str, str]) -> Stamp | None:
        """The stamp that metadata hold; None where there is none."""
        if not any(key in metadata for key in KEYS):
            return None
        return Stamp(
            source_sha256=metadata.get(SOURCE, ""),
            onnxruntime=metadata.get(RUNTIME, ""),
            level=metadata.get(LEVEL, ""),
            style=metadata.get(STYLE, ""),
            target=metadata.get(TARGET, ""),
            external_data_sha256=metadata.get(DATA, ""),
        )

    def entries(self) -> dict[str, str]:
        """The entries of the metadata."""
        found = {
            SOURCE: self.source_sha256,
            DATA: self.external_data_sha256,
            RUNTIME: self.onnxruntime,
            LEVEL: self.level,
            STYLE: self.style,
            TARGET: self.target,
        }
        return {key: text for key, text in found.items() if text}

    def words(self) -> tuple[str, ...]:
        """How, and from what: `ONNX Runtime 1.32.0, level all, style fixed`, then hashes."""
        how = [
            f"by ONNX Runtime {self.onnxruntime}" if self.onnxruntime else "",
            f"level {self.level}" if self.level else "",
            f"style {self.style}" if self.style else "",
            f"target {self.target}" if self.target else "",
        ]
        source, data = self.source_sha256, self.external_data_sha256
        found = (
            ", ".join(filter(None, how)),
            f"from a source with SHA-256 {source}" if source else "",
            f"and external data with SHA-256 {data}" if data else "",
        )
        return tuple(filter(None, found))

    def to_json(self) -> dict[str, str | None]:
        """As `inspect` answers it: null for what is not said."""
        return {
            "source_sha256": self.source_sha256 or None,
            "external_data_sha256": self.external_data_sha256 or None,
            "onnxruntime": self.onnxruntime or None,
            "level": self.level or None,
            "style": self.style or None,
            "target": self.target or None,
        }


def sha256(*paths: Path) -> str:
    """Of the content of some files, one after the other, in hexadecimal."""
    import hashlib  # Late: whoever only reads stamps has no use for it.

    digest = hashlib.sha256()
    for path in paths:
        for chunk in _chunks(path):
            digest.update(chunk)
    return digest.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                yield chunk
    except OSError as error:
        raise MissingError(
            f"The file cannot be read: {error.strerror or error}", where=Where(str(path))
        ) from None
