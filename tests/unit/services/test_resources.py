"""Finding the files that come with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

import ortstudio
from ortstudio.errors import MissingError
from ortstudio.services import resources

INSTALLED = "site-packages/ortstudio"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the package is installed, so far without its resources."""
    package = tmp_path / INSTALLED
    package.mkdir(parents=True)
    monkeypatch.setattr(ortstudio, "__file__", str(package / "__init__.py"))
    return package


def test_a_checkout_has_them_beside_the_package(checkout: Path) -> None:
    assert resources.find("samples") == checkout / "resources/samples"


def test_an_installed_package_has_them_inside(place: Path) -> None:
    (place / "_resources/samples").mkdir(parents=True)
    assert resources.find("samples") == place / "_resources/samples"


def test_what_is_inside_comes_before_a_folder_beside_the_package(place: Path) -> None:
    (place.parent / "resources/samples").mkdir(parents=True)
    (place / "_resources/samples").mkdir(parents=True)
    assert resources.find("samples") == place / "_resources/samples"


def test_a_missing_file_is_named(place: Path) -> None:
    with pytest.raises(MissingError, match=r"without its file icons/open\.svg") as error:
        resources.find("icons/open.svg")
    assert error.value.where.path == str(place)
