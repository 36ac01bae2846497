"""The same child program under real old releases of ONNX Runtime.

The long tests install them, once, into a cache outside the checkout; the others use what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

from ortstudio.jobs.runner import Child, Outcome
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType
from ortstudio.services import runtimes
from ortstudio.services.exchange import Description, TensorValue, read_values, write_values
from ortstudio.services.knowledge import knowledge
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import Places, Runtime
from ortstudio.services.runtimes.runtime import version_key
from ortstudio.services.runtimes.survey import survey
from ortstudio.services.sessions import (
    Level,
    Session,
    Style,
    converter_disabled,
    saving_config,
)
from tests.builders.onnx_files import FLOAT, value, weight
from tests.builders.recorded_releases import in_order, recorded_survey
from tests.builders.releases import places, release
from tests.e2e.command import ortstudio

QUICK = "1.12.1"
RELEASES = ["1.4.0", "1.5.2", "1.7.0", "1.10.0", "1.14.1", "1.16.3"]
"""Of each ORT format version but the second, and one from before there was a format."""

Numbers = NDArray[np.float32]

PIXELS = np.linspace(-1, 1, 3 * 8 * 8, dtype=np.float32).reshape(1, 3, 8, 8)
KERNELS = np.linspace(-1, 1, 8 * 3 * 3 * 3, dtype=np.float32).reshape(8, 3, 3, 3)


@pytest.fixture(
    scope="module",
    params=[QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in RELEASES)],
)
def under(request: pytest.FixtureRequest) -> Runtime:
    return release(request.param, fetch=request.param != QUICK)


@pytest.fixture(scope="module")
def child(under: Runtime) -> Iterator[Child]:
    with under.child() as made:
        yield made


def old_model(outputs: list[onnx.ValueInfoProto], *nodes: onnx.NodeProto) -> ModelProto:
    """A model that every release since 1.4 takes."""
    first = helper.make_node("Conv", ["x", "w"], ["c"])
    second = helper.make_node("Relu", ["c"], ["y"])
    graph = helper.make_graph(
        [first, second, *nodes],
        "g",
        [value("x", FLOAT, [1, 3, 8, 8])],
        outputs,
        [weight("w", KERNELS)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    onnx.save(old_model([value("y", FLOAT, [1, 8, 6, 6])]), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def session(path: Path, kind: FileKind = FileKind.ONNX, **changes: object) -> dict[str, object]:
    disabled = converter_disabled(Level.ALL, None)
    made = Session(str(path), kind, Level.ALL, {}, disabled)
    return {**made.to_json(), **changes}


def converted(child: Child, source: Path, style: Style = Style.FIXED) -> Outcome:
    made = Session(
        str(source),
        FileKind.ONNX,
        Level.ALL,
        saving_config(style),
        converter_disabled(Level.ALL, None),
    )
    output = str(source.with_name("result"))
    return child.ask("convert", {"session": made.to_json(), "output": output})


def run(child: Child, asked: dict[str, object], folder: Path) -> Outcome:
    given = TensorValue(DataType.FLOAT, PIXELS.shape, PIXELS)
    described = write_values(folder / "in.npz", {"x": given})
    inputs = {"file": str(folder / "in.npz"), "values": described}
    arguments = {"session": asked, "inputs": inputs, "outputs": str(folder / "out.npz")}
    return child.ask("run", arguments)


def output_of(outcome: Outcome, folder: Path) -> Numbers:
    assert outcome.ok, outcome.words
    described = cast("list[Description]", outcome.value["outputs"])
    (found,) = read_values(folder / "out.npz", described).values()
    assert isinstance(found, TensorValue)
    return np.asarray(found.numbers, np.float32)


def expected() -> Numbers:
    """Convolution without padding, and what is negative cut off."""
    windows = np.lib.stride_tricks.sliding_window_view(PIXELS[0], (3, 3), axis=(1, 2))
    return np.asarray(np.maximum(np.einsum("cyxij,ocij->oyx", windows, KERNELS), 0)[None])


@pytest.mark.long
def test_the_release_of_the_quick_tests_is_brought() -> None:
    assert release(QUICK, fetch=True).onnxruntime == QUICK


def test_it_says_which_release_it_is(under: Runtime, child: Child) -> None:
    assert child.ask("probe", {}).value["onnxruntime"] == under.onnxruntime
    assert "CPUExecutionProvider" in under.providers


def test_it_loads_and_runs_an_onnx_model(child: Child, source: Path) -> None:
    found = child.ask("load", {"session": session(source)})
    assert found.ok, found.words
    assert found.value["outputs"] == [{"name": "y", "type": "tensor(float)", "shape": [1, 8, 6, 6]}]
    outcome = run(child, session(source), source.parent)
    np.testing.assert_allclose(output_of(outcome, source.parent), expected(), atol=1e-5)


def test_what_it_converts_has_its_format_version_and_runs(
    under: Runtime, child: Child, source: Path
) -> None:
    if under.minor < 5:
        pytest.skip("it has no ORT format")
    outcome = converted(child, source)
    assert outcome.ok, outcome.words
    model = read_model(source.with_name("result"))
    assert model.error is None
    assert model.ort is not None
    version = knowledge().versions.get(model.ort.format_version)
    assert version is not None
    assert under.minor in version.writes
    assert "com.microsoft.nchwc" not in model.graphs[0].nodes.domains
    outcome = run(child, session(source.with_name("result"), FileKind.ORT), source.parent)
    np.testing.assert_allclose(output_of(outcome, source.parent), expected(), atol=1e-5)


def test_what_it_cannot_do_it_says_as_what_the_release_cannot(
    under: Runtime, child: Child, source: Path
) -> None:
    """And what it can do it does; the limits that are told beforehand are the same ones."""
    key = version_key(under.onnxruntime)
    cast_node = helper.make_node("Cast", ["y"], ["b"], to=TensorProto.BFLOAT16)
    wide = source.with_name("wide.onnx")
    onnx.save(old_model([value("b", TensorProto.BFLOAT16, None)], cast_node), wide)
    some = ["ConvActivationFusion"]
    for outcome, since, words in (
        (converted(child, source), (1, 5), "cannot write ORT format"),
        (converted(child, source, Style.RUNTIME), (1, 11), "cannot save optimizations|ORT format"),
        (run(child, session(source, disabled_optimizers=some), source.parent), (1, 8), "leave"),
    ):
        if key >= since:
            assert outcome.ok, outcome.words
        else:
            assert outcome.failure is not None
            assert outcome.failure.kind == "unsupported"
            assert f"onnxruntime {under.onnxruntime} cannot" in outcome.failure.message
            assert any(word in outcome.failure.message for word in words.split("|"))
    assert child.ask("probe", {}).ok


def test_what_it_refuses_is_told_in_its_own_words(child: Child, source: Path) -> None:
    source.with_name("bad.onnx").write_bytes(b"nothing")
    outcome = child.ask("load", {"session": session(source.with_name("bad.onnx"))})
    assert outcome.failure is not None
    assert outcome.failure.kind == "load"
    assert "rotobuf" in outcome.failure.message


def test_its_survey_is_as_it_was_recorded(under: Runtime, tmp_path: Path, corpus: Path) -> None:
    found = survey(under, tmp_path)
    assert in_order(dict(found.facts)) == recorded_survey(corpus, under.onnxruntime)


def test_convert_takes_a_release_by_name(source: Path, tmp_path: Path) -> None:
    under = release(QUICK)
    listed = kept(under, tmp_path)
    arguments = ("convert", source, "-o", tmp_path / "out", "--runtime", QUICK)
    done = ortstudio(*arguments, "--json", environment=listed)
    assert done.code == 0, done.err
    assert done.json["results"][0]["verified"]["agrees"]
    assert done.json["runtime"]["onnxruntime"] == QUICK
    assert "format version 4" in done.json["runtime"]["limits"][0]
    model = read_model(tmp_path / "out" / "m.ort")
    assert model.ort is not None
    assert model.ort.format_version == 4
    done = ortstudio(*arguments, "--overwrite", environment=listed)
    assert "writes format version 4" in done.out


def test_the_operator_set_is_updated_though_the_release_has_no_onnx(
    source: Path, tmp_path: Path
) -> None:
    listed = kept(release(QUICK), tmp_path)
    arguments = ("convert", source, "-o", tmp_path / "out", "--opset", "13", "--runtime", QUICK)
    done = ortstudio(*arguments, "--json", environment=listed)
    assert done.code == 0, done.err
    found = read_model(tmp_path / "out" / "m.ort").opset_imports
    assert {row.domain: row.version for row in found}[""] == 13


def kept(under: Runtime, folder: Path) -> dict[str, str]:
    """An environment in which the release is at hand."""
    home = folder / "config"
    runtimes.add(under.where, Places(home / "ortstudio" / "runtimes.json", folder / "data"))
    return {"XDG_CONFIG_HOME": str(home), "APPDATA": str(home)}


def test_the_cache_is_outside_the_checkout(checkout: Path) -> None:
    assert not places().folder.is_relative_to(checkout)
