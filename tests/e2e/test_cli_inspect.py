"""`ortstudio inspect` on files from the field, as text and as JSON."""

from __future__ import annotations

import re
from pathlib import Path

import onnx
import pytest
from onnx import helper

from tests.builders.onnx_files import FLOAT, onnx_model, value
from tests.builders.siblings import write_adapter, write_checkpoint
from tests.e2e.command import Answer, Done, ortstudio


def fact(done: Done, label: str) -> str:
    """What the page says behind a label, the lines below it included."""
    lines = done.out.splitlines()
    first = next(i for i, line in enumerate(lines) if re.match(rf"  {re.escape(label)}\s", line))
    text = [lines[first][2 + len(label) :].strip()]
    for line in lines[first + 1 :]:
        if not line.startswith(" " * 20):
            break
        text.append(line.strip())
    return " ".join(text)


def section(done: Done, title: str) -> str:
    """The lines of one section of the page."""
    found = re.search(rf"^{re.escape(title)}.*?(?=^$|\Z)", done.out, re.MULTILINE | re.DOTALL)
    assert found, f"no section {title}"
    return " ".join(found[0].split())


@pytest.fixture(scope="module")
def relu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A one-node model with everything set that a model can say of itself, and its conversion."""
    path = tmp_path_factory.mktemp("relu") / "relu.onnx"
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"], "activate")],
        "g",
        [value("x", FLOAT, [1])],
        [value("y", FLOAT, [1])],
        doc_string="What the graph is",
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="maker",
        producer_version="1.2",
        model_version=42,
        domain="org.example",
        doc_string="What the model is",
    )
    helper.set_model_props(model, {"author": "nobody"})
    onnx.save(model, path)
    assert ortstudio("convert", path).code == 0
    return path.with_suffix(".ort")


def test_the_three_versions_are_labelled_apart(relu: Path) -> None:
    done = ortstudio("inspect", relu)
    assert fact(done, "ORT format version").startswith("6, written by ONNX Runtime 1.16 and newer")
    assert fact(done, "ONNX IR version") == "8"
    assert fact(done, "Opset").startswith("ai.onnx 17")
    assert fact(done, "Model version") == "42"
    assert "does not say which release wrote it" in fact(done, "ORT format version")
    assert "a guess" in fact(done, "ORT format version")


def test_what_the_source_says_of_itself_is_shown(relu: Path) -> None:
    for path in (relu, relu.with_suffix(".onnx")):
        done = ortstudio("inspect", path)
        assert fact(done, "Producer") == "maker, version 1.2"
        assert fact(done, "Domain") == "org.example"
        assert fact(done, "Doc string") == "What the model is"
        assert fact(done, "Graph doc string") == "What the graph is"
        assert fact(done, "Metadata") == "author = nobody"


def test_format_5_is_told_in_its_releases(corpus: Path) -> None:
    done = ortstudio("inspect", corpus / "v5_ort1.15.1_types_fixed_disable.ort")
    assert fact(done, "ORT format version").startswith("5, written by ONNX Runtime 1.13 to 1.15 ")


def test_a_model_version_that_was_never_set_reads_so(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    ends = value("x", FLOAT, [1]), value("y", FLOAT, [1])
    onnx.save(onnx_model(nodes, ends[:1], ends[1:]), tmp_path / "m.onnx")
    assert ortstudio("convert", tmp_path / "m.onnx").code == 0
    done = ortstudio("inspect", tmp_path / "m.ort")
    assert fact(done, "Model version") == "not set"
    assert "9223372036854775807" not in done.out
    assert ortstudio("inspect", tmp_path / "m.ort", "--json").json["model_version"] is None


@pytest.mark.parametrize(("version", "text"), [("7", "newer than this tool knows"), ("x", "'x'")])
def test_a_format_version_of_no_release_is_shown_as_it_is(
    relu: Path, tmp_path: Path, version: str, text: str
) -> None:
    content = relu.read_bytes()
    place = content.rindex(b"\x01\0\0\x006\0") + 4
    path = tmp_path / "odd.ort"
    path.write_bytes(content[:place] + version.encode() + content[place + 1 :])
    done = ortstudio("inspect", path)
    assert done.code == 0
    assert fact(done, "ORT format version").startswith(f"{version}: ")
    assert text in fact(done, "ORT format version")
    assert "1  Relu" in done.out
    found = ortstudio("inspect", path, "--json").json
    assert found["format_version_text"] == version
    assert found["format_version"] == (7 if version == "7" else None)


def test_saved_optimizations_are_told_with_their_nodes_and_replay(corpus: Path) -> None:
    path = corpus / "v6_ort1.32.0_cnn_runtime_all.ort"
    told = section(ortstudio("inspect", path), "Saved optimizations")
    assert "ConvActivationFusion" in told
    assert "Conv and Relu become com.microsoft.FusedConv (nodes" in told
    assert "Replayed when enabled" in told
    assert "only for models that are trusted" in told
    records = ortstudio("inspect", path, "--json").json["runtime_optimizations"]
    assert {row["replays"] for row in records} == {"when enabled"}
    assert all(row["why"] and len(row["nodes"]) == 2 for row in records)


def test_only_nodes_tie_a_model_to_a_cpu(corpus: Path) -> None:
    portable = ortstudio("inspect", corpus / "v6_ort1.32.0_cnn_runtime_all.ort")
    assert fact(portable, "portable")
    assert "imported but not used" in section(portable, "Portability")
    tied = ortstudio("inspect", corpus / "v6_ort1.32.0_cnn_nchwc_all.ort")
    assert "com.microsoft.nchwc.Conv" in fact(tied, "this-cpu-family")
    assert "without the amd64 target" in fact(tied, "this-cpu-family")


def chain_of_ifs(path: Path, count: int) -> Path:
    """A model with very many graphs, inputs and outputs."""
    nodes, outputs = [], []
    for i in range(count):
        end = value(f"y{i}", FLOAT, [1])
        body = helper.make_graph([helper.make_node("Relu", ["x"], [f"y{i}"])], "b", [], [end])
        nodes.append(helper.make_node("If", ["c"], [f"z{i}"], then_branch=body, else_branch=body))
        outputs.append(value(f"z{i}", FLOAT, [1]))
    inputs = [value("x", FLOAT, [1]), value("c", onnx.TensorProto.BOOL, [])]
    onnx.save(onnx_model(nodes, inputs, outputs), path)
    return path


def test_the_text_of_a_big_file_stays_short(tmp_path: Path) -> None:
    done = ortstudio("inspect", chain_of_ifs(tmp_path / "m.onnx", 300))
    assert len(done.out.splitlines()) < 80
    assert "and 588 more" in done.out


def test_lists_are_whole_when_asked_for(corpus: Path) -> None:
    path = corpus / "v6_ort1.32.0_cnn_runtime_all.ort"
    done = ortstudio("inspect", path, "--nodes", "--initializers")
    found = ortstudio("inspect", path, "--nodes", "--initializers", "--json").json
    nodes = done.out[done.out.index("Nodes of /") : done.out.index("Initializers of /")]
    for node in found["nodes"]:
        assert re.search(rf"^ +{node['index']}  {node['op_type']} ", nodes, re.MULTILINE)
    for tensor in found["initializers"]:
        assert f"  {tensor['name']} " in done.out[done.out.index("Initializers of /") :]


@pytest.mark.parametrize("suffix", [".ort", ".onnx"])
def test_text_and_json_tell_the_same_numbers(relu: Path, suffix: str) -> None:
    path = relu.with_suffix(suffix)
    done, found = ortstudio("inspect", path), ortstudio("inspect", path, "--json").json
    assert f"Bytes  {found['file']['size_bytes']:,}" in done.out
    assert f"Nodes  {found['totals']['nodes']}," in done.out
    assert fact(done, "Parameters") == f"{found['totals']['parameters']:,}"


def kind(path: Path) -> tuple[str, list[str]]:
    found = ortstudio("inspect", path, "--json").json
    return found["file"]["kind"], [row["code"] for row in found["findings"]]


def test_the_kind_is_decided_by_content_and_a_wrong_name_is_told(
    relu: Path, tmp_path: Path
) -> None:
    ort, source = relu.read_bytes(), relu.with_suffix(".onnx").read_bytes()
    for name, content, expected in (
        ("a.onnx", ort, "ort"),
        ("b.ort", source, "onnx"),
        ("c", ort, "ort"),
        ("d.ORT", ort, "ort"),
    ):
        (tmp_path / name).write_bytes(content)
        found, codes = kind(tmp_path / name)
        assert found == expected, name
        # The runtime goes by the name, whatever its case.
        assert ("extension-mismatch" in codes) == (name != "d.ORT"), name


def with_external_weight(folder: Path) -> Path:
    """A product with a weight of 256 by 256 in `ext.bin`."""
    tensor = onnx.TensorProto(
        name="w", data_type=FLOAT, dims=[256, 256], data_location=onnx.TensorProto.EXTERNAL
    )
    tensor.external_data.add(key="location", value="ext.bin")
    tensor.external_data.add(key="offset", value="0")
    tensor.external_data.add(key="length", value=str(256 * 256 * 4))
    ends = value("x", FLOAT, [1, 256]), value("y", FLOAT, [1, 256])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    path = folder / "model.onnx"
    onnx.save(onnx_model(nodes, ends[:1], ends[1:], [tensor]), path)
    (folder / "ext.bin").write_bytes(bytes(256 * 256 * 4))
    return path


def external(found: Answer) -> tuple[Answer, list[str]]:
    (row,) = found["file"]["external_data"]
    return row, [finding["message"] for finding in found["findings"]]


def test_weights_in_another_file_are_counted_with_it(tmp_path: Path) -> None:
    path = with_external_weight(tmp_path)
    row, _ = external(ortstudio("inspect", path, "--json").json)
    assert (row["path"], row["size_bytes"], row["found"]) == ("ext.bin", 262_144, True)
    assert fact(ortstudio("inspect", path), "External data") == "ext.bin, 262 kB"


def test_without_that_file_everything_else_is_still_told(tmp_path: Path) -> None:
    path = with_external_weight(tmp_path)
    (tmp_path / "ext.bin").unlink()
    done = ortstudio("inspect", path, "--json")
    row, messages = external(done.json)
    assert done.code == 0
    assert (row["size_bytes"], row["found"]) == (None, False)
    assert any("'w'" in message and "ext.bin" in message for message in messages)
    assert done.json["graphs"][0]["outputs"] == [{"name": "y", "type": "tensor(float)[1,256]"}]
    assert "missing" in fact(ortstudio("inspect", path), "External data")


def test_of_a_short_file_the_needed_range_and_the_real_length_are_told(tmp_path: Path) -> None:
    path = with_external_weight(tmp_path)
    (tmp_path / "ext.bin").write_bytes(bytes(1000))
    _, messages = external(ortstudio("inspect", path, "--json").json)
    (message,) = [text for text in messages if "'w'" in text]
    assert "262,144" in message
    assert "1,000" in message


def test_a_training_checkpoint_is_told_as_one(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "checkpoint")
    done, found = ortstudio("inspect", path), ortstudio("inspect", path, "--json").json
    assert fact(done, "Checkpoint version") == "2"
    assert fact(done, "Trained") == "1 parameter: weight"
    assert fact(done, "group0") == "step 12, first learning rate 0.5, 1 parameter"
    assert "Graph" not in done.out
    assert (found["file"]["kind"], found["format_version"]) == ("ort-checkpoint", 2)
    assert found["checkpoint"]["properties"] == {"epoch": 3, "note": "half way"}
    assert sum(found["size"].values()) == path.stat().st_size
    assert ortstudio("tensor", path, "weight", "--json").json["values"] == [1.0, 2.0]


def test_an_adapter_is_told_as_one(tmp_path: Path) -> None:
    path = write_adapter(tmp_path / "a.onnx_adapter")
    done, found = ortstudio("inspect", path), ortstudio("inspect", path, "--json").json
    assert fact(done, "Adapter version") == "7"
    assert fact(done, "Model version") == "3"
    assert found["file"]["kind"] == "lora-adapter"
    assert found["totals"]["bytes_by_type"] == {"int64": 32, "float": 24}
    assert ortstudio("tensor", path, "b", "--json").json["values"] == [0, 1, 2, 3]
