"""Where the nodes of a graph stand: computed here, so that the browser only draws."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from brit.ui.graph_spec import GraphEdge, GraphNode, GraphSpec, NodeKind, State
from brit.ui.ways import QUESTION

Points = npt.NDArray[np.float64]
COLUMN = 132.0
# Half the height of a mark with the space around it; a line of its label, and how long that is.
HALF: dict[NodeKind, float] = {"question": 26, "node": 16, "image": 28, "passage": 19, "gap": 6}
HALF_IMAGE: dict[State, float] = {"used": 34, "kept": 31, "dropped": 21}
LINE, LINE_LENGTH = 17.0, 15
# The frame the graph is drawn in is about this much wider than high.
ASPECT = 1.35
# What a mark with its label takes of the sub-graph about, and the share that is left free.
ROOM = (92.0, 70.0)
_FREE = 1.5
_LETTER = 8.0
_SMALL = 60
# A column with more marks than this gives its passages to the next one.
_LONG = 5
# What the labels of the outer marks take beside and below them, and the most a graph is pulled.
_EDGE = (92.0, 54.0)
_PULLED = 1.7


def layered(spec: GraphSpec, aspect: float = ASPECT) -> GraphSpec:
    """The question on the left, each step one column further; neighbours at like heights."""
    columns = _columns(spec)
    led = _led_through(spec, columns)
    nodes = {node.id: node for node in led.spec.nodes}
    order = _ordered(led.spec, columns | led.columns)
    rows = [[sum(extent(nodes[id])) for id in column] for column in order]
    height = max(sum(row) for row in rows)
    width = max(COLUMN, height * aspect / max(len(order), 1))
    # Many columns of few marks would lie as a band across an empty frame.
    free = ((len(order) - 1) * width + _EDGE[0]) / aspect - _EDGE[1]
    stretch = max(1.0, min(_PULLED, free / height))
    place: dict[str, tuple[float, float]] = {}
    for depth, (column, row) in enumerate(zip(order, rows, strict=True)):
        # A short column is pulled apart, towards the height of the longest.
        pull = stretch * max(1.0, min(2.0, 0.75 * height / sum(row)))
        top = -sum(row) * pull / 2
        for id, high in zip(column, row, strict=True):
            above = extent(nodes[id])[0]
            place[id] = (depth * width, top + high * (pull - 1) / 2 + above)
            top += high * pull
    edges = tuple(
        replace(edge, via=tuple(_rounded(place[gap]) for gap in gaps)) if gaps else edge
        for edge, gaps in zip(spec.edges, led.gaps, strict=True)
    )
    return _placed(replace(spec, edges=edges), place)


@dataclass(frozen=True)
class _Led:
    """A graph with a gap, which nobody sees, wherever a line crosses a column it does not end in:
    no line runs behind what it has nothing to do with. `gaps` are those of each edge."""

    spec: GraphSpec
    columns: dict[str, int]
    gaps: tuple[tuple[str, ...], ...]


def _led_through(spec: GraphSpec, columns: dict[str, int]) -> _Led:
    places: dict[str, int] = {}
    edges: list[GraphEdge] = []
    gaps: list[tuple[str, ...]] = []
    for number, edge in enumerate(spec.edges):
        start, end = columns[edge.source], columns[edge.target]
        step = 1 if end > start else -1
        crossed = range(start + step, end, step) if edge.state != "dropped" else ()
        own = tuple(f"gap:{number}:{column}" for column in crossed)
        places |= dict(zip(own, crossed, strict=True))
        stops = (edge.source, *own, edge.target)
        edges += [replace(edge, source=a, target=b) for a, b in pairwise(stops)]
        gaps.append(own)
    nodes = (*spec.nodes, *(GraphNode(id, "gap", "", "kept") for id in places))
    return _Led(GraphSpec(nodes, tuple(edges)), places, tuple(gaps))


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 1), round(point[1], 1)


def extent(node: GraphNode) -> tuple[float, float]:
    """What a mark takes above its centre, and below it together with its label, in pixels."""
    half = HALF_IMAGE[node.state] if node.kind == "image" else HALF[node.kind]
    if node.kind == "passage":  # its label stands inside
        return half, half
    return half, half + LINE * min(math.ceil(len(node.label) / LINE_LENGTH), 2)


def _columns(spec: GraphSpec) -> dict[str, int]:
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph((e.source, e.target) for e in spec.edges)
    graph.add_node(QUESTION)
    depth = dict(nx.single_source_shortest_path_length(graph, QUESTION))
    for node in spec.nodes:
        kind = node.kind in ("image", "passage")
        depth[node.id] = min(depth.get(node.id, 2), 4) if node.id != QUESTION else 0
        if kind and depth[node.id] == 1 and len(spec.nodes) > 6:
            depth[node.id] = 2
    for edge in spec.edges:  # what a picture leads to stands behind it, not below
        if edge.source[:2] == "i:" and depth[edge.target] == depth[edge.source]:
            depth[edge.target] += 1
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
    for edge in spec.edges:  # a gap is where a line crosses a column
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


def spread(spec: GraphSpec, aspect: float = ASPECT) -> GraphSpec:
    """The whole sub-graph: distances follow those in the graph, labels get room."""
    import networkx as nx

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
    points = _filling(np.array([raw[node.id] for node in spec.nodes]), aspect)
    extents = np.array([extent(node) for node in spec.nodes])
    widths = [_LETTER * min(max(len(node.label), 8), LINE_LENGTH) for node in spec.nodes]
    # A mark and its label below it take their room around a point lower than the mark's own.
    lower = np.stack([np.zeros(len(points)), (extents[:, 1] - extents[:, 0]) / 2], axis=1)
    points = _apart(points + lower, np.stack([widths, extents.sum(axis=1)], axis=1)) - lower
    ids = [node.id for node in spec.nodes]
    return _placed(spec, {id: (float(x), float(y)) for id, (x, y) in zip(ids, points, strict=True)})


def _filling(points: Points, aspect: float) -> Points:
    """The points drawn out to a field of the frame's shape, with `ROOM` for each of them."""
    height = math.sqrt(len(points) * ROOM[0] * ROOM[1] * _FREE / aspect)
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (points - low) / np.maximum(high - low, 1e-6) - 0.5
    field: Points = unit * (height * aspect, height)
    return field


def _apart(points: Points, room: Points) -> Points:
    """Points whose marks or labels (n×2: wide, high) would touch, pushed apart step by step."""
    order = np.sign(np.subtract.outer(range(len(points)), range(len(points))))[..., None]
    needed = (room[:, None] + room[None]) / 2
    for _ in range(60):
        gap = points[:, None] - points[None]
        lack = np.maximum(needed - np.abs(gap), 0.0)
        lack[lack.min(axis=-1) == 0] = 0.0
        lack[np.diag_indices(len(points))] = 0.0
        if not lack.any():
            break
        # Along the direction in which less is lacking.
        lack[lack > lack.min(axis=-1, keepdims=True)] = 0.0
        points = points + (lack * np.where(gap == 0, order, np.sign(gap))).sum(axis=1) / 4
    return points


def _placed(spec: GraphSpec, place: dict[str, tuple[float, float]]) -> GraphSpec:
    def put(node: GraphNode) -> GraphNode:
        x, y = place[node.id]
        return replace(node, x=round(x, 1), y=round(y, 1))

    return replace(spec, nodes=tuple(put(node) for node in spec.nodes))
