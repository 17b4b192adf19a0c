"""The components of what passes a filter: textual nodes joined by edges (§3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.exploring.filters import Admitted
from brit.exploring.ties import Ties
from brit.types import IntArray


@dataclass(frozen=True)
class Part:
    """A component: its size and its most connected nodes, the first of which stands for it."""

    size: int
    top: tuple[int, ...]


@dataclass(frozen=True)
class Parts:
    """The largest components, how many of two and more nodes there are, and nodes in none."""

    largest: tuple[Part, ...]
    total: int
    alone: int


def part_labels(ties: Ties, admitted: Admitted) -> IntArray:
    """(n,) the number of each node's component; nodes that do not pass have one of their own."""
    passing = admitted.ties[: ties.edges]
    ends = ties.one[: ties.edges][passing], ties.other[: ties.edges][passing]
    matrix = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(ties.nodes, ties.nodes))
    labels: IntArray = connected_components(matrix, directed=False)[1].astype(np.int32)
    return labels


def find_parts(ties: Ties, admitted: Admitted, most: int, names: int = 3) -> Parts:
    """The `most` largest components with their `names` most connected nodes."""
    there = np.flatnonzero(admitted.marks[: ties.nodes])
    if not len(there):
        return Parts((), 0, 0)
    labels = part_labels(ties, admitted)[there]
    passing = admitted.ties[: ties.edges]
    ends = ties.one[: ties.edges][passing], ties.other[: ties.edges][passing]
    degree = np.bincount(np.concatenate(ends), minlength=ties.nodes)[there]
    found, sizes = np.unique(labels, return_counts=True)
    order = np.lexsort((-degree, labels))
    starts = np.searchsorted(labels[order], found)
    larger = np.flatnonzero(sizes > 1)
    ranked = larger[np.argsort(-sizes[larger], kind="stable")]
    largest = tuple(
        Part(int(sizes[i]), tuple(there[order[starts[i] :][: min(names, sizes[i])]].tolist()))
        for i in ranked[:most]
    )
    return Parts(largest, len(larger), int((sizes == 1).sum()))
