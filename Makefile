# Every target makes the environment first; with it in place that costs nothing.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
LEARNERS_STAMP := $(VENV)/.installed-learners
VENDOR := clients/web/vendor
VENDOR_STAMP := $(VENDOR)/.installed
PYTHONS ?= python3.13 python3.12 python3.11 python3
COMPETITION ?= games/example.toml
PORT ?= 8080
# What passes as Python too: the rules with golden logs, the wire, and what compares them with other engines.
PURE := tests/dealer tests/acpc tests/protocol tests/server/net tests/system/acpc/test_golden.py \
  tests/slow/dealer/test_pokerkit.py tests/slow/dealer/test_records_pokerkit.py tests/pokerd/env/test_spiel.py \
  tests/oracle/test_openspiel.py tests/strategy/test_equity.py
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install compiled play compete system languages test test-all check format sdk bench oracle chaos clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

install: $(STAMP) $(VENDOR_STAMP) compiled ## make the environment in .venv (needs Python 3.11 or later; for the pages also node)

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

# These look at the sources themselves, and say nothing where nothing has changed.
compiled: $(STAMP)
	@$(BIN)/python -m pokerd.compile
	@$(BIN)/python -m strategy.precompile

# Bots and competitions need no browser: without node only the pages are missing.
$(VENDOR_STAMP): package.json package-lock.json
	@set -e; \
	if ! command -v npm >/dev/null; then \
	  echo 'no npm here: everything but the pages for people will work'; exit 0; \
	fi; \
	echo 'installing what the pages need into $(VENDOR)'; \
	npm ci --silent --no-audit --no-fund || { echo 'npm failed: the pages will be missing' >&2; exit 0; }; \
	rm -rf $(VENDOR); mkdir -p $(VENDOR)/lit-html/directives $(VENDOR)/uplot; \
	cd node_modules; \
	for name in lit-html directive directive-helpers directives/live directives/repeat; do \
	  cp lit-html/$$name.js lit-html/$$name.d.ts ../$(VENDOR)/lit-html/$$(dirname $$name); \
	done; \
	cp lit-html/LICENSE ../$(VENDOR)/lit-html; \
	cp uplot/LICENSE uplot/dist/uPlot.esm.js uplot/dist/uPlot.d.ts uplot/dist/uPlot.min.css ../$(VENDOR)/uplot; \
	cp uplot/dist/uPlot.d.ts ../$(VENDOR)/uplot/uPlot.esm.d.ts; \
	touch ../$@

$(BENCH_STAMP): $(STAMP)
	@echo 'installing the peers to compare with into $(VENV)'
	@$(PIP) --editable '.[dev,bench]'
	@touch $@

# constraints.txt names a torch without its build, so pip prefers a small one for CPUs wherever it is shown one.
$(LEARNERS_STAMP): $(STAMP)
	@echo 'installing torch and sb3-contrib, for the examples that learn, into $(VENV)'
	@$(PIP) --editable '.[dev,examples]'
	@touch $@

# A signal to make reaches only the shell, which passes it on; 130 and 143 are ends by a signal.
play: install ## open tables with house bots, to play at in a browser
	@echo 'Open this address in a browser and play; Ctrl-C ends it.'
	@$(BIN)/python -m pokerd serve --url-only --data var/play --port 0 --web-port $(PORT) \
	  --competition games/all-families.toml --exhibition fair,adaptive2,loki1,ownbot,pushfold,sartre --decision-time 30 --time-bank 120 & server=$$!; \
	trap 'kill $$server 2>/dev/null' INT TERM; \
	while kill -0 $$server 2>/dev/null; do wait $$server; code=$$?; done; \
	case $$code in 0|130|143) ;; *) exit $$code;; esac

compete: install ## play the example competition and print its standings (about a minute)
	$(BIN)/python -m pokerd compete $(COMPETITION)

system: ## programs of the operating system that the tests start (as root it installs them)
	@.ci/system

test: system install ## the tests that a change is likely to break (five minutes)
	$(PYTEST)

languages: ## the compilers of the example bots in other languages (as root it installs them)
	@.ci/system go:golang-go g++:g++ /usr/share/gocode/src/github.com/gorilla/websocket:golang-github-gorilla-websocket-dev \
	  /usr/include/boost/beast.hpp:libboost-dev /usr/include/nlohmann/json.hpp:nlohmann-json3-dev

test-all: system languages install $(LEARNERS_STAMP) ## these and the slow ones: programs, fleets, browsers, solvers (20 to 30 minutes)
	$(PYTEST) tests --ignore tests/chaos --ignore-glob 'tests/oracle/*_oracle.py'
	POKERD_PURE=1 $(PYTEST) $(PURE) --ignore tests/dealer/luck

check: install ## ruff, mypy --strict, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

sdk: install ## build the wheel of the SDK for bots, pokerd-bot, in dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist clients/sdk

format: install ## put the source in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: system $(BENCH_STAMP) ## measure rules, poker mathematics, bots, solvers and the server, beside other engines
	$(BIN)/python -m tests.support.postgres $(BIN)/python -m benchmarks

oracle: $(BENCH_STAMP) ## long comparisons with independent engines (minutes to hours)
	$(BIN)/python -m pytest -n auto --dist worksteal tests/oracle --timeout 0

chaos: system install ## hundreds of kills, pauses and failures, each without a trace in the results (ten minutes)
	$(BIN)/python -m pytest tests/chaos --timeout 0 -s

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) node_modules $(VENDOR) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
