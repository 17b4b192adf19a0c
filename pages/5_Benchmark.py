"""Benchmark: a test set of the collection, every method on it, tables and what was missed."""

from brit.ui.benchmark_view import show_benchmark
from brit.ui.setup import setup
from brit.ui.wording import t

show_benchmark(setup(t("nav.benchmark")))
