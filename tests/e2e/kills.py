"""Kills the program or its children while a folder is converted, and looks at what is left."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_resume import Left, left
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.hidden import PREFIX
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Style
from tests.e2e.test_cli_convert import small

OPTIONS = ("--style", "both", "--optimized-onnx", "--keep-going")
SETTINGS = ConvertSettings(styles=(Style.FIXED, Style.RUNTIME), optimized_onnx=True, resume=True)


@dataclass(frozen=True)
class Rig:
    """A folder of models, where its results go, and a temporary folder of its own."""

    source: Path
    out: Path
    temporary: Path

    @staticmethod
    def of(folder: Path) -> Rig:
        rig = Rig(folder / "models", folder / "out", folder / "tmp")
        for made in (rig.source / "sub", rig.temporary):
            made.mkdir(parents=True)
        for number in range(4):
            small(rig.source / f"m{number}.onnx", *["Exp", "Neg"] * (20 + 300 * number))
        small(rig.source / "sub" / "z.onnx", "Relu")
        return rig

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        arguments = ("convert", str(self.source), "-o", str(self.out), *OPTIONS, *options)
        return subprocess.Popen(
            [sys.executable, "-m", "ortstudio", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(self.temporary)},
        )

    def run(self, *options: str) -> float:
        """Convert all, and say how many seconds that took."""
        start = time.monotonic()
        with self.start(*options) as program:
            _, err = program.communicate(timeout=200)
        assert program.returncode == 0, err
        return time.monotonic() - start

    def kill(self, seed: int, longest: float, *, child: bool) -> None:
        """Convert all anew, and kill the program or one child of it at a random moment."""
        chance = random.Random(seed)
        with self.start("--overwrite") as program:
            time.sleep(chance.uniform(0, longest))
            processes = children_of(program.pid) if child else [program.pid]
            if processes and program.poll() is None:
                os.kill(chance.choice(processes), 9)
            _, err = program.communicate(timeout=200)
        assert b"Traceback" not in err

    def hashes(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.source)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.source.rglob("*")
            if path.is_file()
        }

    def faults(self) -> list[Path]:
        """What has a final name and is not whole, or not made from these very sources."""
        made = plan([self.source], replace(SETTINGS, output_dir=str(self.out)))
        sources = {output.path: row for row in made.sources for output in row.outputs}
        configs = {output.path for output in made.configs}
        found = (path for path in self.out.rglob("*") if path.is_file() and not is_hidden(path))
        return [
            path
            for path in found
            if (left(path) is not Left.OURS if path in configs else is_faulty(path, sources[path]))
        ]

    def hidden(self) -> list[Path]:
        """What is left of ours."""
        places = (self.source, self.out, self.temporary)
        return [path for place in places for path in place.rglob(f"{PREFIX}*")]


def is_hidden(path: Path) -> bool:
    return any(part.startswith(PREFIX) for part in path.parts)


def is_faulty(path: Path, source: PlannedSource) -> bool:
    return left(path, source) is not Left.CURRENT or read_model(path).error is not None


def children_of(process_id: int) -> list[int]:
    """Processes that a process has started. Linux only."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process_id:
            found.append(int(path.parent.name))
    return found
