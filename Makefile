# Every target makes the environment first; with it in place that costs nothing.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
PYTHONS ?= python3.13 python3.12 python3.11 python3
COMPETITION ?= games/example.toml
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install compete test check format bench oracle clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

install: $(STAMP) ## make the environment in .venv (needs Python 3.11 or later)

$(STAMP): pyproject.toml constraints.txt
	@set -e; \
	if ! $(BIN)/python -c 'import pip' 2>/dev/null; then \
	  found=; \
	  for candidate in $(PYTHONS); do \
	    if $$candidate -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      found=$$candidate; break; \
	    fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo 'pokerd needs Python 3.11 or later with its venv module. Looked for: $(PYTHONS).' >&2; \
	    echo 'Install one (on Debian and Ubuntu: apt-get install python3 python3-venv), or name yours:' >&2; \
	    echo '  make install PYTHONS=/path/to/python3' >&2; \
	    exit 1; \
	  fi; \
	  echo "making $(VENV) with $$($$found --version)"; \
	  rm -rf $(VENV); \
	  $$found -m venv $(VENV); \
	fi; \
	echo 'installing pokerd and its development tools into $(VENV)'; \
	$(PIP) --editable '.[dev]'; \
	touch $@

$(BENCH_STAMP): $(STAMP)
	@echo 'installing the peers to compare with into $(VENV)'
	@$(PIP) --editable '.[dev,bench]'
	@touch $@

compete: install ## play the example competition and print its standings (about two minutes)
	$(BIN)/python -m pokerd compete $(COMPETITION)

test: install ## all tests, with asyncio's debug mode on
	PYTHONASYNCIODEBUG=1 $(BIN)/python -m pytest -n auto --dist worksteal

check: install ## ruff, mypy --strict, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: install ## put the source in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_STAMP) ## measure the rules and the server, beside other engines
	$(BIN)/python -m benchmarks

oracle: install ## long comparisons with independent engines (minutes to hours)
	$(BIN)/python -m pytest -n auto --dist worksteal -m oracle --timeout 0

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
