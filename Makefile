# Two commands to know: `make demo` opens the app on the bundled pool, `make test` runs every test.
# Both set up what they need in .venv first: Python 3.11 or newer and make are enough to start.

.DEFAULT_GOAL := help
.PHONY: help demo test check bench bench-labels bench-app bench-shards bench-servers lock clean
VENV := .venv
BIN := $(VENV)/bin

# The first of these that is new enough; `make demo PYTHON=/path/to/python` chooses another.
PYTHON ?= python3.13 python3.12 python3.11 python3 python
define SETUP
@for python in $(PYTHON); do \
  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
    exec "$$python" -m scripts.environment $(VENV) $(1); \
  fi; \
done; \
echo "celeus-label needs Python 3.11 or newer, and none of these is one: $(PYTHON). Install it, then run make again." >&2; \
exit 1
endef

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.run  ## open the app on the bundled pool
	@$(BIN)/celeus-label demo

# Files in the order of their names: xdist would put those of few tests last, and these are the long ones.
test: $(VENV)/.dev  ## run every test, browser included
	@$(BIN)/python -m scripts.browser
	@$(BIN)/python -m scripts.postgres
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

check: $(VENV)/.dev  ## style and types, then every test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@$(MAKE) --no-print-directory test

audit: $(VENV)/.dev  ## known vulnerabilities of the locked packages; needs the network
	@$(BIN)/python -m scripts.audit

bench-labels: $(VENV)/.dev  ## ratings that each preset needs; POOLS=folder for more pools than the bundled one
	@$(BIN)/python -m benchmarks.labels $(if $(POOLS),--pools $(POOLS)) $(BENCH)

bench: $(VENV)/.dev  ## speed and memory beside what they may be at most
	@$(BIN)/python -m benchmarks.speed $(BENCH)

bench-app: $(VENV)/.dev  ## how long a rater waits for the next item, alone and beside 20 others
	@$(BIN)/python -m benchmarks.app $(BENCH)

bench-shards: $(VENV)/.dev  ## two-stage sampling of sharded pools: variance, bias, coverage (docs/scale.md)
	@$(BIN)/python -m benchmarks.shards $(BENCH)

bench-servers: $(VENV)/.dev  ## three servers behind nginx on one PostgreSQL, a kill and a crash; installs nginx
	@$(BIN)/python -m benchmarks.servers $(BENCH)

# `make lock` keeps the versions there are where it can; `make lock UPGRADE=--upgrade` takes the newest.
LOCK = UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
  --generate-hashes $(UPGRADE)
lock: $(VENV)/.dev  ## write the requirements files anew from pyproject.toml
	$(LOCK) --group bootstrap -o requirements-bootstrap.txt
	$(LOCK) pyproject.toml --group build -o requirements.txt
	$(LOCK) pyproject.toml --group build --extra sso --extra postgres -c requirements.txt -o requirements-server.txt
	$(LOCK) pyproject.toml --group build --group dev -c requirements.txt -o requirements-dev.txt

clean:  ## remove the environment and all that can be made again
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than the lock it was made from, so that a second run goes straight to its work.
$(VENV)/.run: requirements.txt requirements-bootstrap.txt pyproject.toml
	$(call SETUP,requirements.txt)
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-bootstrap.txt pyproject.toml
	$(call SETUP,requirements-dev.txt)
	@touch $@
