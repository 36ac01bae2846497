# Every target works alone on a fresh machine that has Python 3.10 or newer with venv.
# Another Python than python3: make setup PYTHON=python3.12

PYTHON ?= python3
VENV_PYTHON := .venv/bin/python
PYTEST := $(VENV_PYTHON) -m pytest -n auto --maxprocesses 4 --dist worksteal

.PHONY: setup run test test-long lint bench package

setup: ## make .venv with ORT Studio and its tools in it; quick when nothing changed
	@$(PYTHON) packaging/prepare.py

run: setup ## open the window on the sample; without a display do the same unseen and check it
	@$(VENV_PYTHON) -m ortstudio.ui.journey

test: setup ## all tests but the long ones
	$(PYTEST) -m "not long"

test-long: setup ## all tests, with many more generated examples
	ORTSTUDIO_FETCH_TOOLCHAINS=1 $(PYTEST) --hypothesis-profile=long

lint: setup
	$(VENV_PYTHON) -m ruff check
	$(VENV_PYTHON) -m ruff format --check
	$(VENV_PYTHON) -m mypy

bench: setup ## what is claimed about speed and memory, as ratios
	$(VENV_PYTHON) tests/bench

package: setup ## wheel and source archive, into dist
	$(VENV_PYTHON) -m hatchling build
