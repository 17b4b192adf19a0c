"""The shortest way between two marks, through what is said and through pictures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from brit.exploring.filters import Admitted
from brit.exploring.ties import Ties

_UNREACHED = -9999
# So little that no way of many strong ties beats one of fewer weak ones.
_TIEBREAK = 1e-4


@dataclass(frozen=True)
class Step:
    """A tie walked from `start` to `end`; `forward` where it is read in that direction too."""

    start: int
    end: int
    tie: int
    forward: bool


def shortest_path(ties: Ties, admitted: Admitted, start: int, end: int) -> list[Step] | None:
    """The way of fewest ties, among those the strongest; None where there is none."""
    if start == end:
        return []
    low, high, best = _lightest(ties, admitted)
    weights = 1.0 + _TIEBREAK * (1.0 - ties.strength[best])
    matrix = csr_array((weights, (low, high)), shape=(ties.marks, ties.marks))
    _, before = dijkstra(matrix, directed=False, indices=start, return_predecessors=True)
    if before[end] == _UNREACHED:
        return None
    marks = [end]
    while marks[-1] != start:
        marks.append(int(before[marks[-1]]))
    marks.reverse()
    chosen = {(int(a), int(b)): int(tie) for a, b, tie in zip(low, high, best, strict=True)}
    return [_step(ties, a, b, chosen[min(a, b), max(a, b)]) for a, b in pairwise(marks)]


def _step(ties: Ties, start: int, end: int, tie: int) -> Step:
    return Step(start, end, tie, forward=int(ties.one[tie]) == start)


def _lightest(
    ties: Ties, admitted: Admitted
) -> tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]]:
    """Of every two marks that are tied, in order, the strongest tie: (low, high, tie)."""
    passing = np.flatnonzero(admitted.ties & (ties.one != ties.other))
    ends = np.stack([ties.one[passing], ties.other[passing]]).astype(np.int64)
    low, high = ends.min(axis=0), ends.max(axis=0)
    order = np.lexsort((-ties.strength[passing], low * ties.marks + high))
    low, high, passing = low[order], high[order], passing[order]
    first = np.ones(len(low), np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return low[first], high[first], passing[first]
