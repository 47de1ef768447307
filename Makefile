# Works with GNU make 3.81 (macOS) and later. `make help` lists what there is.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COMPILED := $(VENV)/.compiled
PEERS_READY := $(VENV)/.peers-ready
UV_ENV := .cache/uv
UV_VERSION := 0.13.7
GLTF_VALIDATOR := .cache/gltf-validator/.ready
GLTF_VALIDATOR_VERSION := 2.0.0-dev.3.10

# Arguments for the program or the test runner: make run ARGS="my.bvh", make test ARGS="-k flight".
ARGS :=

# An interpreter of your choice: make run PYTHON=/path/to/python3
PYTHON ?=
export PYTHON

# Numerical libraries that each start a thread per core fight each other: a solve becomes forty times slower.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export VECLIB_MAXIMUM_THREADS := 1

# A real window has its own clock: what fails on a busy machine is tried once more, and then it has failed.
in_window = $(BIN)/python -m pytest -m window $(1) || $(BIN)/python -m pytest -m window --last-failed $(1)

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test lint format bench soak slope drift reach feel patterns scenes steps peers lock setup installed system-packages clean

help:
	@echo "make run      set up what is missing and open the editor; without a screen, a drag with film and files in out/"
	@echo "make test     set up what is missing; check style and types, run all tests (what CI does)"
	@echo "make lint     style and types only"
	@echo "make format   rewrite the code in the house style"
	@echo "make bench    time our code against its peers"
	@echo "make soak     thousands of random drags and edits: nothing may go wrong"
	@echo "make slope    what edits cost in clips of 10 s, 90 s and 5 minutes"
	@echo "make drift    a long session with pins: they hold, and undoing it leaves nothing behind"
	@echo "make reach    drags to places that are known to be possible: how many arrive"
	@echo "make feel     drags of bodies: whether what is shown is what is kept, and stands on its feet"
	@echo "make patterns juggling patterns that must be solved, as a table"
	@echo "make scenes   clips with things: what can be thrown, caught, kicked, picked up and passed on, as a table"
	@echo "make peers    install the peers and run the tests that compare with them"
	@echo "make lock     choose and pin newer dependencies"
	@echo "make clean    remove the environment, caches and results"

run: setup
	$(BIN)/hoi-edit $(ARGS)

test: lint setup
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --durations 30 -m "not peers and not window" $(ARGS)
ifeq ($(strip $(ARGS)),)
	$(call in_window,tests/ui/test_blends_window.py)
	$(call in_window,tests/ui/test_editor_window.py)
	$(call in_window,tests/ui/test_files_window.py)
	$(call in_window,tests/ui/test_holds_window.py)
	$(call in_window,tests/ui/test_looking_window.py)
	$(call in_window,tests/ui/test_menus_window.py)
	$(call in_window,tests/ui/test_recipes_window.py)
	$(call in_window,tests/ui/test_timeline_window.py)
	$(call in_window,tests/ui/test_viewport_window.py)
endif

lint: installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup $(PEERS_READY)
	$(BIN)/python -m bench $(ARGS)

slope: setup
	$(BIN)/python -m tests.long_clips $(ARGS)

soak: setup
	$(BIN)/python -m tests.soak $(ARGS)

drift: setup
	$(BIN)/python -m tests.drift $(ARGS)

reach: setup
	$(BIN)/python -m tests.reach $(ARGS)

feel: setup
	$(BIN)/python -m tests.body_drags $(ARGS)

patterns: setup
	$(BIN)/python -m tests.patterns $(ARGS)

scenes: setup
	$(BIN)/python -m tests.own_scenes $(ARGS)

steps: setup
	$(BIN)/python -m tests.far_drags $(ARGS)

peers: setup $(PEERS_READY) $(GLTF_VALIDATOR)
	$(BIN)/python -m pytest -m peers $(ARGS)

# The judge of glTF is a program for node; without npm its tests are skipped, and say so.
$(GLTF_VALIDATOR):
	@if command -v npm >/dev/null; then echo "Installing the glTF validator"; \
	  npm install --silent --no-audit --no-fund --prefix $(dir $@) gltf-validator@$(GLTF_VALIDATOR_VERSION) && touch $@; \
	else echo "no npm: the glTF validator is left out"; fi

setup: installed $(COMPILED)

installed: system-packages $(READY)

# So that the first session, or the tests, need not wait for it. What changes later is compiled when it is needed.
$(COMPILED): $(READY)
	@$(BIN)/hoi-edit warm-up
	@touch $@

system-packages:
	@scripts/system_packages.sh

# The stamps are written last: a set-up that was interrupted is done again.
$(READY): pyproject.toml requirements.lock scripts/create_venv.sh
	@scripts/create_venv.sh $(VENV)
	@echo "Installing the pinned dependencies"
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(PEERS_READY): requirements-peers.lock $(READY)
	@echo "Installing the peers"
	@$(PIP_INSTALL) --require-hashes -r requirements-peers.lock
	@touch $@

# One set of versions for all Pythons and systems. The peers must live with ours, hence the constraint. Extras are kept in
# the pins: without them pip takes the newest release of whatever another package asks for with an extra, and refuses it.
UV_COMPILE = $(UV_ENV)/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-strip-extras --upgrade --custom-compile-command "make lock"

lock:
	@scripts/create_venv.sh $(UV_ENV)
	@$(UV_ENV)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(UV_COMPILE) pyproject.toml --group dev --output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --extra peers --constraint requirements.lock --output-file requirements-peers.lock

clean:
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
