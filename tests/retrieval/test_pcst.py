"""Prizes, costs, virtual nodes and the way back, by hand (He et al. 2024)."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from brit.retrieval import pcst
from brit.retrieval.pcst import (
    build_problem,
    choose_subgraph,
    edge_prizes,
    lower_cost,
    map_back,
    node_prizes,
    solver_name,
)


def integers(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def numbers(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def test_the_k_best_nodes_get_k_to_1() -> None:
    assert node_prizes(numbers(0.1, 0.9, 0.3, 0.8), 3).tolist() == [0, 3, 1, 2]


def test_fewer_nodes_than_prizes() -> None:
    assert node_prizes(numbers(0.2, 0.7), 5).tolist() == [4, 5]


def test_equal_nodes_are_taken_in_order_and_nan_gets_nothing() -> None:
    scores = numbers(0.5, np.nan, 0.5, 0.5, -np.inf)
    assert node_prizes(scores, 2).tolist() == [2, 0, 1, 0, 0]
    assert node_prizes(numbers(np.nan), 2).tolist() == [0]


def test_edges_are_prized_by_tiers() -> None:
    # k = 2: the two highest values are 0.9 (once) and 0.4 (twice); 0.1 is out.
    # Tier 0: min(2 / 1, 2) = 2. Tier 1: min(1 / 2, 2 · 0.99) = 0.5 each.
    assert edge_prizes(numbers(0.4, 0.9, 0.1, 0.4), 2).tolist() == [0.5, 2, 0, 0.5]


def test_a_crowded_tier_keeps_the_next_one_below_it() -> None:
    # Tier 0: min(3 / 4, 3) = 0.75 each; tier 1: min(2 / 1, 0.75 · 0.99) = 0.7425;
    # tier 2: min(1 / 1, 0.7425 · 0.99) = 0.735075.
    prizes = edge_prizes(numbers(0.9, 0.9, 0.9, 0.9, 0.5, 0.2, 0.1), 3)
    assert prizes == pytest.approx([0.75, 0.75, 0.75, 0.75, 0.7425, 0.735075, 0])


def test_fewer_distinct_values_than_k() -> None:
    # Two values only, so two tiers: 2 / 1 and 1 / 1.
    assert edge_prizes(numbers(0.3, 0.6), 5).tolist() == [1, 2]
    assert edge_prizes(numbers(np.nan, -np.inf), 5).tolist() == [0, 0]


def test_the_cost_is_lowered_below_the_best_prize() -> None:
    assert lower_cost(0.5, numbers(0.1, 2.0)) == 0.5
    assert lower_cost(0.5, numbers(0.1, 0.2)) == pytest.approx(0.2 * 0.995)
    assert lower_cost(0.5, numbers(0.01), floor=0.05) == 0.05
    assert lower_cost(0.5, numbers(0.0)) == 0.5
    assert lower_cost(0.5, numbers()) == 0.5


def test_an_edge_above_its_cost_becomes_a_virtual_node() -> None:
    # 0 –(0.2)– 1 –(0.9)– 2 with cost 0.5: the first edge costs 0.3; the second becomes vertex 3
    # with prize 0.4, joined to 1 and 2 for nothing.
    problem = build_problem(
        integers(0, 1), integers(1, 2), numbers(2, 0, 1), numbers(0.2, 0.9), 0.5
    )
    assert problem.ends.tolist() == [[0, 1], [1, 3], [3, 2]]
    assert problem.prizes == pytest.approx([2, 0, 1, 0.4])
    assert problem.costs == pytest.approx([0.3, 0, 0])
    assert problem.edge_of.tolist() == [0, -1, -1]
    assert problem.virtual_edges.tolist() == [1]


def test_a_loop_without_surplus_is_left_out() -> None:
    problem = build_problem(integers(0, 0), integers(0, 1), numbers(1, 1), numbers(0, 0), 0.5)
    assert problem.edge_of.tolist() == [1]


def test_virtual_nodes_are_mapped_back_to_edges_and_their_ends() -> None:
    source, target = integers(0, 1), integers(1, 2)
    problem = build_problem(source, target, numbers(2, 0, 1), numbers(0.2, 0.9), 0.5)
    # The solver chose only vertices 1 and 3, and the solver's edge between them.
    nodes, edges = map_back(problem, (integers(1, 3), integers(1)), source, target)
    assert nodes.tolist() == [1, 2]
    assert edges.tolist() == [1]


@pytest.fixture(params=["pcst_fast", "fallback"])
def solver(request, monkeypatch) -> str:
    if request.param == "pcst_fast":
        pytest.importorskip("pcst_fast", reason="pcst_fast is not installed")
    monkeypatch.setattr(pcst, "solver_name", lambda: request.param)
    return request.param


@pytest.mark.usefixtures("solver")
def test_a_tree_worth_its_edges() -> None:
    # A chain 0–1–2–3–4 with prizes 5, 0, 4, 0, 0.4 and edge cost 0.5: 0–1–2 is worth 9 − 1 = 8;
    # going on to 4 would cost 1 for 0.4.
    nodes, edges = choose_subgraph(
        integers(0, 1, 2, 3), integers(1, 2, 3, 4), numbers(5, 0, 4, 0, 0.4), np.zeros(4), 0.5
    )
    assert nodes.tolist() == [0, 1, 2]
    assert edges.tolist() == [0, 1]


@pytest.mark.usefixtures("solver")
def test_a_prized_edge_draws_in_its_far_end() -> None:
    # The same chain; the edge 2–3 has prize 1.5 and so a surplus of 1.
    nodes, edges = choose_subgraph(
        integers(0, 1, 2, 3),
        integers(1, 2, 3, 4),
        numbers(5, 0, 4, 0, 0),
        numbers(0, 0, 1.5, 0),
        0.5,
    )
    assert nodes.tolist() == [0, 1, 2, 3]
    assert edges.tolist() == [0, 1, 2]


@pytest.mark.usefixtures("solver")
def test_nothing_has_a_prize() -> None:
    nodes, edges = choose_subgraph(integers(0), integers(1), np.zeros(2), np.zeros(1), 0.5)
    assert (len(nodes), len(edges)) == (0, 0)


@pytest.mark.usefixtures("solver")
def test_a_node_without_edges() -> None:
    nodes, edges = choose_subgraph(integers(), integers(), numbers(0, 3), numbers(), 0.5)
    assert (nodes.tolist(), edges.tolist()) == ([1], [])


@pytest.fixture
def fresh_self_test():
    solver_name.cache_clear()
    yield
    solver_name.cache_clear()


@pytest.mark.usefixtures("fresh_self_test")
def test_a_wheel_that_returns_garbage_is_not_used(monkeypatch) -> None:
    def garbage(*_: object) -> tuple[np.ndarray, np.ndarray]:
        return integers(0, 0, 0, 0), integers(0, 1, 2)

    monkeypatch.setitem(sys.modules, "pcst_fast", SimpleNamespace(pcst_fast=garbage))
    assert solver_name() == "fallback"


@pytest.mark.usefixtures("fresh_self_test")
def test_without_the_package_our_own_solver_is_used(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pcst_fast", None)
    assert solver_name() == "fallback"
