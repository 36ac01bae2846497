"""The fixtures that watch every test, watched themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

WATCHED = """
    import logging
    import pytest

    def test_quiet():
        logging.getLogger("quiet").info("fine")

    def test_unexpected():
        logging.getLogger("loud").warning("the disk is %s", "full")

    @pytest.mark.logs("disk is")
    def test_expected():
        logging.getLogger("loud").warning("the disk is %s", "full")

    @pytest.mark.logs("disk is")
    def test_other():
        logging.getLogger("loud").error("the moon is full")
"""


@pytest.mark.logs("the (disk|moon) is full")
def test_an_unexpected_warning_fails_the_test_that_logged_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.conftest import no_unexpected_warnings")
    pytester.makeini("[pytest]\nmarkers = logs(pattern): expected")
    pytester.makepyfile(WATCHED)
    result = pytester.runpytest_inprocess("-p", "no:pytest-qt")
    result.assert_outcomes(passed=4, errors=2)
    result.stdout.fnmatch_lines(["*loud: the disk is full", "*loud: the moon is full"])


def test_settings_and_caches_are_those_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.getbasetemp()
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        assert home in Path(os.environ[variable]).parents
