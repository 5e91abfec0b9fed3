.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint clean

# One environment for everything; made anew when the project file changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test,plots]"
	touch $@

demo: .venv/ready
	$(BIN)/ilpsum demo --out ilpsum-demo

test: .venv/ready lint
	$(BIN)/python -m pytest -n 2

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv ilpsum-demo
