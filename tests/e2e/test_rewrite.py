"""Files written anew by the program: the runtime loads them and computes what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from ortstudio.errors import FormatError, RefusedError
from ortstudio.jobs.runner import Child, Outcome, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.exchange import Description, Value, read_values, write_values
from ortstudio.services.ort_write import reproducible, rewrite
from ortstudio.services.sessions import Level, Session, Style, saving_config
from tests.builders.corpus import CorpusFile, corpus_files
from tests.builders.knowledge import CORPUS
from tests.builders.recorded import recorded

LOADED = [row for row in corpus_files() if row["in_1.32.0"]["load"] == "ok"]


@pytest.fixture(scope="module")
def child() -> Iterator[Callable[[], Child]]:
    with children(agent_child) as found:
        yield found


def run(
    child: Child, model: Path, inputs: Mapping[str, Value], folder: Path, level: Level
) -> dict[str, Value]:
    described = write_values(folder / "in.npz", inputs)
    arguments = {
        "session": Session(str(model), FileKind.ORT, level).to_json(),
        "inputs": {"file": str(folder / "in.npz"), "values": described},
        "outputs": str(folder / "out.npz"),
    }
    outcome: Outcome = child.ask("run", arguments)
    assert outcome.ok, outcome.failure
    return read_values(folder / "out.npz", cast("list[Description]", outcome.value["outputs"]))


@pytest.mark.parametrize("row", LOADED, ids=lambda row: row["file"])
def test_what_the_runtime_loads_it_loads_written_anew_and_computes_the_same(
    row: CorpusFile, tmp_path: Path, child: Callable[[], Child]
) -> None:
    source, target = CORPUS / row["file"], tmp_path / "m.ort"
    reproducible(source, target)
    inputs, _ = recorded(CORPUS / row["npz"])
    before = run(child(), source, inputs, tmp_path, Level.ALL)
    after = run(child(), target, inputs, tmp_path, Level.ALL)
    assert all(output.equal for output in agreement(before, after, Tolerance(0, 0)))


def test_conversions_by_different_processes_give_the_same_bytes(tmp_path: Path) -> None:
    """As the runtime writes them they differ in how they are laid out."""
    made = [converted(tmp_path / str(i)) for i in range(3)]
    assert len({tuple(written for written, _ in one) for one in made}) > 1
    assert made[0]
    for one in made[1:]:
        assert [canonical for _, canonical in one] == [canonical for _, canonical in made[0]]


def converted(folder: Path) -> list[tuple[bytes, bytes]]:
    """What a process of its own converts: as the runtime wrote it, and written anew."""
    folder.mkdir()
    found = []
    with children(agent_child) as child:
        for name in ("cnn", "control", "encoder", "meta", "qdq_conv"):
            for style in Style:
                config = saving_config(style)
                source = str(CORPUS / "sources" / f"{name}.onnx")
                session = Session(source, FileKind.ONNX, Level.EXTENDED, config)
                path = folder / f"{name}.{style.value}.ort"
                arguments = {"session": session.to_json(), "output": str(path)}
                assert child().ask("convert", arguments).ok
                reproducible(path, path.with_suffix(".canonical.ort"))
                canonical = path.with_suffix(".canonical.ort").read_bytes()
                found.append((path.read_bytes(), canonical))
    return found


def test_what_is_no_model_in_ort_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="not a model in ORT format"):
        rewrite(CORPUS / "sources" / "cnn.onnx", tmp_path / "m.ort")


def test_a_damaged_file_is_refused_with_its_place_and_nothing_is_written(tmp_path: Path) -> None:
    cut = tmp_path / "cut.ort"
    cut.write_bytes((CORPUS / LOADED[0]["file"]).read_bytes()[:3000])
    with pytest.raises(FormatError) as refused:
        rewrite(cut, tmp_path / "m.ort")
    assert refused.value.where.path == str(cut)
    assert not (tmp_path / "m.ort").exists()
