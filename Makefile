# make demo, make test, make test-full, make bench, make docs, make wheel: each works in a fresh clone with Python 3.11 or newer and nothing else.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
READY := .venv/ready

.PHONY: demo test test-full lint lint-page library wheel bench docs browser clean

demo: $(INSTALLED)
	$(BIN)/python examples/demo.py

test: lint browser library
	NUMBA_CACHE_DIR=$(CURDIR)/.cache $(BIN)/python -m pytest -m "not full" -n 2 --dist loadgroup

test-full: lint browser library
	NUMBA_CACHE_DIR=$(CURDIR)/.cache $(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(READY) lint-page
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The JavaScript of the lab. Its linter comes from npm; where there is no npm this is skipped, with a message.
lint-page:
	@if command -v npm > /dev/null; then $(MAKE) --silent node_modules/ready && node_modules/.bin/eslint src/novikoff/lab/page; \
		else echo "there is no npm: the JavaScript of the lab is not linted"; fi

node_modules/ready: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	touch node_modules/ready

# The compiled loops, for this machine. Only what has changed is compiled again. Where it cannot be built, numba compiles as needed.
library: $(READY)
	@$(BIN)/python -m novikoff.ahead --objects .cache/objects || echo "there is no compiled library: numba compiles as needed"

wheel: $(INSTALLED)
	$(BIN)/python -m novikoff.ahead --objects .cache/objects --everywhere
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

bench: library
	$(BIN)/python benchmarks/all.py --json benchmarks/figures.json --markdown docs/benchmarks.md

docs: $(READY)
	$(BIN)/mkdocs build --strict

# For the tests of the page. Where it cannot be installed they are skipped, and say so.
browser:
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } \
		|| echo "there is no chromium: the tests in a browser will be skipped"

# What users need, and numba; then what tests need.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[rules]'
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,lint]'
	touch $(READY)

clean:
	rm -rf .venv .cache site node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
