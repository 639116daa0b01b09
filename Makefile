# The commands of this repository. `make` alone lists them.
# PYTHON=/path/to/python3.11 chooses the Python; ARGS="..." goes to the command behind a target.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.stamp-dev
ENGINES := $(VENV)/.stamp-engines
PYTHON ?=
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo lab test check bench clean setup setup-engines lint unit engines
.NOTPARALLEL:

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(ENGINES) ## two real engines, traffic, and the live screen on them (ARGS="--help" says more)
	@PYTHONPATH=examples $(BIN)/python -m lab.demo $(ARGS)

lab: $(ENGINES) ## every fault of the lab on real engines, and which cause is named (ARGS="run NAME")
	@$(BIN)/kvtrace lab $(or $(ARGS),run --all)

test: $(ENGINES) lint unit engines ## all checks and all tests, those on real engines too

check: $(DEV) lint unit ## the fast part: format, lint, types, import contracts, tests

bench: $(ENGINES) ## the benchmarks
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .demo

setup: $(DEV) ## set up what `make check` needs

setup-engines: $(ENGINES) ## set up what `make demo` and `make test` need

lint: $(DEV)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(DEV)
	@# Two at a time, each file in one process; ARGS="-n 0" has all in one.
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not engines and not vllm" $(ARGS)
	@# In a process of their own: NIXL's threads spin for as long as it lives.
	$(BIN)/python -m pytest -m "vllm and not engines" $(ARGS)

engines: $(ENGINES)
	$(BIN)/python -m pytest -m engines $(ARGS)

$(DEV): pyproject.toml tools/install.py
	@python=$$(sh tools/find_python.sh "$(PYTHON)") && "$$python" tools/install.py dev

$(ENGINES): tools/install.py | $(DEV)
	@python=$$(sh tools/find_python.sh "$(PYTHON)") && "$$python" tools/install.py engines
