# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev

.PHONY: help demo test check lint types layers texts bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(RUN) ## an agent's turn on a sample workspace: you review its changes in this terminal
	@$(BIN)/agentfs-lsp demo

test: check ## lint, types, layers, and every test that needs no editor installed
	$(BIN)/pytest -n 2 --dist loadgroup tests/unit tests/property tests/e2e

check: lint types layers

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

layers: $(DEV)
	$(BIN)/lint-imports

texts: $(DEV) ## the message catalogues: new templates in, old ones out, compiled
	$(BIN)/python tools/texts.py

bench: $(DEV) ## one table: the floor, this server and its peers, in one run
	$(BIN)/python -m tests.bench

clean: ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "agentfs needs Python 3.11 or newer: none was found on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Installed for the demo: the package and what it needs to run, nothing of the tools.
$(RUN): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(RUN)
