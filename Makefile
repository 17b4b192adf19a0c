# `make run` and `make test` do all the set-up themselves.
PYTHON ?= python3
PORT ?= 8501
HOST ?= 127.0.0.1
BIN := .venv/bin

.PHONY: run test check install solver clean

run: .venv/ready
	@exec $(BIN)/python -m streamlit run app.py --server.port $(PORT) --server.address $(HOST)

test: .venv/ready-test
	$(BIN)/python -m pytest

check: .venv/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_imports.py

install: .venv/ready

clean:
	rm -rf .venv

.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("BRIT needs Python 3.11 or newer: make run PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo 'Setting BRIT up in .venv, once: 7 GB of packages, about five minutes on two cores; pip shows how far it is.'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -r requirements.txt
	@$(MAKE) --no-print-directory solver
	@touch $@

# The wheel computes wrongly with NumPy 2; without a compiler BRIT's own solver takes over.
solver:
	@$(BIN)/python -m pip install --no-binary pcst_fast 'pcst_fast>=1.0.10,<2' \
		|| echo 'pcst_fast could not be built (no C++ compiler?): BRIT uses its own solver instead.'

.venv/ready-test: .venv/ready requirements-test.txt
	$(BIN)/python -m pip install -r requirements-test.txt
	@touch $@
