"""What may be asked of a model, and how it is said."""

from __future__ import annotations

import pytest

from ortstudio.errors import RefusedError, UsageError
from ortstudio.services.edit_changes import Changes, check_changes, input_symbols, symbols
from tests.builders.corpus import corpus_model
from tests.builders.models import graph, onnx

CONTROL = "v6_ort1.32.0_control_fixed_disable.ort"
META = "v6_ort1.32.0_meta_fixed_disable.ort"
RECORDS = "v6_ort1.32.0_cnn_runtime_all.ort"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (Changes(inputs={"x": "flag"}), "'x' cannot be renamed to 'flag'"),
        (Changes(inputs={"x": "acc"}), "'x' cannot be renamed to 'acc'"),
    ],
)
def test_what_the_model_forbids_is_refused(changes: Changes, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        check_changes(changes, corpus_model(CONTROL))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (Changes(), "Nothing is to be changed"),
        (Changes(inputs={"X": "y"}), "The model has no input named 'X'"),
        (Changes(outputs={"x": "y"}), "The model has no output named 'x'"),
        (Changes(sizes={"S": 1}), "The model has no symbolic size named 'S'"),
        (Changes(removed_metadata=("k",)), "The model has no metadata entry named 'k'"),
        (Changes(inputs={"x": "a", "flag": "a"}), "Two values cannot both be named 'a'"),
        (Changes(inputs={"x": ""}), "renamed to nothing"),
    ],
)
def test_what_contradicts_itself_or_is_not_there_is_wrong(changes: Changes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_changes(changes, corpus_model(CONTROL))


def test_one_metadata_entry_cannot_be_set_and_removed() -> None:
    with pytest.raises(UsageError, match="both set and removed"):
        check_changes(
            Changes(metadata={"author": "x"}, removed_metadata=("author",)), corpus_model(META)
        )


def test_a_near_miss_is_answered_with_what_is_near() -> None:
    with pytest.raises(UsageError) as refused:
        check_changes(Changes(outputs={"cumsun": "y"}), corpus_model(CONTROL))
    assert refused.value.hint == "It has 'cumsum'."


def test_names_may_be_exchanged_and_given_again() -> None:
    check_changes(Changes(inputs={"x": "flag", "flag": "x", "n": "n"}), corpus_model(CONTROL))


def test_a_value_that_passes_straight_through_has_one_name() -> None:
    model = onnx(graph([], inputs=["x"], outputs=["x"]))
    check_changes(Changes(inputs={"x": "y"}), model)
    check_changes(Changes(inputs={"x": "y"}, outputs={"x": "y"}), model)
    with pytest.raises(UsageError, match="one new name only"):
        check_changes(Changes(inputs={"x": "y"}, outputs={"x": "z"}), model)


def test_only_ort_format_has_optimizations_to_drop() -> None:
    with pytest.raises(RefusedError, match="in ORT format"):
        check_changes(
            Changes(drop_optimizations=True), onnx(graph([], inputs=["x"], outputs=["x"]))
        )
    check_changes(Changes(drop_optimizations=True), corpus_model(CONTROL))


def test_sizes_are_counted_in_all_graphs_and_told_by_input() -> None:
    model = corpus_model(CONTROL)
    assert symbols(model)["T"] == 2
    assert input_symbols(model) == {"T"}


def test_changes_are_said_in_words() -> None:
    changes = Changes(
        metadata={"author": "x", "new": "y"},
        removed_metadata=("json",),
        doc_string="",
        producer_name="me",
        model_version=3,
        strip_doc_strings=True,
        drop_optimizations=True,
    )
    assert changes.words(corpus_model(META)) == [
        "Metadata author is replaced",
        "Metadata new is added",
        "Metadata json is removed",
        "Doc strings are removed",
        "The doc string is removed",
        "The producer is set",
        "The model version is set to 3",
        "There are no saved optimizations to drop",
    ]
    assert Changes(drop_optimizations=True).words(corpus_model(RECORDS)) == [
        "1 saved optimization is dropped"
    ]
