.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
LOWEST := .venv-lowest/bin
PIP := python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint docs lowest clean

# One environment for everything, rebuilt when the project file changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) --editable ".[test,plots]"
	touch $@

demo: .venv/ready
	$(BIN)/ilpsum demo --out ilpsum-demo

test: .venv/ready lint
	$(BIN)/python -m pytest -n 2 --cov

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, in site/. A broken link, a missing anchor or a page outside the navigation is an error.
.venv/docs: .venv/ready
	$(BIN)/$(PIP) --editable ".[docs]"
	touch $@

docs: .venv/docs
	$(BIN)/python .ci/options.py > docs/reference/options.md
	$(BIN)/zensical build --strict --clean

# The tests with the lowest version of every dependency that pyproject.toml allows.
.venv-lowest/ready: pyproject.toml .ci/lowest.py
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) .ci/lowest.py > .venv-lowest/constraints.txt
	$(LOWEST)/$(PIP) --constraint .venv-lowest/constraints.txt --editable ".[test,plots]"
	touch $@

lowest: .venv-lowest/ready
	$(LOWEST)/python -m pytest -n 2

clean:
	rm -rf .venv .venv-lowest ilpsum-demo site .cache docs/reference/options.md
