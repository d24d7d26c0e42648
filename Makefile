# What CI runs is what is here: `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Most tests wait for real daemons, so a few at a time on two cores; each worker has its own lab.
PARALLEL := -n 4 --dist loadfile
# On a busy machine a daemon may miss its moment. A case that needed its second try is listed aloud (R): a defect to mend.
AGAIN := --reruns 1 -rRfEs
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help install install-dev machine web docs pictures run test test-all ready ready-pages check check-code check-pages bench openapi clean

help:
	@echo "make run       set everything up, train a first small model on this machine, keep serving"
	@echo "make install   make $(BIN)/diamond"
	@echo "make web       build the web pages again after a change in web/"
	@echo "make docs      build the documentation site again after a change in docs/; the service shows it at /docs"
	@echo "make pictures  take the screenshots of the docs again"
	@echo "make test      the fast tests (installs what they need; apt packages when root)"
	@echo "make test-all  every test, also those over 30 s"
	@echo "make check     formatting, lint, types"
	@echo "make bench     every speed claim, measured; results go to bench/RESULTS.md by hand"

# The site is built with the package; here again where only a page of it has changed since.
install: $(VENV)/installed
	@$(BIN)/python docs/build_site.py --if-possible

PAGES := $(shell find web/src web/public -type f ! -name schema.d.ts) web/index.html web/package-lock.json web/vite.config.ts

$(VENV)/installed: pyproject.toml hatch_build.py $(PAGES)
	$(call install,.)
	touch $@

install-dev: $(VENV)/installed-dev

$(VENV)/installed-dev: pyproject.toml hatch_build.py $(PAGES)
	$(call install,.[dev])
	touch $(VENV)/installed $@

define install
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Diamond needs Python 3.11 or newer; try: make PYTHON=python3.11")'
$(PYTHON) install_progress.py $(BIN) '$(1)'
endef

web: install-dev
	$(BIN)/python web/tools.py build

docs: $(VENV)/installed
	$(BIN)/python docs/build_site.py

pictures: web machine
	DIAMOND_PICTURES=docs/pictures $(BIN)/pytest tests/e2e/pages/test_pictures.py tests/e2e/pages/test_pictures_of_research.py $(addprefix tests/e2e/pages/test_,$(addsuffix .py,image_pages people_pages planning_pane chain_page))

machine: install-dev
	PYTHONPATH=tests $(BIN)/python -m support.machine

run: install
	$(BIN)/diamond up --first recipes/digits

check: check-code check-pages

check-code: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check-pages: install-dev
	$(BIN)/python web/tools.py check

# Types are checked on one core while the other installs what the tests need.
ready: install-dev
	$(MAKE) --jobs=2 --output-sync=line check-code machine ready-pages docs

ready-pages: check-pages
	$(BIN)/python web/tools.py build

test: ready
	$(BIN)/pytest -m "not slow" $(PARALLEL) $(AGAIN)

test-all: ready
	$(BIN)/pytest $(PARALLEL) $(AGAIN)

bench: machine web
	$(BIN)/python -m bench

openapi: install
	$(BIN)/python -m diamond.service.openapi > web/openapi.json

clean:
	rm -rf $(VENV) src/diamond/service/static src/diamond/service/docs_site web/node_modules dist build .mypy_cache .ruff_cache .pytest_cache
