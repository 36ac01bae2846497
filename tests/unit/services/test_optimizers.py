from __future__ import annotations

import subprocess
import sys

import pytest

from ortstudio.errors import UsageError
from ortstudio.services.optimizers import check_optimizers, optimizer_names
from tests.builders.knowledge import RESOURCES


def test_the_names_are_those_of_the_installed_runtime() -> None:
    command = [sys.executable, str(RESOURCES / "make_optimizers.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_known_names_pass() -> None:
    check_optimizers(optimizer_names())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("constantfolding", "ConstantFolding"),
        ("NhwcTransfomer", "NhwcTransformer"),
        ("ConvFusion", "ConvBNFusion"),
    ],
)
def test_a_name_that_is_nearly_one_is_answered_with_it(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_optimizers(["ConstantSharing", name])
    assert name in caught.value.message
    assert meant in caught.value.hint


def test_what_cannot_be_left_out_is_no_name() -> None:
    with pytest.raises(UsageError):
        check_optimizers(["MemcpyTransformer"])
