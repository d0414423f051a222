# A newcomer needs two of these: `make demo` shows the product on a simulated host, `make test` runs everything that CI runs.
# On Debian and Ubuntu missing packages are installed (through sudo when not root); elsewhere they must be there.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
.SILENT:
.DEFAULT_GOAL := help

PACKAGES := python3 python3-venv mmdebstrap systemd systemd-container gcc libc6-dev dpkg-dev openssh-client rsync \
            debian-archive-keyring ca-certificates iproute2
BIN := .venv/bin
LAB := .edgeops/lab/inventory.yml
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

# An environment that does not start, or that came here from another folder, is made again.
AGAIN := $(shell [ "$$(cat .venv/made 2>/dev/null)" = "$(CURDIR)" ] && $(BIN)/python -c '' 2>/dev/null || echo again)

.PHONY: help setup packages browser again lint types layers wheel unit lab test demo clean

help:
	echo 'make demo    a simulated host: check, deploy, measure'
	echo 'make test    lint, types, layers, wheel, unit and lab tests (each is a target of its own)'
	echo 'make setup   only .venv and what is missing of Debian packages'
	echo 'make clean   simulated hosts, .venv and what was built; results in .edgeops/runs stay'

setup: packages .venv/made

packages:
	command -v dpkg-query >/dev/null || exit 0
	missing=()
	for package in $(PACKAGES); do
	    dpkg-query -W -f='$${db:Status-Abbrev}' "$$package" 2>/dev/null | grep -q '^ii' || missing+=("$$package")
	done
	if [ $${#missing[@]} -gt 0 ]; then
	    echo "installing $${missing[*]}"
	    $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get update -qq
	    $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null
	fi

# With the newest Python that edgeops takes.
.venv/made: pyproject.toml constraints.txt $(AGAIN) | packages
	fits='import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 13))'
	for python in python3.12 python3.11 python3.10 python3 /usr/bin/python3 none; do
	    "$$python" -c "$$fits" 2>/dev/null && break
	done
	[ "$$python" != none ] || { echo 'No Python 3.10, 3.11 or 3.12 with its venv module was found.' >&2; exit 1; }
	echo "making .venv with $$("$$python" -V)"
	"$$python" -m venv --clear .venv
	$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	echo '$(CURDIR)' >$@

lint: setup
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

types: setup
	$(BIN)/mypy --no-error-summary

layers: setup
	$(BIN)/lint-imports --no-cache >.venv/layers.txt || { cat .venv/layers.txt; exit 1; }

wheel: setup
	.ci/wheel $(BIN)/python

# The report's page is looked at in a browser. Ubuntu has Chromium only as a snap: there Chrome must be at hand.
browser: packages
	for program in chromium google-chrome; do
	    if command -v "$$program" >/dev/null; then exit 0; fi
	done
	echo 'installing chromium'
	$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get update -qq
	$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core \
	    >/dev/null || { echo 'The tests of the report need chromium or google-chrome.' >&2; exit 1; }

# The longest first, so that none of them is waited for at the end. What is timed on the wire hardly works, and has the
# machine for itself.
TIMED := $(addprefix tests/unit/,bench smoke)
UNIT := tests/unit/report $(filter-out $(TIMED) %/report,$(wildcard tests/unit/*))
LONG := $(foreach name,measurement rollout tune trial status deploy distribute resume report lab_engine rollback \
            prepare refusals,tests/lab/test_$(name).py)
LAB_TESTS := $(LONG) $(filter-out $(LONG),$(wildcard tests/lab/test_*.py))

unit: setup browser
	.ci/tests $(BIN)/python 2 2 $(TIMED)
	.ci/tests $(BIN)/python 3 1 $(UNIT)

lab: setup
	$(AS_ROOT) .ci/tests $(BIN)/python 4 2 $(LAB_TESTS)

test: lint types layers wheel unit lab

demo: setup
	$(BIN)/edgeops lab up --fresh --hosts spark-01
	$(BIN)/edgeops -i $(LAB) check spark-01
	$(BIN)/edgeops -i $(LAB) deploy spark-01

clean:
	[ ! -x $(BIN)/edgeops ] || [ ! -e $(LAB) ] || $(BIN)/edgeops lab down
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
