# Everything runs from a virtual environment in the project's root; only Python is needed beforehand.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
STUDIO := $(VENV)/.studio
DOCS   := $(VENV)/.docs
STAMP  := $(VENV)/.installed

# To compile every module of every library takes longer than the demonstration: those that Holdfast uses are compiled by being
# imported once, and kept, whatever the environment says; those of the tests by collecting these once, in one process
# and not in all of them at the same time.
PIP    := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
USED   := holdfast.apps.cli, holdfast.apps.outputs, holdfast.report.renderers.page, holdfast.operation, holdfast.design.recommend, holdfast.design.frontiers
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
REPORT := demo/report.html
PROGRAMS := mona chromium tmux nft patch
CASES  := 20
MINUTES := 10
SEED   := 0
PROCESSES := 3

.PHONY: help setup demo studio programs test quick fuzz twins ground check man pictures package docs bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## Create .venv and install Holdfast in it, with the development tools

# Holdfast alone, which is all that the demonstration needs.
$(CORE): pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "Holdfast needs Python 3.11 or newer, and '$(PYTHON)' was not found." >&2; \
	  echo "Please install it, or name another one: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Holdfast needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Please name a newer one: make setup PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { \
	  echo "The virtual environment could not be made; on Debian the package python3-venv is needed." >&2; exit 1; }
	$(PIP) --editable .
	@$(BIN)/python -c 'import $(USED)'
	@touch $@

$(STAMP): $(CORE)
	$(PIP) --editable '.[dev]'
	@$(BIN)/pytest --collect-only -qq >/dev/null 2>&1 || true
	@touch $@

# Programs that some tests use: MONA for a second opinion, Chromium to open reports, tmux to play in a real
# terminal, nft and patch to apply patches. Such tests are skipped without them; they are fetched only where that is possible without asking, and
# a failure to do so is no failure of the tests.
programs: $(STAMP)
	@missing=""; for program in $(PROGRAMS); do command -v $$program >/dev/null 2>&1 || missing="$$missing $$program"; done; \
	missing=$$(echo "$$missing" | sed 's/\bnft\b/nftables/'); \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get install -y --no-install-recommends $$missing fonts-liberation || { apt-get update && apt-get install -y --no-install-recommends $$missing fonts-liberation; }; } \
	    >/dev/null 2>&1 || echo "could not install$$missing: the tests that need it are skipped" >&2; \
	fi

demo: $(CORE) ## Check the paper's reference segment, compare its variants, write a report
	$(BIN)/holdfast check scenarios/paper.yaml
	@mkdir -p $(dir $(REPORT))
	$(BIN)/holdfast compare scenarios/paper.yaml --no-learning --html $(REPORT)
	@echo "The report is $(REPORT): open it in a browser."
	@echo "With two players that are trained on each design: $(BIN)/holdfast compare scenarios/paper.yaml --html $(REPORT)"
	@echo "To change the design and watch the proof change: make studio"

$(STUDIO): $(CORE)
	$(PIP) --editable '.[studio]'
	@touch $@

studio: $(STUDIO) ## Open the studio, a page in the browser, on the paper's reference segment
	$(BIN)/holdfast studio scenarios/paper.yaml

# Three processes keep two cores busy: some tests wait for browsers, terminals and clocks.
test: programs ## Run the tests and doctests in PROCESSES=3 processes (ARGS="..." is passed on)
	$(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder $(ARGS)

quick: $(STAMP) ## Run what is quick of them, in under a minute: no browser, no terminal, nothing slow
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -q -m "not slow and not browser and not terminal" $(ARGS)

fuzz: programs ## Attack it with random files, certificates and command lines (MINUTES=10 SEED=0)
	PYTHONPATH=tests $(BIN)/python -m fuzzing --minutes $(MINUTES) --seed $(SEED) --summary build/fuzz.json

twins: programs ## Compare with the slow twins on many more random cases (CASES=20 times as many)
	HOLDFAST_CASES=$(CASES) $(BIN)/pytest -n auto --maxprocesses 2 -k "random or oracle or twin or literal or brute" $(ARGS) tests

ground: $(STAMP) ## What every command answers on every scenario, kept (ARGS=--write) before a change and compared after it
	$(BIN)/python tests/support/ground.py $(ARGS)

check: $(STAMP) ## Lint, formatting, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

man: $(STAMP) ## Write the manual page, release/holdfast.1, from the command line's own texts
	$(BIN)/python -m holdfast.apps.cli.manual > release/holdfast.1

pictures: $(STAMP) ## Draw the pictures of the documentation anew
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/pages/glossary_words.py

package: $(STAMP) ## Build wheel and sdist, and use the wheel in an empty environment
	$(BIN)/pytest -q -p no:cacheprovider release

$(DOCS): $(CORE)
	$(PIP) --editable '.[docs]'
	@touch $@

docs: $(DOCS) ## Build the documentation into site/, strictly, and follow every link on it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python docs/pages/site_check.py site

bench: $(STAMP) ## Run the benchmarks
	$(BIN)/python -m benchmarks

clean: ## Remove caches and build products; .venv stays
	rm -rf build dist site demo reproduction .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +
