# Everything runs from a virtual environment in the project's root; only Python is needed beforehand.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo oracles test check bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## Create .venv and install Holdfast in it, with the development tools

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "Holdfast needs Python 3.11 or newer, and '$(PYTHON)' was not found." >&2; \
	  echo "Please install it, or name another one: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Holdfast needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Please name a newer one: make setup PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { \
	  echo "The virtual environment could not be made; on Debian the package python3-venv is needed." >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# MONA is a second opinion for some tests, which are skipped without it; it is fetched only where that is
# possible without asking, and a failure to do so is no failure of the tests.
oracles: $(STAMP)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! command -v mona >/dev/null 2>&1; then \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get install -y mona || { apt-get update && apt-get install -y mona; }; } >/dev/null 2>&1 || true; \
	fi

demo: $(STAMP) ## Check the paper's reference segment
	$(BIN)/holdfast check scenarios/paper.yaml

test: oracles ## Run the tests and doctests on up to two cores (ARGS="..." is passed on)
	$(BIN)/pytest -n auto --maxprocesses 2 $(ARGS)

check: $(STAMP) ## Lint, formatting, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## Run the benchmarks
	$(BIN)/python -m benchmarks

clean: ## Remove caches and build products; .venv stays
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +
