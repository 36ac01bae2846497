"""`ortstudio advise` from the outside: exit codes, the page, the answer in JSON."""

from __future__ import annotations

from pathlib import Path

import onnxruntime
import pytest

from tests.builders.knowledge import CORPUS
from tests.builders.releases import release
from tests.e2e.command import Answer, Done, ortstudio
from tests.e2e.test_cli_convert import small

SOURCES = CORPUS / "sources"


@pytest.fixture(scope="module")
def done() -> Done:
    return ortstudio("advise", SOURCES / "cnn.onnx", "--json")


def test_the_answer_in_json_has_every_key(done: Done) -> None:
    assert (done.code, done.err) == (0, "")
    answer = done.json
    assert (answer["schema"], answer["ship"]) == ("ortstudio/advise@1", "ort")
    assert answer["file"]["kind"] == "onnx"
    for reason in answer["reasons"]:
        assert reason.keys() == {"text", "evidence", "stance"}
    assert {row["evidence"] for row in answer["reasons"]} <= {
        "from the file",
        "measured here",
        "estimate",
        "general rule",
    }
    assert (answer["error"], answer["effects_skipped"]) == (None, None)


def test_uses_come_with_settings_and_options(done: Done) -> None:
    uses = {row["use"]: row for row in done.json["uses"]}
    assert list(uses) == ["mobile-cpu", "nnapi", "coreml", "web", "desktop", "minimal-build"]
    assert uses["nnapi"]["options"] == "--style runtime --fix-dim N=1"
    assert uses["nnapi"]["settings"] == {
        "level": "all",
        "styles": ["runtime"],
        "target": None,
        "fixed_dims": {"N": 1},
        "type_reduction": False,
    }
    assert uses["desktop"]["ship"] == "onnx"


def test_accelerators_name_pieces_and_nodes_as_estimates(done: Done) -> None:
    found: dict[str, Answer] = {row["accelerator"]: row for row in done.json["accelerators"]}
    assert list(found) == ["nnapi", "coreml-neural-network", "coreml-ml-program", "xnnpack"]
    assert {row["evidence"] for row in found.values()} == {"estimate"}
    nnapi = found["nnapi"]
    assert (nnapi["taken"], nnapi["nodes"], len(nnapi["not_taken"])) == (0, 9, 9)
    first = nnapi["not_taken"][0]
    assert first["cause"] == "dynamic-shape"
    assert first["from"] == [{"graph": "/", "index": 0}, {"graph": "/", "index": 1}]
    assert [len(piece) for piece in nnapi["if_fixed"]["pieces"]] == [9]
    assert any(text.startswith("Conv: ") for text in nnapi["if_fixed"]["caveats"])


def test_effects_say_what_is_the_same(done: Done) -> None:
    rows = {row["name"]: row for row in done.json["effects"]}
    assert rows["level all"]["same_as"] == {"level": "layout", "style": "fixed", "target": None}
    assert rows["level basic"]["against"]["level"] == "disable"
    assert rows["level disable"]["against"] is None
    assert rows["runtime style"]["saved_optimizations"] == 1
    assert rows["level extended"]["steps"] == [
        {"kind": "fused", "text": "Conv and Relu become FusedConv", "times": 1}
    ]


def test_the_page_begins_with_the_answer() -> None:
    done = ortstudio("advise", SOURCES / "cnn.onnx", "--no-effects")
    assert (done.code, done.err) == (0, "")
    first, second, *rest = done.out.splitlines()
    assert first.startswith("cnn.onnx ")
    assert second.strip().startswith("Ship it in ORT format to phones")
    text = "\n".join(rest)
    assert "convert --style runtime --fix-dim N=1" in text
    assert "Accelerators  estimates, for the nodes of level basic" in text
    assert "Not tried. It takes 9 conversions" in text


def test_every_node_is_listed_when_asked() -> None:
    done = ortstudio("advise", SOURCES / "encoder.onnx", "--no-effects", "--all")
    assert "Erf #26: NNAPI has no Erf." in done.out
    assert "Sub #15: XNNPACK has no Sub." in done.out


def test_fixed_sizes_are_advised_on() -> None:
    done = ortstudio("advise", SOURCES / "cnn.onnx", "--no-effects", "--fix-dim", "N=2", "--json")
    (nnapi, *_) = done.json["accelerators"]
    assert (nnapi["taken"], nnapi["if_fixed"]) == (9, None)


def test_staying_with_onnx_is_the_answer_no_with_its_reason() -> None:
    done = ortstudio("advise", SOURCES / "optional.onnx")
    assert done.code == 1
    assert "Stay with ONNX" in done.out
    assert "optional type" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_text("<html>not here</html>")
    done = ortstudio("advise", tmp_path / "x.onnx", "--json")
    assert done.code == 3
    assert done.json["schema"] == "ortstudio/error@1"


def test_a_library_that_is_none_is_no_reason_to_stay_with_onnx(tmp_path: Path) -> None:
    library = tmp_path / "lib.so"
    library.write_text("text")
    done = ortstudio("advise", SOURCES / "cnn.onnx", "--custom-ops", library)
    assert (done.code, done.out) == (3, "")
    assert "is not a shared library that this system can load" in done.err


def test_one_node_stays_one(tmp_path: Path) -> None:
    done = ortstudio("advise", small(tmp_path / "m.onnx", "Relu"))
    assert "Level all leaves 1 node, in " in done.out


def test_the_release_that_was_used_stands_in_the_answer(done: Done) -> None:
    used = done.json["runtime"]
    assert used == {"name": "own", "onnxruntime": onnxruntime.__version__, "limits": []}


def test_a_runtime_that_is_not_at_hand_is_a_wrong_command_line() -> None:
    done = ortstudio("advise", SOURCES / "cnn.onnx", "--runtime", "1.2.3")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "There is no runtime '1.2.3' at hand" in done.err


def test_choices_are_tried_with_the_release_that_was_asked_for() -> None:
    old = release("1.12.1")
    done = ortstudio("advise", SOURCES / "cnn.onnx", "--runtime", old.where)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("onnxruntime 1.12.1 writes format version 4")
    _, _, tried = done.out.partition(
        "What each choice does  measured here, with onnxruntime 1.12.1"
    )
    assert "(ConvAct)" in tried
