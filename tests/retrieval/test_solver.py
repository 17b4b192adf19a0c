"""Our own solver: against all trees of small graphs, and against pcst_fast."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from brit.retrieval.solver import solve_tree

Graph = tuple[np.ndarray, np.ndarray, np.ndarray]
Solver = Callable[..., tuple[np.ndarray, np.ndarray]]


def random_graph(random: np.random.Generator, most: int, kind: int) -> Graph:
    """Edges, prizes and costs; `kind` 0: all differ, 1: five prizes and equal costs as retrieval
    makes them, 2: few high prizes, 3: exponential."""
    count = int(random.integers(3, most))
    edges = random.integers(0, count, (int(random.integers(count, 3 * count)), 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    prizes, costs = random.random(count), random.random(len(edges))
    if kind == 1:
        prizes, costs = np.zeros(count), np.full(len(edges), 0.5)
        best = min(5, count)
        prizes[random.choice(count, best, replace=False)] = np.arange(best, 0, -1)
    elif kind == 2:
        prizes = 3 * prizes * (random.random(count) < 0.2)
    elif kind == 3:
        prizes = random.exponential(1, count) * (random.random(count) < 0.4)
        costs = random.exponential(1, len(edges))
    return edges.astype(np.int64), prizes, costs


def lost(graph: Graph, nodes: np.ndarray, edges: np.ndarray) -> float:
    """The objective: costs of the tree, and prizes outside it."""
    _, prizes, costs = graph
    return float(prizes.sum() - prizes[nodes].sum() + costs[edges].sum())


def least_lost(graph: Graph) -> float:
    """Over every set of nodes, its cheapest spanning tree."""
    edges, prizes, costs = graph
    count = len(prizes)
    cost = np.full((count, count), np.inf)
    for (a, b), value in zip(edges, costs, strict=True):
        cost[a, b] = cost[b, a] = min(cost[a, b], value + 1)  # 1: no edge may look like none
    best = float(prizes.sum())
    for size in range(1, count + 1):
        for some in itertools.combinations(range(count), size):
            chosen = np.ix_(some, some)
            tree = minimum_spanning_tree(
                sparse.csr_array(np.where(np.isinf(cost), 0, cost)[chosen])
            )
            if tree.nnz == size - 1:
                spent = float(tree.sum()) - tree.nnz
                best = min(best, float(prizes.sum() - prizes[list(some)].sum()) + spent)
    return best


def is_tree(graph: Graph, nodes: np.ndarray, edges: np.ndarray) -> bool:
    group = {v: v for v in nodes.tolist()}
    for a, b in graph[0][edges].tolist():
        one, other = group[a], group[b]
        if one == other:
            return False
        group = {v: one if g == other else g for v, g in group.items()}
    return len(set(group.values())) <= 1


def fast_solver() -> Solver:
    pcst_fast = pytest.importorskip("pcst_fast", reason="pcst_fast is not installed").pcst_fast
    chain = np.array([[0, 1], [1, 2], [2, 3]])
    nodes, _ = pcst_fast(chain, np.array([5.0, 0, 0, 5]), np.ones(3), -1, 1, "gw", 0)
    if sorted(nodes.tolist()) != [0, 1, 2, 3]:
        pytest.skip("this build of pcst_fast gives wrong trees")
    return lambda *graph: pcst_fast(*graph, -1, 1, "gw", 0)


# Growth promises at most twice the least loss. Seen on these 150 graphs: ours finds the best tree
# of every one, pcst_fast of 85 in 100 and loses 55 % more at worst.
@pytest.mark.parametrize(
    ("solver", "worst", "best_of_all"),
    [("ours", 1.10, 0.95), ("pcst_fast", 2.0, 0.8)],
)
def test_close_to_the_best_of_all_trees(solver: str, worst: float, best_of_all: float) -> None:
    solve = solve_tree if solver == "ours" else fast_solver()
    random = np.random.default_rng(1)
    ratios = []
    for number in range(150):
        graph = random_graph(random, 7, number % 4)
        nodes, edges = solve(*graph)
        assert is_tree(graph, nodes, edges)
        best = least_lost(graph)
        ratios.append(lost(graph, nodes, edges) / best if best > 1e-9 else 1.0)
    assert max(ratios) < worst
    assert np.mean(np.array(ratios) < 1 + 1e-9) > best_of_all


def test_never_five_per_cent_worse_than_pcst_fast() -> None:
    solve = fast_solver()
    random = np.random.default_rng(2)
    for number in range(1000):
        graph = random_graph(random, 200 if number % 50 == 0 else 50, number % 4)
        ours = solve_tree(*graph)
        assert is_tree(graph, *ours)
        assert lost(graph, *ours) <= 1.05 * lost(graph, *solve(*graph)) + 1e-9


def test_separate_parts_give_the_best_single_tree() -> None:
    edges = np.array([[0, 1], [2, 3]])
    nodes, chosen = solve_tree(edges, np.array([3.0, 1, 2, 1]), np.array([0.5, 0.5]))
    assert nodes.tolist() == [0, 1]
    assert chosen.tolist() == [0]


def test_the_cheaper_of_two_parallel_edges() -> None:
    edges = np.array([[0, 1], [0, 1]])
    _, chosen = solve_tree(edges, np.array([3.0, 3]), np.array([0.9, 0.2]))
    assert chosen.tolist() == [1]


def test_nothing_to_gain() -> None:
    nodes, chosen = solve_tree(np.zeros((0, 2), np.int64), np.zeros(3), np.zeros(0))
    assert (len(nodes), len(chosen)) == (0, 0)
