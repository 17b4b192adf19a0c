"""A prize-collecting Steiner tree solver of our own, for where `pcst_fast` cannot be used.

Unrooted, one tree: maximise the prizes of its nodes minus the costs of its edges. Growth after
Goemans and Williamson (1995): every cluster of nodes with prize left over grows a moat at speed 1;
an edge that the moats fill joins its two clusters; a cluster whose prize is used up stops. Each
tree so grown is then pruned to its best connected part, exactly, by dynamic programming (strong
pruning, Johnson, Minkoff and Phillips 2000). Where many costs are equal growth chooses its ways
badly, so trees of shortest paths to the prizes it kept (Takahashi and Matsuyama 1980) compete.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from brit.types import IntArray

EPSILON = 1e-9
PATH_TREES = 5
HIGHEST = 12
TRIFLE = 1e-3
SMALL = 10_000  # edges
Neighbours = dict[int, list[tuple[int, int]]]
Tree = tuple[float, set[int], set[int]]  # worth, nodes, edges


def solve_tree(
    edges: npt.NDArray[np.int64], prizes: npt.NDArray[np.float64], costs: npt.NDArray[np.float64]
) -> tuple[IntArray, IntArray]:
    """The best tree found → (nodes, edges), positions in rising order.

    `edges` (e, 2) are undirected; `prizes` (n,) and `costs` (e,) are not negative. Without any
    prize the answer is empty.
    """
    if not len(prizes) or not prizes.max() > 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    ends, cost, prize = edges.tolist(), costs.tolist(), prizes.tolist()
    growth = _Growth(ends, cost, prize)
    best = _best_subtree(growth.grow(), ends, cost, prize)
    for start, targets, length in _path_plans(best[1], prize, cost):
        paths = _path_tree(start, targets, growth.incident, ends, length)
        best = max(best, _best_subtree(paths, ends, cost, prize), key=lambda tree: tree[0])
    _, nodes, chosen = best
    return np.array(sorted(nodes), np.int32), np.array(sorted(chosen), np.int32)


@dataclass
class _Growth:
    """Clusters are a union-find forest; `moat[v]` is added to every node below v.

    A cluster's own moat is brought up to date only when looked at (`since`), and an edge's event is
    only a prediction: it is checked when its time comes, and made again when a cluster that slept
    is woken by a merge.
    """

    ends: list[list[int]]
    cost: list[float]
    prize: list[float]
    now: float = 0.0
    events: list[tuple[float, int, int]] = field(default_factory=list)

    def grow(self) -> list[int]:
        """→ the edges that joined clusters: a forest."""
        count = len(self.prize)
        self.parent = list(range(count))
        self.moat = [0.0] * count
        self.since = [0.0] * count
        self.left = list(self.prize)
        self.active = [prize > EPSILON for prize in self.prize]
        self.awake = sum(self.active)
        self.members = [[v] for v in range(count)]
        self.incident: list[list[int]] = [[] for _ in range(count)]
        for edge, (u, v) in enumerate(self.ends):
            if u != v:
                self.incident[u].append(edge)
                self.incident[v].append(edge)
        for v in range(count):
            if self.active[v]:
                self._announce(v)
        return self._run()

    def _run(self) -> list[int]:
        forest: list[int] = []
        while self.events and self.awake > 1:
            self.now, kind, item = heapq.heappop(self.events)
            if kind == 0:
                self._exhaust(item)
            elif self._slack(item) > EPSILON:
                self._predict(item)
            elif self._join(item):
                forest.append(item)
        return forest

    def _announce(self, root: int) -> None:
        """A cluster begins to grow: when does it stop, when are its edges full?"""
        heapq.heappush(self.events, (self.now + self.left[root], 0, root))
        for v in self.members[root]:
            for edge in self.incident[v]:
                self._predict(edge)

    def _predict(self, edge: int) -> None:
        (a, _), (b, _) = self._reach(self.ends[edge][0]), self._reach(self.ends[edge][1])
        speed = self.active[a] + self.active[b]
        if a != b and speed:
            heapq.heappush(self.events, (self.now + self._slack(edge) / speed, 1, edge))

    def _slack(self, edge: int) -> float:
        (a, first), (b, second) = self._reach(self.ends[edge][0]), self._reach(self.ends[edge][1])
        return 0.0 if a == b else self.cost[edge] - first - second

    def _reach(self, v: int) -> tuple[int, float]:
        """→ (cluster of v, total moat around v), shortening the way for next time."""
        path, total = [], 0.0
        while self.parent[v] != v:
            path.append(v)
            v = self.parent[v]
        for u in reversed(path):
            total += self.moat[u]
            self.parent[u], self.moat[u] = v, total
        return v, total + self._own_moat(v)

    def _own_moat(self, root: int) -> float:
        if self.active[root]:
            grown = self.now - self.since[root]
            self.moat[root] += grown
            self.left[root] -= grown
        self.since[root] = self.now
        return self.moat[root]

    def _exhaust(self, root: int) -> None:
        if self.parent[root] != root or not self.active[root]:
            return
        self._own_moat(root)
        if self.left[root] <= EPSILON:
            self.active[root] = False
            self.awake -= 1

    def _join(self, edge: int) -> bool:
        (a, _), (b, _) = self._reach(self.ends[edge][0]), self._reach(self.ends[edge][1])
        if a == b or not (self.active[a] or self.active[b]):
            return False
        if len(self.members[a]) < len(self.members[b]):
            a, b = b, a
        sleeper = next((root for root in (a, b) if not self.active[root]), None)
        woken = [] if sleeper is None else list(self.members[sleeper])
        self.awake -= sleeper is None
        self.parent[b] = a
        self.moat[b] -= self.moat[a]
        self.left[a] = max(self.left[a], 0.0) + max(self.left[b], 0.0)
        self.active[a] = True
        self.members[a] += self.members[b]
        heapq.heappush(self.events, (self.now + self.left[a], 0, a))
        for v in woken:
            for other in self.incident[v]:
                self._predict(other)
        return True


def _path_plans(
    kept: set[int], prize: list[float], cost: list[float]
) -> Iterator[tuple[int, set[int], list[float]]]:
    """Where to start, what to reach, how long each edge counts.

    What to reach: the prizes growth kept, then the highest of all. Lengths a trifle apart choose
    among ways that cost the same. In a large graph each is tried once only.
    """
    small = len(cost) <= SMALL
    by_prize = sorted((v for v in range(len(prize)) if prize[v] > 0), key=lambda v: -prize[v])
    for share in (0.0, TRIFLE, -TRIFLE) if small else (0.0,):
        length = [c * (1 + share * (e * 2654435761 % 1024) / 1024) for e, c in enumerate(cost)]
        for targets in ([v for v in by_prize if v in kept], by_prize[:HIGHEST]):
            for start in targets[: PATH_TREES if small else 1]:
                yield start, set(targets), length


def _path_tree(
    start: int,
    targets: set[int],
    incident: list[list[int]],
    ends: list[list[int]],
    length: list[float],
) -> list[int]:
    """From `start`, always the shortest path to the next target: → the edges of that tree."""
    inside = [False] * len(incident)
    distance = {start: 0.0}
    came_by: dict[int, int] = {}
    tree: list[int] = []
    missing = targets - {start}
    heap = [(0.0, start)]
    while heap and missing:
        far, v = heapq.heappop(heap)
        if far > distance[v]:
            continue
        if v in missing:
            missing.discard(v)
            far = 0.0
            at = v
            while at in came_by and not inside[at]:
                inside[at] = True
                distance[at] = 0.0
                heapq.heappush(heap, (0.0, at))
                tree.append(came_by[at])
                at = _other_end(ends[came_by[at]], at)
            continue
        for edge in incident[v]:
            other = _other_end(ends[edge], v)
            if far + length[edge] < distance.get(other, float("inf")) and not inside[other]:
                distance[other] = far + length[edge]
                came_by[other] = edge
                heapq.heappush(heap, (distance[other], other))
    return tree


def _other_end(ends: list[int], v: int) -> int:
    return ends[1] if ends[0] == v else ends[0]


def _best_subtree(
    forest: list[int], ends: list[list[int]], cost: list[float], prize: list[float]
) -> Tree:
    """The connected part of a forest with the highest prizes minus costs, exactly."""
    neighbours: Neighbours = defaultdict(list)
    for edge in forest:
        u, v = ends[edge]
        neighbours[u].append((v, edge))
        neighbours[v].append((u, edge))
    worth = list(prize)
    seen: set[int] = set()
    way_up: dict[int, tuple[int, int]] = {}
    for root in range(len(prize)):
        if root in seen:
            continue
        for v in reversed(_walk(root, neighbours, seen, way_up)):
            if v in way_up:
                up, edge = way_up[v]
                worth[up] += max(worth[v] - cost[edge], 0.0)
    best = max(range(len(worth)), key=lambda v: worth[v])
    return (worth[best], *_collect(best, neighbours, way_up, worth, cost))


def _walk(
    root: int, neighbours: Neighbours, seen: set[int], way_up: dict[int, tuple[int, int]]
) -> list[int]:
    order, seen_from = [root], len(seen)
    seen.add(root)
    for v in order:
        for other, edge in neighbours.get(v, ()):
            if other not in seen:
                seen.add(other)
                way_up[other] = (v, edge)
                order.append(other)
    assert len(seen) == seen_from + len(order)
    return order


def _collect(
    top: int,
    neighbours: Neighbours,
    way_up: dict[int, tuple[int, int]],
    worth: list[float],
    cost: list[float],
) -> tuple[set[int], set[int]]:
    nodes, edges, order = {top}, set(), [top]
    for v in order:
        for other, edge in neighbours.get(v, ()):
            is_child = way_up.get(other) == (v, edge)
            if is_child and worth[other] - cost[edge] > EPSILON:
                nodes.add(other)
                edges.add(edge)
                order.append(other)
    return nodes, edges
