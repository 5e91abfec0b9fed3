.DELETE_ON_ERROR:

PYTHON ?= python3
# The environment of the tests; another one keeps that of another Python: make test PYTHON=python3.13 VENV=.venv-3.13
VENV ?= .venv
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
BIN := $(VENV)/bin
LOWEST := .venv-lowest/bin
INTEGRATIONS := .venv-integrations/bin
PIP := python -m pip install --quiet --disable-pip-version-check
# Bytecode is kept here even where Python is told to write none: else each process that a test starts compiles all anew.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$(CURDIR)/$(VENV)/bytecode" $(BIN)/python -m pytest

.PHONY: demo test thorough golden fuzz load lint docs lowest integrations browser picture judge audit wheels clean

# One environment for everything, rebuilt when the project file or the version of Python changes. The demo needs ilpsum
# only; what the tests need comes with the first target that asks for it. Modules are compiled when they are first
# imported: a third of the time.
$(VENV)/plain-$(VERSION): pyproject.toml
	@echo "Installing ilpsum and its libraries into $(VENV) ..."
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/$(PIP) --no-compile --editable ".[serve,pubmed]"
	@touch $@

$(VENV)/ready: $(VENV)/plain-$(VERSION) experiments/duc/pyproject.toml
	@echo "Installing what the tests need into $(VENV) ..."
	$(BIN)/$(PIP) --no-compile --editable ".[test]" --editable experiments/duc
	@touch $@

demo: $(VENV)/plain-$(VERSION)
	$(BIN)/ilpsum demo --out demo

test: $(VENV)/ready lint
	$(PYTEST) -n 2

# All tests, also the long ones (clusters, system tests, experiments, growth of regular expressions), with coverage.
thorough: $(VENV)/ready
	$(PYTEST) -n 2 -m "long or not long" --cov

# What every verb and format computes, on the demo and on samples of real data, against what it computed before (tests/golden).
golden: $(VENV)/ready
	$(BIN)/python -m tests.golden

# Damaged files for every reader, and a table of what happened; another SEED gives other files. For MINUTES the next seeds follow.
N ?= 2000
SEED ?= 1
MINUTES ?= 0
fuzz: $(VENV)/ready
	$(BIN)/python -m tests.fuzz.run --number $(N) --seed $(SEED) --minutes $(MINUTES)

# Mixed requests to the reading room for MINUTES: statuses and memory by the minute.
load: $(VENV)/ready
	$(BIN)/python -m tests.system.serve_load --minutes $(MINUTES) --seed $(SEED)

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, in site/. A broken link, a missing anchor or a page outside the navigation is an error.
$(VENV)/docs: $(VENV)/ready
	$(BIN)/$(PIP) --editable ".[docs]"
	touch $@

docs: $(VENV)/docs
	$(BIN)/python .ci/options.py > docs/reference/options.md
	$(BIN)/zensical build --strict --clean

# The tests with the lowest version of every dependency that pyproject.toml allows.
.venv-lowest/ready: pyproject.toml experiments/duc/pyproject.toml .ci/lowest.py
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) .ci/lowest.py > .venv-lowest/constraints.txt
	$(LOWEST)/$(PIP) --constraint .venv-lowest/constraints.txt --editable ".[test]" --editable experiments/duc
	touch $@

lowest: .venv-lowest/ready
	$(LOWEST)/python -m pytest -n 2

# The pages in a real Chromium, which is installed if it is missing (Debian, as root or by sudo).
$(VENV)/browser: $(VENV)/ready
	$(BIN)/$(PIP) --editable ".[browser]"
	command -v chromium || command -v google-chrome || { SUDO=$$(command -v sudo || true); \
		$$SUDO apt-get -qq update && $$SUDO apt-get -qq install --yes --no-install-recommends chromium; }
	touch $@

browser: $(VENV)/browser
	ILPSUM_BROWSER=1 $(PYTEST) tests/ilpsum/pages/room/test_page_in_browser.py tests/ilpsum/pages/test_page_in_browser.py

# The pictures of README and docs.
picture: $(VENV)/browser
	$(BIN)/python .ci/picture.py

# The adapters with the current releases of the libraries that they adapt to.
.venv-integrations/ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-integrations
	$(INTEGRATIONS)/$(PIP) --editable ".[langchain,llama-index,haystack,mcp]" hypothesis pytest
	touch $@

integrations: .venv-integrations/ready
	$(INTEGRATIONS)/python -c "import haystack, langchain_core, llama_index.core"  # the tests skip what is missing
	HAYSTACK_TELEMETRY_ENABLED=False $(INTEGRATIONS)/python -m pytest -rA tests/integrations

# A real server as the judge: llama.cpp with a tiny model of random weights that the test makes.
.venv-judge/ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-judge
	.venv-judge/bin/$(PIP) --editable ".[judge]" gguf xllamacpp
	touch $@

judge: .venv-judge/ready
	.venv-judge/bin/python -m tests.system.real_judge

# What a plain installation brings: known vulnerabilities (an error, like a package that cannot be looked up), and a software bill of materials, sbom.json.
audit:
	$(PYTHON) -m venv --clear .venv-audit/plain
	$(PYTHON) -m venv --clear .venv-audit/tools
	.venv-audit/plain/bin/$(PIP) .
	.venv-audit/tools/bin/$(PIP) "pip-audit>=2.7,<3" "cyclonedx-bom>=5,<8"
	.venv-audit/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
		--output-file sbom.json .venv-audit/plain/bin/python
	.venv-audit/plain/bin/python -m pip uninstall --quiet --yes ilpsum
	.venv-audit/tools/bin/pip-audit --strict --path "$$(.venv-audit/plain/bin/python -c 'import site; print(site.getsitepackages()[0])')"

# Whether every supported Python on Linux, macOS and Windows finds wheels for a plain installation.
wheels:
	$(PYTHON) .ci/wheels.py

clean:
	rm -rf .venv .venv-* sbom.json demo site .cache docs/reference/options.md
