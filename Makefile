# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev

# Where the environment keeps Python from writing bytecode, every start would compile server and tests anew.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help demo test simulate check-model check-crowd test-faults test-failed coverage strace check lint types layers texts generated bench scale compare picture pictures-of-editors dist compiled clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 24

# Codex plays the last scene: that of the tests if it is there, else one from npm.
CODEX = $(firstword $(wildcard .agents/node_modules/.bin/codex .agents/demo/node_modules/.bin/codex))

demo: $(RUN) compiled ## an agent's turn on a sample workspace: you review its changes in this terminal; CODEX= leaves Codex out
	@if $(NODE_FITS) && test -z "$(CODEX)" && test "$(origin CODEX)" = file; then \
		echo "Installing Codex, for the last scene, into .agents/demo (400 MB, once). 'make demo CODEX=' leaves it out."; \
		mkdir -p .agents/demo && npm install --prefix .agents/demo --no-audit --no-fund --loglevel=error \
		"@openai/codex@$$(sed -n 's/.*codex": "\(.*\)".*/\1/p' tests/agents/package.json)" \
		|| echo "Codex could not be installed: another program plays its part."; fi
	@$(MAKE) --no-print-directory .play

.PHONY: .play
.play:
	@$(BIN)/agentfs-lsp demo $(CODEX:%=--codex %)

test: check test-extension compiled strace ## lint, types, layers, and every test that needs no editor installed
	$(BIN)/pytest -n 4 --dist loadgroup tests/unit tests/property tests/simulation tests/e2e tests/faults

test-faults: $(DEV) compiled strace ## kills, failing calls and power cuts at every moment of a landing; installs strace if run as root
	$(BIN)/pytest -n 2 tests/faults

# One test that misses a limit of time because of the measuring keeps no figure back; each is listed.
coverage: $(DEV) compiled strace ## branch coverage of the server by the tests of `make test`, in all of its processes
	@rm -rf .coverage && mkdir .coverage
	-$(BIN)/python -m coverage run -m pytest tests/unit tests/property tests/simulation tests/e2e tests/faults
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

SECONDS ?= 60
FIRST ?= 1

simulate: $(DEV) ## the simulation: SEED=n or SEED=path plays one case, else SECONDS=n of seeds; failing cases are shrunk and kept
	$(BIN)/python -m tests.simulation $(if $(SEED),$(SEED),--seconds $(SECONDS) --first $(FIRST) --keep)

check-model: $(DEV) compiled ## the simulation's cases against a server process: SEED=n plays one, else SECONDS=n of seeds
	$(BIN)/python -m tests.simulation --process $(if $(SEED),$(SEED),--seconds $(SECONDS) --first $(FIRST))

check-crowd: $(DEV) compiled ## agents by every door at once, while processes are killed: SECONDS=n of seeds from FIRST=n on
	$(BIN)/python tests/crowd.py --seconds $(SECONDS) --first $(FIRST)

strace:
	@command -v strace >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	&& apt-get install -qq -y strace >/dev/null 2>&1; } \
	|| echo "strace is missing, and is installed by root on Debian alone: the tests that kill at a system call are left out."

test-failed: $(DEV) compiled ## the tests that failed last, once more and alone; fails if none did
	$(BIN)/pytest --last-failed --last-failed-no-failures none tests/unit tests/property tests/e2e tests/faults

check: lint types layers ## lint, types and layers

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy
	MYPYPATH=server:tests $(BIN)/mypy -p support.simulation

layers: $(DEV)
	$(BIN)/lint-imports

texts: $(DEV) ## the message catalogs: new templates in, old ones out, compiled
	$(BIN)/python tools/texts.py

generated: $(DEV) ## extension/src/protocol/types.ts and the tables of docs/protocol.md, from the declared shapes
	$(BIN)/python tools/generated.py

bench: $(DEV) compiled ## one table: the floor, this server and its peers, in one run
	$(BIN)/python -m tests.bench

scale: $(DEV) compiled ## docs/performance.md anew: how each cost grows with files, documents, proposals, changes, agents; four minutes
	$(BIN)/python -m tests.bench.scale

compare: $(DEV) compiled ## docs/comparison.md anew: agentfs and other programs on the same cases, and the speed; installs them (2.5 GB)
	$(BIN)/python -m tests.compare --speed run --page docs/comparison.md

picture: $(RUN) compiled ## docs/images/demo.svg anew: the demo as it is now
	@LC_ALL=C.UTF-8 COLUMNS=100 $(BIN)/agentfs-lsp demo --clean --svg docs/images/demo.svg </dev/null >/dev/null

pictures-of-editors: $(DEV) compiled ## docs/images/ of editors in a terminal anew, as docs/editors.md configures them; installs them
	@PYTHON=$(PYTHON) tests/editors/install.sh
	PYTHONPATH=tests $(BIN)/python tests/editors/pictures.py

dist: $(DEV) compiled ## the server's sdist and wheel in dist/, checked by twine and tried in a clean environment
	rm -f dist/agentfs_lsp-*
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/agentfs_lsp-*
	$(BIN)/pytest tests/publish/test_wheel.py

compiled: | $(BIN)/pip
	@$(BIN)/python -m compileall -q server/agentfs_lsp
	@$(BIN)/agentfs-lsp </dev/null 2>/dev/null || test $$? = 1  # no client: exit code 1

clean: ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage dist .editors .agents

# pip comes last into it: one that was begun without what Debian keeps apart, or interrupted, is made whole.
$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "agentfs needs Python 3.11 or newer: none was found on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Installed for the demo: the package and what it needs to run, nothing of the tools.
$(RUN): pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(RUN)

# --- agents' frameworks: each set of them in an environment of its own, since they need other versions ---

.PHONY: test-integrations

FRAMEWORKS := pydantic_ai openai_agents langchain

test-integrations: compiled .integrations/frameworks/.done .integrations/hello-agents/.done ## agentfs_lsp.integrations with the real frameworks; installs them from PyPI
	.integrations/frameworks/bin/python -m pytest $(FRAMEWORKS:%=tests/integrations/test_%.py)
	.integrations/frameworks/bin/python -m mypy $(FRAMEWORKS:%=server/agentfs_lsp/integrations/%.py)
	.integrations/hello-agents/bin/python -W ignore -m pytest -W ignore tests/integrations/test_hello_agents.py  # the warnings are its own

.integrations/%/.done: tests/integrations/%.txt pyproject.toml | $(BIN)/pip
	$(PYTHON) -m venv .integrations/$*
	.integrations/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $< -e .
	@touch $@

# --- the VS Code extension: Node 20 builds it; the real workbench comes into .editors/ with a Node of its own ---

.PHONY: vsix vsix-syntax publish-check test-extension test-editors test-editors-failed .half-1 .half-2 test-terminal-editors test-agents bench-extension screenshots .bundle

EXTENSION_DEV := extension/node_modules/.agentfs
VSIX := dist/agentfs.vsix
TEST_EXTENSIONS := .editors/driver.vsix .editors/plain-client.vsix .editors/python-extension.vsix .editors/slow-extension.vsix
AGENTS := .agents/node_modules/.agentfs
WORKBENCH := extension/test/e2e/workbench.sh
NODE_FITS := node -e 'process.exit(+(parseInt(process.versions.node) < 20))' 2>/dev/null && command -v npm >/dev/null

vsix: $(VSIX) ## the VS Code extension, with the server in it, as one package: dist/agentfs.vsix

vsix-syntax: $(VSIX) $(DEV) ## the extension for Linux on x64, with the parsers for diagnostics.syntax: dist/agentfs-linux-x64.vsix, tried
	cd extension && PYTHON=../$(BIN)/python npm run --silent vsix -- --target linux-x64
	$(BIN)/pytest tests/publish/test_vsix_syntax.py

publish-check: $(VSIX) $(DEV) ## the extension's package by the rules of vsce, the Marketplace, ovsx, and Open VSX, without network
	$(BIN)/pytest tests/publish/test_vsix.py

test-extension: ## the extension's unit tests; skipped with a message if Node 20 is missing
	@if $(NODE_FITS); then $(MAKE) --no-print-directory $(EXTENSION_DEV) && cd extension && npm run --silent check && npm test; \
	else echo "Node 20 or newer is not on the PATH: the extension's unit tests are left out."; fi

test-terminal-editors: $(DEV) compiled ## the server and the plugins in real Neovims and Emacses, in a terminal; installs them
	@tests/editors/able.sh
	@PYTHON=$(PYTHON) tests/editors/install.sh
	$(BIN)/pytest -n 2 tests/editors

test-agents: $(DEV) compiled $(AGENTS) ## the MCP server with real agents' programs, from npm, and a scripted model
	$(BIN)/pytest -n 2 --dist loadgroup tests/agents

test-editors: $(VSIX) $(TEST_EXTENSIONS) $(DEV) $(AGENTS) ## the real-editor tests: the package in two VS Code workbenches, in browsers; SCENARIOS=files names some
	@rm -f .editors/tried-*
	@extension/test/e2e/install.sh
	@$(MAKE) --no-print-directory -j 2 .half-1 .half-2

test-editors-failed: ## of these tests, those that failed last, once more
	@$(MAKE) --no-print-directory -j 2 .half-1 .half-2

# A workbench waits for half of its time: two at once take little longer than one.
.half-1 .half-2: .half-%:
	@.editors/node --test-rerun-failures=$(abspath .editors/tried-$*.json) extension/test/e2e/main.mjs --half=$* $(SCENARIOS)

bench-extension: $(VSIX) $(TEST_EXTENSIONS) ## what a review costs over the workbench's own diff editor, in ms
	@$(WORKBENCH) bench.mjs

screenshots: $(VSIX) $(TEST_EXTENSIONS) ## docs/images/ anew, from the real workbench
	@$(WORKBENCH) pictures.mjs

# What npm brings and what pip brings comes at the same time: whoever tries agentfs waits for both.
$(VSIX): $(shell find extension server -type f \
	-not -path '*/node_modules/*' -not -path '*/bundled/*' -not -path '*/out/*' -not -path '*/dist/*' \
	-not -path '*/test/*' -not -name '*.pyc' 2>/dev/null)
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory -j 2 $(EXTENSION_DEV) .bundle
	cd extension && npm run --silent pack -- --out ../$@
	@touch $@

.bundle:
	cd extension && PYTHON=$(PYTHON) npm run --silent bundle

$(TEST_EXTENSIONS): .editors/%.vsix: $(EXTENSION_DEV) extension/test/e2e/%/main.js extension/test/e2e/%/package.json
	@mkdir -p $(@D)
	@extension/test/e2e/package.sh extension/test/e2e/$* $(abspath $@)

$(EXTENSION_DEV): extension/package-lock.json
	@$(NODE_FITS) || { echo "The extension needs Node 20 or newer, with npm: none was found on the PATH." >&2; exit 1; }
	cd extension && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(AGENTS): tests/agents/package.json
	@$(NODE_FITS) || { echo "The agents' programs need Node 20 or newer, with npm: none was found on the PATH." >&2; exit 1; }
	@echo "Installing the agents' programs into .agents."
	@mkdir -p .agents && cp $< .agents
	@cd .agents && npm install --no-package-lock --no-audit --no-fund --loglevel=error
	@touch $@
