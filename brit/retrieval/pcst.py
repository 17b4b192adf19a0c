"""The sub-graph that belongs to a question, as a prize-collecting Steiner tree (§3.2).

Prizes, costs and virtual nodes are those of He et al. (2024, G-Retriever): the k nodes most like
the question get prizes k … 1; the edges whose similarity is among the k highest distinct values get
prizes by tiers; an edge dearer than its prize costs the difference, and an edge whose prize exceeds
its cost becomes a virtual node between its ends, carrying the surplus. Four steps, each on plain
arrays: prizes, costs (`build_problem`), solve, map back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from brit.retrieval.solver import solve_tree
from brit.types import IntArray

Prizes = npt.NDArray[np.float64]
Solution = tuple[IntArray, IntArray]

TIER_FALL = 0.01  # each tier of edge prizes stays this share below the tier before it


@dataclass(frozen=True, eq=False)
class Problem:
    """What the solver gets. The first `nodes` vertices are the graph's own nodes.

    `ends` (m, 2), `prizes` (v,), `costs` (m,); `edge_of` (m,) is the edge of the graph behind each
    solver edge, −1 for those at a virtual node; `virtual_edges` (v − nodes,) the edge behind each
    virtual node.
    """

    nodes: int
    ends: npt.NDArray[np.int64]
    prizes: Prizes
    costs: Prizes
    edge_of: IntArray
    virtual_edges: IntArray


def node_prizes(scores: Prizes, k: int) -> Prizes:
    """Prizes k … 1 for the k best of `scores` (n,), 0 for the others.

    Nodes with equal scores are taken in their order; scores that are no finite numbers get none.
    """
    known = np.flatnonzero(np.isfinite(scores))
    best = known[np.argsort(-scores[known], kind="stable")][:k]
    prizes = np.zeros(len(scores))
    prizes[best] = np.arange(k, k - len(best), -1)
    return prizes


def edge_prizes(scores: Prizes, k: int) -> Prizes:
    """Prizes by tiers for the k highest distinct values of `scores` (e,), 0 for the others.

    The c edges that share value i (0 the highest) get (k − i) / c each, but always less than the
    edges of the tier before.
    """
    prizes = np.zeros(len(scores))
    values = np.unique(scores[np.isfinite(scores)])[::-1][:k]
    ceiling = float(len(values))
    for tier, value in enumerate(values):
        tied = scores == value
        prize = min((len(values) - tier) / int(tied.sum()), ceiling)
        prizes[tied] = prize
        ceiling = prize * (1 - TIER_FALL)
    return prizes


def lower_cost(cost: float, prizes: Prizes, floor: float = 0.0) -> float:
    """The cost of an edge, lowered until the best prize exceeds it, but not under `floor`."""
    best = float(prizes.max()) if len(prizes) else 0.0
    return max(min(cost, best * (1 - TIER_FALL / 2)), floor) if best > 0 else cost


def build_problem(
    source: IntArray, target: IntArray, on_nodes: Prizes, on_edges: Prizes, cost: float
) -> Problem:
    """`source`, `target` (e,) are positions in `on_nodes` (n,); `on_edges` (e,) are edge prizes."""
    count = len(on_nodes)
    dear = on_edges <= cost
    plain = np.flatnonzero(dear & (source != target)).astype(np.int32)
    virtual = np.flatnonzero(~dear).astype(np.int32)
    vertex = count + np.arange(len(virtual))
    ends = np.concatenate(
        [
            np.stack([source[plain], target[plain]], axis=1),
            np.stack([source[virtual], vertex], axis=1),
            np.stack([vertex, target[virtual]], axis=1),
        ]
    ).astype(np.int64)
    free = np.zeros(2 * len(virtual))
    return Problem(
        nodes=count,
        ends=ends,
        prizes=np.concatenate([on_nodes, on_edges[virtual] - cost]),
        costs=np.concatenate([cost - on_edges[plain], free]),
        edge_of=np.concatenate([plain, np.full(len(free), -1)]).astype(np.int32),
        virtual_edges=virtual,
    )


def map_back(problem: Problem, solution: Solution, source: IntArray, target: IntArray) -> Solution:
    """What the solver chose → (nodes, edges) of the graph, with the ends of every chosen edge."""
    vertices, chosen = solution
    virtual = problem.virtual_edges[vertices[vertices >= problem.nodes] - problem.nodes]
    plain = problem.edge_of[chosen]
    edges = np.union1d(virtual, plain[plain >= 0]).astype(np.int32)
    real = vertices[vertices < problem.nodes]
    nodes = np.unique(np.concatenate([real, source[edges], target[edges]])).astype(np.int32)
    return nodes, edges


def choose_subgraph(
    source: IntArray, target: IntArray, on_nodes: Prizes, on_edges: Prizes, cost: float
) -> Solution:
    """Costs, solve, map back. Nothing has a prize: nothing is chosen."""
    problem = build_problem(source, target, on_nodes, on_edges, cost)
    return map_back(problem, solve(problem), source, target)


def solve(problem: Problem) -> Solution:
    """The tree with the highest prizes minus costs, approximately → (vertices, edges)."""
    if not len(problem.prizes) or not problem.prizes.max() > 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    if solver_name() == "fallback":
        return solve_tree(problem.ends, problem.prizes, problem.costs)
    return _solve_fast(problem.ends, problem.prizes, problem.costs)


@cache
def solver_name() -> str:
    """ "pcst_fast", or "fallback" where that is missing or, built for another NumPy, wrong.

    Its published wheel returns garbage with NumPy 2 without any error, so it has to solve a chain
    of four nodes first, whose best tree is the whole chain.
    """
    ends = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int64)
    try:
        vertices, edges = _solve_fast(ends, np.array([5.0, 0.0, 0.0, 5.0]), np.ones(3))
    except (ImportError, AttributeError, TypeError, ValueError):
        return "fallback"
    right = sorted(vertices.tolist()) == [0, 1, 2, 3] and sorted(edges.tolist()) == [0, 1, 2]
    return "pcst_fast" if right else "fallback"


def _solve_fast(ends: npt.NDArray[np.int64], prizes: Prizes, costs: Prizes) -> Solution:
    from pcst_fast import pcst_fast

    vertices, edges = pcst_fast(ends, prizes, costs, -1, 1, "gw", 0)
    return np.sort(vertices).astype(np.int32), np.sort(edges).astype(np.int32)
