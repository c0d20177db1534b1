# Everything here needs only make and Python 3.11 to 3.14 (`make inspect`, `make inspect-view` and `make conformance`
# also npm). Recipes run in a POSIX shell. Paths are relative, so that a checkout may lie in a folder with a space in
# its name.

.DEFAULT_GOAL := help
.PHONY: help python demo test test-all coverage check bench performance language-model lock inspect inspect-view conformance clients bundle licences sbom same-build release-check release samples pages evidence answers reference session clean
.DELETE_ON_ERROR:

PY := .venv/bin/python
# Tests start hundreds of processes, each of which would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
READY := .venv/ready
UV_VERSION := 0.13.9
CYCLONEDX_VERSION := 7.5.0

# The Pythons for which every pinned package has a wheel.
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))

# The first that fits. Name another: make PYTHON=/path/to/python3 test
ifndef PYTHON
PYTHON := $(shell for python in python3 python3.13 python3.12 python3.11 python3.14; do \
	"$$python" -c '$(FITS)' 2>/dev/null && echo "$$python" && break; done)
endif

help:
	@echo "make demo      ingest the sample documents and ask them a question through MCP"
	@echo "make test      the tests, without those that are marked slow"
	@echo "make test-all  all tests"
	@echo "make coverage  all tests, with the coverage of corpus, prompts, server and tools, in twice the time"
	@echo "make check     style, types, import arrows, links, names"
	@echo "make bench     the tables of numbers"
	@echo "make performance  the page and drawings of docs/performance.md, from what the benches kept"
	@echo "make inspect   list and call every tool with the MCP inspector (npm)"
	@echo "make inspect-view  show the evidence view in the MCP inspector (npm)"
	@echo "make conformance  judge the server by the conformance suite of the protocol (npm)"
	@echo "make clients   try clients of the npm and PyPI registries, for docs/clients.md (npm, root; NAMES=...)"
	@echo "make samples   build the sample documents anew"
	@echo "make pages     draw what the reader sees on them, for docs/ingestion.md"
	@echo "make evidence  photograph the evidence view, for docs/evidence.md (Chromium)"
	@echo "make answers   ask the sample documents ten questions, for docs/answers.md"
	@echo "make reference  write docs/tools.md, docs/settings.md and docs/commands.md"
	@echo "make session   record a session in the terminal, for the README"
	@echo "make language-model  write the language model of the readers from the one of py3langid"
	@echo "make lock      pin the dependencies again (UPGRADE=--upgrade takes the newest)"
	@echo "make bundle    the bundle for desktop clients, in dist/"
	@echo "make licences  the licences of all dependencies; fails on one that is not known to be permissive"
	@echo "make same-build  build everything twice and compare"
	@echo "make release   all files of a release, in dist/"
	@echo "make clean     remove what these made"

demo: python
	@"$(PYTHON)" scripts/demo.py

test: $(READY)
	$(PY) -m pytest -n auto -m "not slow" $(ARGS)

test-all: $(READY)
	$(PY) -m pytest -n auto $(ARGS)

coverage: $(READY)
	$(PY) -m pytest -n auto --cov $(ARGS)

check: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache
	$(PY) scripts/check_links.py
	$(PY) scripts/check_words.py
	$(PY) scripts/check_house.py

bench: $(READY)
	$(PY) -m bench $(ARGS)

performance: $(READY)
	$(PY) -m bench performance

inspect: $(READY)
	$(PY) scripts/inspect_tools.py

inspect-view: $(READY)
	$(PY) scripts/inspect_view.py $(ARGS)

conformance: $(READY)
	$(PY) scripts/conformance_suite.py $(ARGS)

clients: $(READY)
	$(PY) scripts/try_clients.py $(NAMES)

pages: $(READY)
	$(PY) scripts/draw_reading.py

evidence: $(READY)
	$(PY) scripts/draw_evidence.py

answers: $(READY)
	$(PY) scripts/write_answers.py

reference: $(READY)
	$(PY) scripts/write_tools.py
	$(PY) scripts/write_settings.py
	$(PY) scripts/write_commands.py

session: $(READY)
	$(PY) scripts/record_session.py

samples: $(READY)
	$(PY) examples/make_documents

bundle: $(READY)
	$(PY) scripts/make_bundle.py

licences: $(READY)
	$(PY) scripts/check_licences.py

same-build: $(READY)
	$(PY) scripts/same_build.py

# make release-check TAG=v1.2.3
release-check: $(READY)
	$(PY) scripts/check_release.py $(TAG)

release: $(READY) sbom
	$(PY) scripts/make_release.py

# A list of what is in it, for those who keep such (CycloneDX), of the same pins that a user installs.
sbom: .venv-sbom/cyclonedx-bom-$(CYCLONEDX_VERSION)
	mkdir -p dist
	.venv-sbom/bin/cyclonedx-py requirements requirements/run.txt --pyproject pyproject.toml --output-reproducible \
		--short-PURLs --of JSON --output-file dist/ibid-mcp.cdx.json

# uv compiles the three files, for every platform and Python at once. Pins stay as they are unless pyproject.toml
# forbids them; run.txt comes first and binds dev.txt, so that the tests run what a user runs; build.txt is
# what builds the wheel in the image.
COMPILE = .venv-lock/bin/uv pip compile --no-config --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet $(UPGRADE)

language-model: $(READY)
	$(PY) scripts/make_language_model.py

lock: .venv-lock/uv-$(UV_VERSION)
	$(COMPILE) pyproject.toml --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --extra azure-blobs --constraint requirements/dev.txt --output-file requirements/azure.txt
	$(COMPILE) --group build --constraint requirements/dev.txt --output-file requirements/build.txt

clean:
	rm -rf .venv .venv-lock .venv-sbom .demo .bench .coverage .coverage.* dist scripts/inspector/node_modules scripts/conformance/node_modules scripts/mcpb/node_modules
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

python:
	@"$(PYTHON)" -c '$(FITS)' 2>/dev/null || { echo "Ibid needs Python 3.11 to 3.14. Install one, or name it:" \
		"make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make a virtual environment." \
		"On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# The stamp is written last: an install that was cut short is repeated.
$(READY): requirements/dev.txt pyproject.toml | python
	test -x $(PY) || "$(PYTHON)" -m venv .venv
	$(PY) -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements/dev.txt
	$(PY) -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv-lock/uv-$(UV_VERSION):
	"$(PYTHON)" -m venv .venv-lock
	.venv-lock/bin/python -m pip install --disable-pip-version-check --quiet uv==$(UV_VERSION)
	@touch $@

.venv-sbom/cyclonedx-bom-$(CYCLONEDX_VERSION):
	"$(PYTHON)" -m venv .venv-sbom
	.venv-sbom/bin/python -m pip install --disable-pip-version-check --quiet cyclonedx-bom==$(CYCLONEDX_VERSION)
	@touch $@
