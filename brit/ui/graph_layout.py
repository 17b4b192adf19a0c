"""Where the nodes of a graph stand: computed here, so that the browser only draws."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from dataclasses import replace

import networkx as nx

from brit.ui.graph_spec import QUESTION, GraphNode, GraphSpec, NodeKind

COLUMN = 185.0
# Height a mark takes above its centre, and below it together with its label.
ABOVE: dict[NodeKind, float] = {"question": 24, "node": 18, "image": 34, "passage": 22}
BELOW: dict[NodeKind, float] = {"question": 46, "node": 44, "image": 64, "passage": 24}
# The frame the graph is drawn in is about this much wider than high.
ASPECT = 1.4
_SMALL = 60
# A column with more marks than this gives its passages to the next one.
_LONG = 5


def layered(spec: GraphSpec) -> GraphSpec:
    """The question on the left, each step one column further; neighbours at like heights."""
    columns = _columns(spec)
    order = _ordered(spec, columns)
    kinds = {node.id: node.kind for node in spec.nodes}
    rows = [[ABOVE[kinds[id]] + BELOW[kinds[id]] for id in column] for column in order]
    height = max(sum(row) for row in rows)
    width = max(COLUMN, height * ASPECT / max(len(order), 1))
    place: dict[str, tuple[float, float]] = {}
    for depth, (column, row) in enumerate(zip(order, rows, strict=True)):
        # A short column is pulled apart, towards the height of the longest.
        pull = max(1.0, min(2.0, 0.75 * height / sum(row)))
        top = -sum(row) * pull / 2
        for id, high in zip(column, row, strict=True):
            place[id] = (depth * width, top + high * (pull - 1) / 2 + ABOVE[kinds[id]])
            top += high * pull
    return _placed(spec, place)


def _columns(spec: GraphSpec) -> dict[str, int]:
    graph: nx.DiGraph[str] = nx.DiGraph((e.source, e.target) for e in spec.edges)
    graph.add_node(QUESTION)
    depth = dict(nx.single_source_shortest_path_length(graph, QUESTION))
    for node in spec.nodes:
        kind = node.kind in ("image", "passage")
        depth[node.id] = min(depth.get(node.id, 2), 4) if node.id != QUESTION else 0
        if kind and depth[node.id] == 1 and len(spec.nodes) > 6:
            depth[node.id] = 2
    counts = Counter(depth.values())
    for node in spec.nodes:
        if node.kind == "passage" and counts[depth[node.id]] > _LONG:
            depth[node.id] += 1
    return _without_gaps(depth)


def _without_gaps(depth: dict[str, int]) -> dict[str, int]:
    rank = {value: i for i, value in enumerate(sorted(set(depth.values())))}
    return {id: rank[value] for id, value in depth.items()}


def _ordered(spec: GraphSpec, columns: dict[str, int]) -> list[list[str]]:
    """Ids column by column, each column by the mean height of its neighbours to the left."""
    neighbours: dict[str, list[str]] = defaultdict(list)
    for edge in spec.edges:
        neighbours[edge.target].append(edge.source)
        neighbours[edge.source].append(edge.target)
    height: dict[str, float] = {}
    order: list[list[str]] = []
    for depth in range(max(columns.values()) + 1):
        column = [node.id for node in spec.nodes if columns[node.id] == depth]
        mean = {id: _mean([height[n] for n in neighbours[id] if n in height]) for id in column}
        column.sort(key=lambda id: mean[id])
        height |= {id: i - (len(column) - 1) / 2 for i, id in enumerate(column)}
        order.append(column)
    return order


def _mean(values: list[float]) -> float:
    return statistics.fmean(values) if values else 0.0


def spread(spec: GraphSpec) -> GraphSpec:
    """The whole sub-graph: distances on paper follow distances in the graph."""
    graph: nx.Graph[str] = nx.Graph((e.source, e.target) for e in spec.edges)
    graph.add_nodes_from(node.id for node in spec.nodes)
    # What hangs together with nothing is held near the question, by an edge nobody sees.
    for part in list(nx.connected_components(graph)):
        if QUESTION not in part:
            graph.add_edge(QUESTION, min(part))
    if len(graph) <= _SMALL:
        raw = nx.kamada_kawai_layout(graph)
    else:
        raw = nx.spring_layout(graph, seed=7, iterations=80)
    place = {id: (float(x) * ASPECT, float(y)) for id, (x, y) in raw.items()}
    scale = _scale(list(place.values()))
    return _placed(spec, {id: (x * scale, y * scale) for id, (x, y) in place.items()})


def _scale(points: list[tuple[float, float]]) -> float:
    """So that the middling node is 64 pixels from the next."""
    nearest = [
        min((((x - a) ** 2 + (y - b) ** 2) ** 0.5 for a, b in points if (a, b) != (x, y)),
            default=1.0)
        for x, y in points
    ]  # fmt: skip
    return 64.0 / max(statistics.median(nearest), 1e-6)


def _placed(spec: GraphSpec, place: dict[str, tuple[float, float]]) -> GraphSpec:
    def put(node: GraphNode) -> GraphNode:
        x, y = place[node.id]
        return replace(node, x=round(x, 1), y=round(y, 1))

    return replace(spec, nodes=tuple(put(node) for node in spec.nodes))
