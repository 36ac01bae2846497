"""Ways of loading: the entries that they set, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.errors import RefusedError
from ortstudio.model.model import FileKind
from ortstudio.services.snippet import Loading, SnippetModel, Way
from ortstudio.services.snippet.code import notes, package
from ortstudio.services.snippet.loading import check, entries

ORT = SnippetModel("folder/m.ort", FileKind.ORT, (), (), {})
ONNX = replace(ORT, path="m.onnx", kind=FileKind.ONNX)
SAVED = replace(ORT, saved_optimizations=2, replays=True)

MAP = "session.use_memory_mapped_ort_model"
IN_PLACE = "session.use_ort_model_bytes_for_initializers"
DIRECTLY = "session.use_ort_model_bytes_directly"
UNPACKED = "session.disable_prepacking"
REPLAY = "session.enable_saved_runtime_optimizations"
FORMAT = "session.load_model_format"


@pytest.mark.parametrize(
    ("model", "loading", "wanted"),
    [
        (ORT, Loading(), {}),
        (ONNX, Loading(), {}),
        (ORT, Loading(Way.MAPPED, in_place=True), {MAP: True, IN_PLACE: True, UNPACKED: False}),
        (ORT, Loading(Way.MAPPED), {MAP: True}),
        (ORT, Loading(prepacking=False), {UNPACKED: True}),
        (ORT, Loading(Way.BYTES), {}),
        (ORT, Loading(Way.BYTES, directly=True), {DIRECTLY: True}),
        (
            ORT,
            Loading(Way.BYTES, directly=True, in_place=True, prepacking=False),
            {DIRECTLY: True, IN_PLACE: True, UNPACKED: True},
        ),
        (SAVED, Loading(), {REPLAY: False}),
        (SAVED, Loading(replay=True), {REPLAY: True}),
        (replace(SAVED, replays=False), Loading(replay=True), {}),
        (replace(ORT, path="m.bin"), Loading(), {FORMAT: True}),
        (replace(ORT, path="m.ORT"), Loading(), {}),
        (replace(ORT, path="m.bin"), Loading(Way.BYTES), {}),
        (replace(ONNX, path="m.ort"), Loading(), {FORMAT: True}),
    ],
)
def test_a_way_of_loading_sets_its_entries(
    model: SnippetModel, loading: Loading, wanted: dict[str, bool]
) -> None:
    check(model, loading)
    assert {entry.key: entry.active for entry in entries(model, loading)} == wanted


def test_the_format_is_written_as_the_runtime_compares_it() -> None:
    wrong = replace(ORT, path="m.onnx"), replace(ONNX, path="m.ort")
    assert [entries(model, Loading())[0].value for model in wrong] == ["ORT", "ONNX"]


@pytest.mark.parametrize(
    ("model", "loading"),
    [
        (ONNX, Loading(Way.MAPPED)),
        (ONNX, Loading(Way.BYTES, directly=True)),
        (ORT, Loading(in_place=True)),
        (ORT, Loading(Way.BYTES, in_place=True)),
        (replace(ONNX, external_data=("w.bin",)), Loading(Way.BYTES)),
        (replace(ORT, path="m\udcff.ort"), Loading()),
    ],
)
def test_what_cannot_work_is_refused(model: SnippetModel, loading: Loading) -> None:
    with pytest.raises(RefusedError):
        check(model, loading)


def test_the_release_that_is_needed_is_that_of_the_file_and_of_the_way() -> None:
    old = replace(ORT, release=16)
    assert package("onnxruntime", old, Loading()) == "onnxruntime >= 1.16"
    assert package("onnxruntime", old, Loading(Way.MAPPED)) == "onnxruntime >= 1.26"
    assert package("onnxruntime", ONNX, Loading()) == "onnxruntime"


def test_notes_say_what_the_code_cannot() -> None:
    model = replace(
        SAVED,
        sizes={"batch": 1},
        defaults=("bias",),
        custom_ops={"my.ops": ("A", "B")},
        cpu_bound=True,
    )
    said = "\n".join(notes(model, Loading(Way.MAPPED), "Python", (), ()))
    for words in (
        "batch = 1",
        "bias has its default",
        "my.ops.A and my.ops.B",
        "mapped",
        "since 1.30",
    ):
        assert words in said
    assert "no phone and no browser" in said
    assert "trusted" in "\n".join(notes(SAVED, Loading(replay=True), "Python", (), ()))
    broken = replace(SAVED, replays=False)
    assert "stops the load" in "\n".join(notes(broken, Loading(), "Python", (), ()))
    with_data = replace(ONNX, external_data=("w.bin",))
    assert "w.bin beside m.onnx" in "\n".join(notes(with_data, Loading(), "Python", (), ()))
