PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# What is compiled is kept, or every process of the tests would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: catalog test test-long mutants clean

# Measures the example catalog and builds the website into build/site.
catalog: $(VENV)/.installed
	$(BIN)/ibc-report build site/catalog.yml
	$(BIN)/ibc-report site

# Runs every check, and every test but the long ones. Each worker has one thread of BLAS, for there is one on each core;
# the long tests run with as many as there are by default.
test: $(VENV)/.installed-test
	./tests/support/browser.sh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not long"

# Runs the long tests, and the property tests with all their cases.
test-long: $(VENV)/.installed-test
	./tests/support/browser.sh
	$(BIN)/python -m pytest -n auto --dist worksteal -m "long or hypothesis" --hypothesis-profile long

# Tries small changes to the code against the tests, by hand: which of them no test notices is written to a page.
mutants: $(VENV)/.installed-test
	$(BIN)/pip install --quiet --editable '.[mutants]'
	$(BIN)/python benchmarks/mutants.py --count 420 --seed 11

clean:
	rm -rf build $(VENV)

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/pip install --quiet --editable '.[test]'
	touch $@
