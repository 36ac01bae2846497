"""Files that will not load elsewhere, and false alarms about them: as told on the command line.

Where an old release is in the tests' cache, it is asked for real as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.services.document import open_document
from ortstudio.services.sessions import Style, Target
from ortstudio.services.try_load import try_load
from tests.builders.field_models import converted, convolution, four_bits, with_version
from tests.builders.ort_json import decode, encode
from tests.builders.releases import release
from tests.e2e.command import ortstudio

NCHWC = "com.microsoft.nchwc"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A convolution, converted as most people do."""
    return converted(convolution(), tmp_path_factory.mktemp("field") / "plain.ort")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with 4-bit weights, in the runtime style."""
    target = tmp_path_factory.mktemp("field") / "narrow.ort"
    return converted(four_bits(), target, Style.RUNTIME)


def runtime(path: Path, name: str) -> dict[str, object]:
    """What `check` says of a release."""
    found: dict[str, object] = ortstudio("check", path, "--runtime", name, "--json").json["runtime"]
    return found


def unwrapped(out: str) -> str:
    """What was said, whatever the width of the terminal."""
    return " ".join(out.split())


def test_a_file_too_new_is_never_called_too_old(plain: Path) -> None:
    done = ortstudio("check", plain, "--runtime", "1.15.1")
    assert done.code == 1
    said = unwrapped(done.out)
    assert "Format version 6 is too new for 1.15.1: it needs 1.16 or later." in said
    assert "Ship a newer runtime that loads this file: 1.16 or later." in said
    assert "ortstudio convert MODEL.onnx --runtime 1.15.1" in said
    assert "old" not in said


def test_a_file_too_new_is_refused_for_real_in_the_words_that_were_expected(plain: Path) -> None:
    under = release("1.14.1")
    tried = try_load(open_document(plain), under)
    assert not tried.loads
    assert str(runtime(plain, "1.14.1")["expected_words"]) in tried.words


def test_a_format_of_the_future_is_shown_and_refused_with_the_reason(plain: Path) -> None:
    path = with_version(plain, "7")
    shown = ortstudio("inspect", path, "--json")
    assert (shown.code, shown.json["totals"]["ops"]) == (0, {"com.microsoft.FusedConv": 1})
    checked = ortstudio("check", path, "--runtime", "1.32.0")
    said = unwrapped(checked.out)
    assert "Format 7 is newer than this tool knows" in said
    assert "Format version 7 is newer than any release up to 1.32.0 reads." in said
    assert "ORT format model version [7] is not supported" in said
    run = ortstudio("bench", path, "--budget", "1")
    assert run.code not in (0, 2)
    assert "does not read ORT format version 7" in run.err


def test_a_format_that_is_no_number_is_shown_as_it_is(plain: Path) -> None:
    path = with_version(plain, "x")
    shown = ortstudio("inspect", path, "--json").json
    assert (shown["format_version_text"], shown["format_version"]) == ("x", None)
    assert shown["totals"]["nodes"] == 1
    assert runtime(path, "1.32.0")["loads"] == "not known"


def test_the_same_format_number_is_no_promise(narrow: Path) -> None:
    found = runtime(narrow, "1.16.3")
    assert found["loads"] == "no"
    assert str(found["why"]).startswith(
        "1.16.3 reads format version 6, but not this file: 1.16.3 does not know the element type"
        " int4 of 'w'"
    )
    assert found["evidence"] == "measured"
    assert "Ship a newer runtime that loads this file: 1.19 to 1.27" in list(found["ways_out"])  # type: ignore[call-overload]


def test_where_there_is_no_data_nothing_is_promised(narrow: Path, plain: Path) -> None:
    assert runtime(plain, "1.99.0")["loads"] == "not known"
    assert runtime(narrow, "1.99.0")["loads"] == "not known"


def test_the_same_format_number_is_refused_for_real(narrow: Path) -> None:
    tried = try_load(open_document(narrow), release("1.16.3"))
    assert not tried.loads
    assert tried.words


def test_imported_domains_tie_nothing_to_a_cpu(plain: Path) -> None:
    domains = [row["domain"] for row in ortstudio("inspect", plain, "--json").json["opset_imports"]]
    assert NCHWC in domains
    found = ortstudio("check", plain)
    assert "Portable between CPUs: no node is tied to a CPU family" in found.out
    assert f"{NCHWC} is" in found.out
    assert "hardware" not in found.out


def test_blocked_nodes_do_and_are_named_with_the_remedy(tmp_path: Path) -> None:
    path = converted(convolution(), tmp_path / "tied.ort", processor=Target.AMD64)
    found = ortstudio("check", path, "--json").json
    assert found["portability"]["verdict"] == "this-cpu-family"
    reason = found["portability"]["reasons"][0]
    assert f"{NCHWC}.Conv" in reason
    assert f"{NCHWC}.ReorderOutput" in reason
    assert "x64" in reason
    assert "Convert without the amd64 target" in reason
    (tied,) = [row for row in found["findings"] if row["code"] == "blocked-layout"]
    assert len(tied["nodes"]) == 2


def test_weights_padded_to_sixteen_channels_betray_the_wide_vector_unit(tmp_path: Path) -> None:
    """A CPU with that unit pads 8 output channels to 16; on any other it is done here by hand."""
    path = converted(convolution(), tmp_path / "tied.ort", processor=Target.AMD64)
    (model,) = decode([path], tmp_path).values()
    (weights,) = model["model"]["graph"]["initializers"]
    missing = 16 // weights["dims"][0]
    weights["dims"][0], weights["raw_data"] = 16, weights["raw_data"] * missing
    path.write_bytes(encode(model, tmp_path))
    reasons = ortstudio("check", path, "--json").json["portability"]["reasons"]
    assert any("AVX-512" in reason and "without" not in reason for reason in reasons), reasons
