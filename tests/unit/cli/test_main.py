from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from ortstudio.cli.main import Verb, main
from ortstudio.cli.output import Output
from ortstudio.errors import MissingError, Where

Run = Callable[[argparse.Namespace, Output], int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file")
    parser.add_argument("--nodes", action="store_true")


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Callable[[Run], Verb]:
    """A verb of the test's own."""

    def make(run: Run) -> Verb:
        module = ModuleType("verb_of_a_test")
        module.__dict__.update(add_arguments=add_arguments, run=run)
        monkeypatch.setitem(sys.modules, "verb_of_a_test", module)
        return Verb("look", "look at a file", "verb_of_a_test")

    return make


def say_file(arguments: argparse.Namespace, output: Output) -> int:
    if output.as_json:
        output.json({"file": arguments.file, "nodes": arguments.nodes})
    else:
        output.line(arguments.file)
    return 1


def test_the_verb_runs_and_its_answer_is_the_exit_code(
    verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["look", "a.ort"], [verb(say_file)]) == 1
    assert capsys.readouterr().out == "a.ort\n"


def test_json_is_an_option_of_every_verb(
    verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["look", "a.ort", "--nodes", "--json"], [verb(say_file)]) == 1
    assert json.loads(capsys.readouterr().out) == {"file": "a.ort", "nodes": True}


@pytest.mark.parametrize("argv", [["look"], ["look", "a", "--node"], ["look", "a", "b"], ["see"]])
def test_a_wrong_command_line_is_exit_code_2_and_an_error_object(
    argv: list[str], verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*argv, "--json"], [verb(say_file)]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["schema"] == "ortstudio/error@1"
    assert json.loads(captured.out)["kind"] == "usage"
    assert captured.err.startswith("ortstudio: ")
    assert captured.err.count("\n") == 1


def test_an_error_without_json_leaves_stdout_empty(
    verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: argparse.Namespace, _output: Output) -> int:
        raise MissingError("There is no such file", where=Where(arguments.file))

    assert main(["look", "a.ort"], [verb(fail)]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "ortstudio: There is no such file (a.ort)\n"


def test_ctrl_c_is_exit_code_130_and_one_line(
    verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_arguments: argparse.Namespace, _output: Output) -> int:
        raise KeyboardInterrupt

    assert main(["look", "a.ort", "--json"], [verb(interrupted)]) == 130
    captured = capsys.readouterr()
    assert captured.err == "ortstudio: This was cancelled\n"
    assert json.loads(captured.out)["kind"] == "cancelled"


def test_ctrl_c_waits_until_the_verb_is_imported(
    verb: Callable[[Run], Verb], monkeypatch: pytest.MonkeyPatch
) -> None:
    def importing(_name: str) -> ModuleType:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("half of it is there") from None
        return sys.modules["verb_of_a_test"]

    look = verb(say_file)
    monkeypatch.setattr("ortstudio.cli.main.import_module", importing)
    assert main(["look", "a.ort"], [look]) == 130
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_without_standard_streams_still_works(
    verb: Callable[[Run], Verb], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["look", "a.ort"], [verb(say_file)]) == 1
    assert main(["look"], [verb(say_file)]) == 2


def test_only_the_verb_that_was_asked_for_is_imported(
    verb: Callable[[Run], Verb], capsys: pytest.CaptureFixture[str]
) -> None:
    other = Verb("other", "does not exist", "ortstudio.cli.no_such_module")
    assert main(["look", "a.ort"], [verb(say_file), other]) == 1
    assert capsys.readouterr().out == "a.ort\n"


def add_lists(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=str.upper)
    parser.add_argument("-o", dest="folder", required=True)
    parser.add_argument("--size", type=int, action="append", default=[])
    parser.add_argument("--keep", action="store_true")


def say_all(arguments: argparse.Namespace, output: Output) -> int:
    output.line(f"{arguments.files} {arguments.folder} {arguments.size} {arguments.keep}")
    return 0


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> Verb:
    """A verb that takes any number of files."""
    module = ModuleType("lists_of_a_test")
    module.__dict__.update(add_arguments=add_lists, run=say_all)
    monkeypatch.setitem(sys.modules, "lists_of_a_test", module)
    return Verb("lists", "look at files", "lists_of_a_test")


@pytest.mark.parametrize(
    "argv",
    [
        "a b -o f --size 1 --keep",
        "-o f --size 1 --keep a b",
        "a -o f --size 1 --keep b",
        "--size 1 a -o f b --keep",
        "a --keep -o f --size=1 -- b",
    ],
)
def test_files_stand_on_both_sides_of_an_option(
    argv: str, lists: Verb, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lists", *argv.split()], [lists]) == 0
    assert capsys.readouterr().out == "['A', 'B'] f [1] True\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("-o f", "the following arguments are required: files"),
        ("a b", "the following arguments are required: -o"),
        ("", "the following arguments are required: files, -o"),
        ("a -o f --no", "unrecognized arguments: --no"),
        ("a -o f b --no c", "unrecognized arguments: --no"),
        ("a -o f b --size x", "argument --size: invalid int value: 'x'"),
        ("a -o", "argument -o: expected one argument"),
    ],
)
def test_what_is_wrong_with_files_on_both_sides_is_told(
    argv: str, message: str, lists: Verb, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lists", *argv.split()], [lists]) == 2
    assert message in capsys.readouterr().err


def test_a_verb_of_verbs_tells_a_word_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runtimes", "list", "more"]) == 2
    assert "unrecognized arguments: more" in capsys.readouterr().err
