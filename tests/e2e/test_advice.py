"""How to ship a model: what is advised for models of many kinds, with real trials."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto

from ortstudio.errors import RefusedError
from ortstudio.jobs.runner import Child
from ortstudio.services.advice import Advice, advise_file
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.reasons import Evidence, Stance
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.uses import DEVICES, Recommendation, Use
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import onnx_model, value
from tests.builders.siblings import write_adapter
from tests.builders.small_graphs import (
    FLOAT,
    Node,
    Values,
    floats,
    model,
    signed_convolution,
)

SOURCES = CORPUS / "sources"


def no_child() -> Child:
    raise AssertionError("nothing need be run to know this")


def use(advice: Advice, which: Use) -> Recommendation:
    return next(found for found in advice.uses if found.use is which)


def texts(found: Recommendation) -> str:
    return "\n".join(reason.text for reason in found.reasons)


@pytest.fixture(scope="module")
def cnn() -> Advice:
    return advise_file(SOURCES / "cnn.onnx")


@pytest.fixture(scope="module")
def qdq() -> Advice:
    return advise_file(SOURCES / "qdq.onnx")


def test_the_plain_answer_weighs_reasons_that_hold_for_this_model(cnn: Advice) -> None:
    assert cnn.answer.ship == "ort"
    assert "nothing in this model is in the way" in cnn.answer.text
    found = {reason.text: reason for reason in cnn.answer.reasons}
    fewer = next(reason for text, reason in found.items() if text.startswith("Its 11 nodes become"))
    assert (fewer.stance, fewer.evidence) == (Stance.FOR, Evidence.MEASURED)
    grown = next(reason for text, reason in found.items() if "1.5 times as much" in text)
    assert (grown.stance, grown.evidence) == (Stance.AGAINST, Evidence.MEASURED)
    size = next(reason for text, reason in found.items() if "--fix-dim N=SIZE" in text)
    assert size.evidence is Evidence.FILE
    assert not any("faster" in text for text in found)


def test_every_use_has_settings_that_are_ready_to_be_used(cnn: Advice) -> None:
    assert [found.use for found in cnn.uses] == list(Use)
    assert use(cnn, Use.MOBILE_CPU).settings == ConvertSettings()
    assert use(cnn, Use.WEB).settings == ConvertSettings()
    assert use(cnn, Use.DESKTOP).ship == "onnx"
    assert use(cnn, Use.MINIMAL_BUILD).options == "--type-reduction"
    device = use(cnn, Use.NNAPI)
    assert device.settings == ConvertSettings(styles=(Style.RUNTIME,), fixed_dims={"N": 1})
    assert device.options == "--style runtime --fix-dim N=1"
    assert "To try it, convert with --style runtime." in texts(use(cnn, Use.MOBILE_CPU))
    assert "the default settings" in use(cnn, Use.DESKTOP).text
    assert device.reasons[0].evidence is Evidence.ESTIMATE


def test_records_that_stop_the_load_make_level_basic_the_better_one(qdq: Advice) -> None:
    device = use(qdq, Use.NNAPI)
    assert device.settings == ConvertSettings(level=Level.BASIC)
    assert "cannot be replayed" in texts(device)


def test_an_accelerator_that_takes_too_little_is_not_recommended(qdq: Advice) -> None:
    found = use(qdq, Use.COREML)
    assert not found.fits
    assert found.text.startswith("Not worth it: CoreML")
    assert found.settings == use(qdq, Use.MOBILE_CPU).settings


def test_signed_quantization_asks_for_arm_on_phones_and_nowhere_else(tmp_path: Path) -> None:
    onnx.save(signed_convolution(1), tmp_path / "m.onnx")
    found = advise_file(tmp_path / "m.onnx")
    assert use(found, Use.MOBILE_CPU).settings.target is Target.ARM
    assert "Activations are int8, without a target uint8." in texts(use(found, Use.MOBILE_CPU))
    assert use(found, Use.NNAPI).options == "--style runtime --target arm"
    assert use(found, Use.WEB).settings.target is None
    untried = advise_file(tmp_path / "m.onnx", with_effects=False)
    assert use(untried, Use.MOBILE_CPU).settings.target is Target.ARM
    assert use(untried, Use.MOBILE_CPU).reasons[0].evidence is Evidence.FILE


def test_only_sizes_that_come_first_are_proposed_as_one(tmp_path: Path) -> None:
    inputs: Values = {"x": (FLOAT, ["batch", 16, "h", 8])}
    source = model([("Conv", "x w", "a"), ("Relu", "a", "y")], inputs, arrays=WEIGHT)
    onnx.save(source, tmp_path / "m.onnx")
    found = use(advise_file(tmp_path / "m.onnx", with_effects=False), Use.NNAPI)
    assert found.settings.fixed_dims == {"batch": 1}
    assert "Fix h to the sizes that you need." in found.text


WEIGHT = {"w": floats(16, 16, 3, 3)}


def test_sizes_that_the_user_has_fixed_are_taken_as_they_are() -> None:
    base = ConvertSettings(fixed_dims={"N": 4})
    found = advise_file(SOURCES / "cnn.onnx", base, with_effects=False)
    assert found.accelerators is not None
    assert not found.accelerators.free
    assert use(found, Use.NNAPI).settings.fixed_dims == {"N": 4}
    assert use(found, Use.NNAPI).reasons[0].text == "NNAPI takes all 9 nodes in 1 piece."


def test_narrow_initializers_that_stay_keep_the_model_in_onnx() -> None:
    found = advise_file(SOURCES / "int4.onnx")
    assert found.answer.ship == "onnx"
    assert "1.28 and newer refuse it" in found.answer.reasons[0].text
    assert found.answer.reasons[0].evidence is Evidence.MEASURED
    assert all(one.ship == "onnx" for one in found.uses)


def test_narrow_initializers_that_are_packed_are_in_the_way_of_accelerators_only() -> None:
    found = advise_file(SOURCES / "int4_block.onnx")
    assert found.answer.ship == "ort"
    assert use(found, Use.NNAPI).text.startswith("Not possible with whole nodes")
    assert not use(found, Use.NNAPI).fits


def test_a_model_that_the_format_cannot_hold_stays_with_onnx() -> None:
    found = advise_file(SOURCES / "optional.onnx")
    assert found.answer.ship == "onnx"
    assert found.case.failure is not None
    assert "optional type" in found.answer.reasons[0].text
    assert use(found, Use.MINIMAL_BUILD).text.startswith("Not possible")
    assert "optional type" in found.untried


@pytest.mark.skipif(sys.platform == "win32", reason="files are sparse unasked on POSIX only")
def test_weights_over_two_gigabytes_are_known_from_the_header(tmp_path: Path) -> None:
    nodes: list[Node] = [("MatMul", f"v{i} w{i}", f"v{i + 1}") for i in range(3)]
    source = model(nodes, {"v0": (FLOAT, [1, 14336])}, {"v3": (FLOAT, [1, 14336])})
    size = 14336 * 14336 * 4
    for i in range(3):
        tensor = source.graph.initializer.add(name=f"w{i}", data_type=FLOAT, dims=[14336, 14336])
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in {"location": "w.bin", "offset": i * size, "length": size}.items():
            tensor.external_data.add(key=key, value=str(text))
    (tmp_path / "m.onnx").write_bytes(source.SerializeToString())
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(3 * size)
    found = advise_file(tmp_path / "m.onnx", make_child=no_child)
    assert found.answer.ship == "onnx"
    assert "cannot pass 2 GiB" in found.answer.reasons[0].text
    assert found.answer.reasons[0].evidence is Evidence.FILE


def test_a_model_without_its_weights_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes((SOURCES / "extdata.onnx").read_bytes())
    found = advise_file(tmp_path / "m.onnx", make_child=no_child)
    assert found.answer.text == "Nothing can be said yet: the model is not complete."
    assert "extdata.bin" in found.answer.reasons[0].text
    assert {found.answer.ship, *(one.ship for one in found.uses)} == {"not known"}
    assert all(one.text.startswith("Not known yet: ") for one in found.uses)


def test_operators_of_a_library_ask_for_the_library(tmp_path: Path) -> None:
    source = onnx_model(
        [onnx.helper.make_node("BpeLike", ["x"], ["y"], domain="my.ops")],
        [value("x")],
        [value("y")],
        domains=["my.ops"],
    )
    onnx.save(source, tmp_path / "m.onnx")
    found = advise_file(tmp_path / "m.onnx")
    assert "--custom-ops" in found.answer.text
    assert all("--custom-ops" in one.text for one in found.uses)
    assert any("BpeLike" in reason.text for reason in found.answer.reasons)


def test_growth_is_explained_by_what_fills_the_result(tmp_path: Path) -> None:
    nodes: list[Node] = [("Relu", f"v{i}", f"v{i + 1}") for i in range(300)]
    onnx.save(model(nodes, {"v0": (FLOAT, [1])}, {"v300": (FLOAT, None)}), tmp_path / "m.onnx")
    found = advise_file(tmp_path / "m.onnx")
    grown = next(r for r in found.answer.reasons if "times as much" in r.text)
    assert "node records" in grown.text
    assert grown.stance is Stance.AGAINST


def test_a_large_model_is_not_tried_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ortstudio.services.advice.UNASKED_NODES", 10)
    found = advise_file(SOURCES / "cnn.onnx")
    assert found.effects == {}
    assert found.untried.startswith("Not tried. It takes 9 conversions in a temporary folder")
    assert found.accelerators is not None


def test_a_file_in_ort_format_is_judged_as_it_is() -> None:
    found = advise_file(CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort")
    assert (found.answer.ship, found.answer.text) == ("ort", "Ship it as it is.")
    assert use(found, Use.WEB).text == "As it is."
    assert not use(found, Use.WEB).converts
    device = use(found, Use.NNAPI)
    assert device.converts
    assert not device.fits
    assert device.text == "Convert its source again with --style runtime --fix-dim N=1."
    assert found.untried.startswith("Only the source")


def test_a_file_for_one_kind_of_processor_is_not_for_phones() -> None:
    found = advise_file(CORPUS / "v6_ort1.32.0_cnn_nchwc_all.ort")
    assert found.answer.text == "Ship it only to x64 processors of the kind that made it."
    assert not use(found, Use.MOBILE_CPU).fits
    assert use(found, Use.DESKTOP).fits
    assert "fused or laid out for a CPU" in texts(use(found, Use.NNAPI))
    assert use(found, Use.NNAPI).options == "--style runtime"


def test_an_old_file_is_not_for_minimal_builds_of_today() -> None:
    found = advise_file(CORPUS / "v4_ort1.12.1_qdq_runtime_all.ort")
    minimal = use(found, Use.MINIMAL_BUILD)
    assert not minimal.fits
    assert minimal.text.startswith("Upgrade it")
    assert use(found, Use.NNAPI).text == "As it is."


def test_a_file_that_no_release_of_today_loads_is_not_to_be_shipped() -> None:
    found = advise_file(CORPUS / "v6_ort1.32.0_int4_fixed_disable.ort")
    assert found.answer.ship == "onnx"
    assert found.answer.text.startswith("Do not ship this file")
    assert not use(found, Use.MOBILE_CPU).fits
    assert use(found, Use.MOBILE_CPU).text.endswith("where that fails too, stay with ONNX.")
    assert use(found, Use.NNAPI).options == "--style runtime"
    told = [*found.answer.reasons, *(reason for one in found.uses for reason in one.reasons)]
    assert not any(reason.evidence is Evidence.MEASURED for reason in told)
    assert not any("load it" in reason.text for reason in told)


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("v5_ort1.15.1_qdq_runtime_all", ", with 1.30 or newer.", "stops the load"),
        ("v6_ort1.17.0_qdq_conv_runtime_all", "Ship it as it is.", "up to 1.29 replay"),
        ("v4_ort1.12.1_qdq_runtime_all", "Ship it as it is.", "ignore them"),
    ],
)
def test_what_is_saved_in_a_file_says_which_releases_replay_it(
    name: str, answer: str, told: str
) -> None:
    found = advise_file(CORPUS / f"{name}.ort")
    assert found.answer.text.endswith(answer)
    saved = next(reason.text for reason in found.answer.reasons if "saved in it" in reason.text)
    assert told in saved


def test_an_accelerator_that_may_be_worth_it_is_not_promised() -> None:
    found = use(advise_file(CORPUS / "v6_ort1.32.0_holes_fixed_disable.ort"), Use.NNAPI)
    assert (found.text, len(found.reasons)) == ("As it is, worth a try.", 1)


def test_what_has_no_graph_is_refused(tmp_path: Path) -> None:
    path = write_adapter(tmp_path / "m.onnx_adapter")
    with pytest.raises(RefusedError, match="no graph"):
        advise_file(path, make_child=no_child)


@pytest.mark.parametrize("name", ["cnn", "qdq_conv", "modern"])
def test_what_is_recommended_for_a_device_does_what_was_estimated(
    name: str, tmp_path: Path
) -> None:
    """The file that comes of the settings is taken by the accelerator as it is."""
    path = SOURCES / f"{name}.onnx"
    advice = advise_file(path, with_effects=False)
    found = [use(advice, which) for which in DEVICES if use(advice, which).fits]
    assert found
    for device in found:
        settings = replace(device.settings, output_dir=str(tmp_path), overwrite=True)
        (row,) = run(plan([path], settings)).results
        assert row.error is None
        result = advise_file(row.outputs[0].path)
        assert use(result, device.use).text == "As it is."
