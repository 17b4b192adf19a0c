"""Where marks stand: computed here and kept, so that the browser only draws.

Each component is laid out for itself and the components are packed beside each other. Large ones
start from their distances to a few pivots (Brandes and Pich, Eigensolver methods for progressive
multidimensional scaling, 2006), so that what is far in the graph is far on the page; then springs
along ties and a push between near neighbours open them, in time nearly linear in their size.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import KDTree

from brit.types import IntArray

Points = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]
SPACE = 46.0
"""Between neighbours, in pixels at full size."""
_SMALL, _PIVOTS, _NEAR, _ROUNDS, _CELLS = 40, 40, 10, 70, 12
_ROUNDS_APART = 120
_DRIFT, _PULLED = 1.0, 1.8


def place_marks(pairs: Pairs, sizes: Points, aspect: float = 1.5) -> Points:
    """→ (k, 2) the centres of k marks, no two of which overlap.

    `pairs` (t, 2) are the marks that ties join, `sizes` (k, 2) width and height of each mark with
    its label in pixels, `aspect` the width of the frame to its height.
    """
    count = len(sizes)
    if not count:
        return np.zeros((0, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    matrix = _matrix(pairs, count)
    labels = connected_components(matrix, directed=False)[1]
    order = np.argsort(-np.bincount(labels), kind="stable")
    members = [np.flatnonzero(labels == label) for label in order]
    laid = [_component(pairs, group.astype(np.int32), sizes, aspect) for group in members]
    points = np.zeros((count, 2))
    packed = _pack(laid, [sizes[group] for group in members], aspect)
    for group, inside in zip(members, packed, strict=True):
        points[group] = inside
    return _filling(points - (points.min(axis=0) + points.max(axis=0)) / 2, aspect)


def _filling(points: Points, aspect: float) -> Points:
    """Pulled apart along the side on which the frame would stay empty."""
    wide, high = np.maximum(points.max(axis=0) - points.min(axis=0), SPACE)
    pull = np.clip([aspect * high / wide, wide / (aspect * high)], 1.0, _PULLED)
    filling: Points = points * pull
    return filling


def _matrix(pairs: Pairs, count: int) -> csr_array:
    return csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))


def _component(pairs: Pairs, group: IntArray, sizes: Points, aspect: float) -> Points:
    """A component's marks, in the order of `group`."""
    if len(group) == 1:
        return np.zeros((1, 2))
    place = np.full(len(sizes), -1)
    place[group] = np.arange(len(group))
    inner = place[pairs]
    inner = inner[(inner >= 0).all(axis=1)]
    room = sizes[group]
    points = _small(inner, len(group)) if len(group) <= _SMALL else _large(inner, len(group))
    points = _turned(points)
    nearest = np.median(KDTree(points).query(points, 2)[0][:, 1])
    space = max(SPACE, float(np.sqrt((room[:, 0] * room[:, 1]).mean())))
    points *= space / max(float(nearest), 1e-3)
    points *= np.array([np.sqrt(aspect), 1 / np.sqrt(aspect)])
    return _apart(points, room)


def _small(pairs: Pairs, count: int) -> Points:
    """By the distances of all to all (Kamada and Kawai)."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph(pairs.tolist())
    distances = dict(nx.all_pairs_shortest_path_length(graph))
    raw = nx.kamada_kawai_layout(graph, dist=distances)
    return np.array([raw[i] for i in range(count)])


def _large(pairs: Pairs, count: int) -> Points:
    points = _by_pivots(pairs, count)
    degree = np.bincount(pairs.ravel(), minlength=count).astype(np.float64)
    # A tie between two hubs may be longer: their leaves stand between them.
    rest = np.sqrt(np.minimum(degree[pairs[:, 0]], degree[pairs[:, 1]])) ** 0.5
    for step in np.geomspace(1.2, 0.06, _ROUNDS):
        force = _springs(points, pairs, degree, rest) + _pushes(points) + _drifts(points)
        length = np.linalg.norm(force, axis=1, keepdims=True)
        points = points + force * np.minimum(1.0, step / np.maximum(length, 1e-9))
    return points


def _by_pivots(pairs: Pairs, count: int) -> Points:
    """Classical scaling of the squared distances to marks that lie far from each other."""
    matrix = _matrix(pairs, count)
    nearest = np.full(count, np.inf)
    pivot = int(np.argmax(np.bincount(pairs.ravel(), minlength=count)))
    columns = []
    for _ in range(min(_PIVOTS, count)):
        distance = dijkstra(matrix, directed=False, indices=pivot, unweighted=True)
        columns.append(distance)
        nearest = np.minimum(nearest, distance)
        pivot = int(np.argmax(nearest))
    squared = np.stack(columns, axis=1) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * np.sqrt(values[:2])
    # Leaves of one mark have one place: they start apart, always in the same way.
    jitter = np.random.default_rng(7).normal(scale=0.05, size=points.shape)
    scale = np.sqrt(count) / max(float(np.abs(points).max()), 1e-6)
    scaled: Points = points * scale + jitter
    return scaled


def _springs(points: Points, pairs: Pairs, degree: Points, rest: Points) -> Points:
    """Towards ties of length `rest`; a hub is moved by its many ties no more than others."""
    gap = points[pairs[:, 1]] - points[pairs[:, 0]]
    length = np.maximum(np.linalg.norm(gap, axis=1), 1e-6)
    pull = gap * (0.5 * (length - rest) / length)[:, None]
    force = np.zeros_like(points)
    for axis in range(2):
        total = np.bincount(pairs[:, 0], pull[:, axis], len(points))
        total -= np.bincount(pairs[:, 1], pull[:, axis], len(points))
        force[:, axis] = total / np.sqrt(np.maximum(degree, 1.0))
    return force


def _pushes(points: Points) -> Points:
    """Away from the nearest marks, the stronger the nearer."""
    near = min(_NEAR, len(points) - 1)
    distance, others = KDTree(points).query(points, near + 1)
    gap = points[:, None] - points[others[:, 1:]]
    away: Points = (gap / np.maximum(distance[:, 1:, None], 0.15) ** 2).sum(axis=1) * 0.35
    return away


def _drifts(points: Points) -> Points:
    """Away from where many marks are, whose field is cut into cells for that."""
    low, high = points.min(axis=0), points.max(axis=0)
    side = np.maximum((high - low) / _CELLS, 1e-6)
    cell = np.minimum(((points - low) / side).astype(np.int64), _CELLS - 1)
    number = cell[:, 0] * _CELLS + cell[:, 1]
    count = np.bincount(number, minlength=_CELLS**2)
    full = np.flatnonzero(count)
    sums = [np.bincount(number, points[:, axis], _CELLS**2)[full] for axis in range(2)]
    middle = np.stack(sums, axis=1) / count[full, None]
    squared = (points**2).sum(axis=1)[:, None] - 2 * points @ middle.T + (middle**2).sum(axis=1)
    weight = count[full] / (np.maximum(squared, 0.0) + float(side.mean()) ** 2) ** 1.5
    drift: Points = (points * weight.sum(axis=1, keepdims=True) - weight @ middle) * _DRIFT
    return drift


def _turned(points: Points) -> Points:
    """The long side across."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: Points = centred @ axes.T
    return turned


def _apart(points: Points, sizes: Points) -> Points:
    """Marks whose boxes overlap, pushed apart step by step along the shorter way."""
    reach = float(np.linalg.norm(sizes, axis=1).max())
    for _ in range(_ROUNDS_APART):
        pairs = KDTree(points).query_pairs(reach, output_type="ndarray")
        one, other = pairs[:, 0], pairs[:, 1]
        gap = points[other] - points[one]
        lack = (sizes[one] + sizes[other]) / 2 - np.abs(gap)
        touching = (lack > 0.5).all(axis=1)
        if not touching.any():
            break
        points = points * (1.0 + 0.02 * min(1.0, 4 * touching.sum() / len(points)))
        one, other, gap, lack = (each[touching] for each in (one, other, gap, lack))
        across = lack[:, 0] < lack[:, 1]
        sign = np.where(gap >= 0, 1.0, -1.0)
        move = np.zeros_like(gap)
        move[across, 0] = (lack * sign)[across, 0] / 3
        move[~across, 1] = (lack * sign)[~across, 1] / 3
        for axis in range(2):
            points[:, axis] += np.bincount(other, move[:, axis], len(points))
            points[:, axis] -= np.bincount(one, move[:, axis], len(points))
    return points


def _pack(laid: list[Points], sizes: list[Points], aspect: float) -> list[Points]:
    """Components on shelves, the largest first; their corner is the origin of each."""
    boxes = []
    for points, room in zip(laid, sizes, strict=True):
        low = (points - room / 2).min(axis=0)
        boxes.append((low, (points + room / 2).max(axis=0) - low))
    gap = SPACE / 2
    area = sum((high[0] + gap) * (high[1] + gap) for _, high in boxes)
    width = max(float(np.sqrt(area * aspect)), float(boxes[0][1][0]))
    placed, x, y, shelf = [], 0.0, 0.0, 0.0
    for points, (low, high) in zip(laid, boxes, strict=True):
        if x and x + high[0] > width:
            x, y, shelf = 0.0, y + shelf + gap, 0.0
        placed.append(points - low + (x, y))
        x, shelf = x + high[0] + gap, max(shelf, float(high[1]))
    return placed
