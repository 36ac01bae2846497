from __future__ import annotations

import argparse
from dataclasses import asdict

import pytest

from ortstudio.cli.convert_options import add_convert_options, convert_settings
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target


def chosen(*words: str) -> ConvertSettings:
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    add_convert_options(parser)
    return convert_settings(parser.parse_args(["m.onnx", *words]))


def test_what_nobody_chose_is_what_the_settings_say() -> None:
    assert chosen() == ConvertSettings()


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("--level basic", "level", Level.BASIC),
        ("--style both", "styles", (Style.FIXED, Style.RUNTIME)),
        ("--target arm", "target", Target.ARM),
        ("--custom-ops lib.so", "custom_ops", "lib.so"),
        ("--fix-dim a=b=3 --fix-dim n=1", "fixed_dims", {"a=b": 3, "n": 1}),
        ("--disable-optimizer A --disable-optimizer B", "disabled_optimizers", ("A", "B")),
        ("--opset 17", "opset", 17),
        ("--provider P", "providers", ("P",)),
        ("--optimized-onnx", "optimized_onnx", True),
        ("--no-config", "write_config", False),
        ("--type-reduction", "type_reduction", True),
        ("--reproducible", "reproducible", True),
        ("--stamp", "stamp", True),
        ("-o out", "output_dir", "out"),
        ("--overwrite", "overwrite", True),
        ("--keep-going", "keep_going", True),
        ("--jobs 3", "jobs", 3),
        ("--memory 12345", "memory", 12345),
        ("--memory 2G", "memory", 2 << 30),
        ("--memory 800MiB", "memory", 800 << 20),
        ("--resume", "resume", True),
        ("--dry-run", "dry_run", True),
        ("--no-verify", "verify", False),
    ],
)
def test_an_option_changes_one_setting(words: str, field: str, value: object) -> None:
    found, unasked = asdict(chosen(*words.split())), asdict(ConvertSettings())
    assert found == unasked | {field: value}


@pytest.mark.parametrize(
    "words",
    [
        *("--jobs 0", "--jobs -1", "--memory 0", "--memory 2X", "--opset x"),
        *("--fix-dim =1", "--fix-dim n=0", "--fix-dim n=-1"),
    ],
)
def test_what_makes_no_sense_is_refused(words: str) -> None:
    with pytest.raises(argparse.ArgumentError):
        chosen(*words.split())


@pytest.mark.parametrize("words", [[""], ["-o", ""]])
def test_an_empty_name_does_not_stand_for_the_current_folder(words: list[str]) -> None:
    with pytest.raises(argparse.ArgumentError, match="an empty name"):
        chosen(*words)
