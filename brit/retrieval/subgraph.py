"""From kept components to the sub-graph of a question: scores → prizes → PCST (§3.2).

The paper's way runs PCST on each kept component whole; the default way on a bounded neighbourhood
of the prizes, so that its time does not grow with the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.models import GraphIndex
from brit.retrieval.pcst import Prizes, choose_subgraph, edge_prizes, lower_cost, node_prizes
from brit.retrieval.query import Query
from brit.retrieval.scope import Scope
from brit.types import IntArray, Prize, TraceEdge, TraceNode

MAX_NEIGHBOURS = 2000
MAX_FAN_OUT = 100
HOPS = 2
COST_FLOOR = 0.05  # below it, one relation shared by hundreds of edges drags all of them in


@dataclass(frozen=True, eq=False)
class SubGraph:
    """`nodes` and `edges` are positions in the graph; `origin` says how each node came in."""

    nodes: IntArray
    edges: IntArray
    origin: Mapping[int, str]
    node_prizes: tuple[Prize, ...] = ()
    edge_prizes: tuple[Prize, ...] = ()
    edge_cost: float = 0.0

    @classmethod
    def merge(cls, parts: Sequence[SubGraph]) -> SubGraph:
        """One sub-graph of all; prizes best first, the cost is the lowest of them."""
        if not parts:
            return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), {})
        origin: dict[int, str] = {}
        for part in reversed(parts):
            origin |= part.origin
        return cls(
            nodes=np.unique(np.concatenate([part.nodes for part in parts])),
            edges=np.unique(np.concatenate([part.edges for part in parts])),
            origin=origin,
            node_prizes=_best_first(prize for part in parts for prize in part.node_prizes),
            edge_prizes=_best_first(prize for part in parts for prize in part.edge_prizes),
            edge_cost=min(part.edge_cost for part in parts),
        )


def paper_subgraph(
    index: GraphIndex, scope: Scope, query: Query, components: Iterable[int], k: int, cost: float
) -> SubGraph:
    """PCST on each kept component, whole (§5.3: k = 5, edge cost 0.5)."""
    parts = []
    for component in components:
        nodes = scope.members.row(component)
        edges = scope.component_edges.row(component)
        hits = index.nodes.search(query.vector[None, :], k, scope.ids_of(nodes.tolist()))[0]
        scores = {scope.node_at[id]: score for id, score in hits}
        parts.append(_prized_tree(index, scope, query, nodes, edges, scores, k, cost, 0.0))
    return SubGraph.merge(parts)


def default_subgraph(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    scores: Mapping[int, float],
    k: int,
    cost: float,
) -> SubGraph:
    """PCST around the k best of `scores` (node → score), in each connected part of their
    neighbourhood; the prized nodes stay even where their tree leaves them out."""
    best = dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k])
    nodes = neighbourhood(scope, np.array([*best], np.int32))
    edges = inner_edges(scope, nodes)
    parts = [
        _prized_tree(index, scope, query, some, its_edges, best, k, cost, COST_FLOOR)
        for some, its_edges in connected_parts(scope, nodes, edges)
        if not best.keys().isdisjoint(some.tolist())
    ]
    prized = np.array(sorted(best), np.int32)
    kept = SubGraph(prized, np.zeros(0, np.int32), dict.fromkeys(best, "prize"), edge_cost=cost)
    return SubGraph.merge([*parts, kept])


def _prized_tree(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    nodes: IntArray,
    edges: IntArray,
    scores: Mapping[int, float],
    k: int,
    cost: float,
    floor: float,
) -> SubGraph:
    """`nodes` in rising order, `edges` among them, `scores` of the nodes that may get a prize."""
    graph = scope.graph
    node_scores = np.array([scores.get(at, -np.inf) for at in nodes.tolist()])
    on_nodes = node_prizes(node_scores, k)
    edge_scores = relation_scores(index, scope, query, edges, k)
    on_edges = edge_prizes(edge_scores, k)
    cost = lower_cost(cost, on_edges, floor)
    source = np.searchsorted(nodes, graph.edge_source[edges]).astype(np.int32)
    target = np.searchsorted(nodes, graph.edge_target[edges]).astype(np.int32)
    chosen_nodes, chosen_edges = choose_subgraph(source, target, on_nodes, on_edges, cost)
    return SubGraph(
        nodes=nodes[chosen_nodes],
        edges=edges[chosen_edges],
        origin=dict.fromkeys(nodes[chosen_nodes].tolist(), "pcst"),
        node_prizes=_prizes(graph.node_ids, graph.node_labels, nodes, node_scores, on_nodes),
        edge_prizes=_prizes(
            graph.edge_ids, _edge_labels(scope, edges, on_edges), edges, edge_scores, on_edges
        ),
        edge_cost=cost,
    )


def relation_scores(
    index: GraphIndex, scope: Scope, query: Query, edges: IntArray, k: int
) -> Prizes:
    """→ (e,) the cosine of each edge's relation with the question, where it is among the k highest
    distinct values; −inf elsewhere."""
    graph = scope.graph
    present = np.unique(graph.edge_relation[edges])
    texts = [graph.relations[at] for at in present.tolist()]
    scores = np.full(len(graph.relations), -np.inf)
    look = 4 * k
    while texts and k > 0:
        hits = index.relations.search(query.vector[None, :], look, texts)[0]
        values = sorted({score for _, score in hits}, reverse=True)[:k]
        if len(hits) < look or hits[-1][1] < values[-1]:
            for text, score in hits:
                scores[scope.relation_at[text]] = score
            break
        look *= 4
    chosen: Prizes = scores[graph.edge_relation[edges]]
    return chosen


def neighbourhood(scope: Scope, seeds: IntArray, limit: int = MAX_NEIGHBOURS) -> IntArray:
    """Nodes at most HOPS edges from `seeds`, nearest first until `limit`; → rising positions.

    Of a node with very many edges only the first are followed.
    """
    found = np.unique(seeds)
    frontier = found
    for _ in range(HOPS):
        owner, edges = scope.incident.gather(frontier)
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        owner, edges = owner[place < MAX_FAN_OUT], edges[place < MAX_FAN_OUT]
        reached = np.unique(scope.far_end(edges, frontier[owner]))
        frontier = np.setdiff1d(reached, found)[: max(limit - len(found), 0)]
        if not len(frontier):
            break
        found = np.union1d(found, frontier)
    return found.astype(np.int32)


def inner_edges(scope: Scope, nodes: IntArray) -> IntArray:
    """The edges of the scope both of whose ends are among `nodes`."""
    _, edges = scope.incident.gather(nodes)
    edges = np.unique(edges)
    inside = np.zeros(len(scope.graph.node_ids), dtype=bool)
    inside[nodes] = True
    ends = inside[scope.graph.edge_source[edges]] & inside[scope.graph.edge_target[edges]]
    return edges[ends].astype(np.int32)


def connected_parts(
    scope: Scope, nodes: IntArray, edges: IntArray
) -> list[tuple[IntArray, IntArray]]:
    """Nodes (rising) and edges of each connected part."""
    if not len(nodes):
        return []
    source = np.searchsorted(nodes, scope.graph.edge_source[edges])
    target = np.searchsorted(nodes, scope.graph.edge_target[edges])
    shape = (len(nodes), len(nodes))
    matrix = coo_array((np.ones(len(edges), np.int8), (source, target)), shape=shape)
    count, part = connected_components(matrix, directed=False)
    return [(nodes[part == at], edges[part[source] == at]) for at in range(count)]


def node_similarity(index: GraphIndex, scope: Scope, query: Query, nodes: IntArray) -> Prizes:
    """→ (n,) cosines of nodes with the question; what is no number counts as −1."""
    if not len(nodes):
        return np.zeros(0)
    vectors = index.nodes.vectors(scope.ids_of(nodes.tolist()))
    cosines = (vectors @ query.vector).astype(np.float64)
    return np.where(np.isfinite(cosines), cosines, -1.0)


def edge_similarity(index: GraphIndex, scope: Scope, query: Query, edges: IntArray) -> Prizes:
    """→ (e,) how much a triplet is like the question: the mean cosine of its three parts."""
    graph = scope.graph
    if not len(edges):
        return np.zeros(0)
    ends, place = np.unique(
        np.concatenate([graph.edge_source[edges], graph.edge_target[edges]]), return_inverse=True
    )
    of_nodes = node_similarity(index, scope, query, ends.astype(np.int32))[place]
    relations = [graph.relations[at] for at in graph.edge_relation[edges].tolist()]
    of_relations = np.nan_to_num(index.relations.vectors(relations) @ query.vector)
    mean: Prizes = (of_nodes[: len(edges)] + of_nodes[len(edges) :] + of_relations) / 3
    return mean


def trace_nodes(
    index: GraphIndex, scope: Scope, query: Query, subgraph: SubGraph
) -> tuple[TraceNode, ...]:
    """The nodes for the trace, most similar first."""
    graph = scope.graph
    scores = node_similarity(index, scope, query, subgraph.nodes)
    shown = [
        TraceNode(
            id=graph.node_ids[at],
            label=graph.node_labels[at],
            kind=graph.node_kinds[at],
            score=score,
            origin=subgraph.origin[at],
        )
        for at, score in zip(subgraph.nodes.tolist(), scores.tolist(), strict=True)
    ]
    return tuple(sorted(shown, key=lambda node: -node.score))


def trace_edges(
    index: GraphIndex, scope: Scope, query: Query, subgraph: SubGraph
) -> tuple[TraceEdge, ...]:
    """The edges for the trace, most similar first."""
    graph = scope.graph
    scores = edge_similarity(index, scope, query, subgraph.edges)
    shown = [
        TraceEdge(
            id=graph.edge_ids[at],
            source=graph.node_ids[graph.edge_source[at]],
            target=graph.node_ids[graph.edge_target[at]],
            relation=graph.relations[graph.edge_relation[at]],
            score=score,
        )
        for at, score in zip(subgraph.edges.tolist(), scores.tolist(), strict=True)
    ]
    return tuple(sorted(shown, key=lambda edge: -edge.score))


def _edge_labels(scope: Scope, edges: IntArray, prizes: Prizes) -> dict[int, str]:
    graph = scope.graph
    prized = edges[prizes > 0].tolist()
    return {at: graph.relations[graph.edge_relation[at]] for at in prized}


def _prizes(
    ids: Sequence[str],
    labels: Mapping[int, str] | Sequence[str],
    positions: IntArray,
    scores: Prizes,
    prizes: Prizes,
) -> tuple[Prize, ...]:
    return tuple(
        Prize(ids[at], labels[at], float(scores[row]), float(prizes[row]))
        for row, at in ((row, int(positions[row])) for row in np.flatnonzero(prizes > 0))
    )


def _best_first(prizes: Iterable[Prize]) -> tuple[Prize, ...]:
    return tuple(sorted(prizes, key=lambda prize: -prize.prize))[:100]
