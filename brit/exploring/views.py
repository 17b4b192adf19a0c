"""Which marks are drawn: all around one of them, its component, or the whole graph's main ones.

No view holds more marks than it is asked for, and each says how many it left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from brit.exploring.filters import Admitted
from brit.exploring.parts import part_labels
from brit.exploring.ties import Ties
from brit.types import BoolArray, IntArray

Numbers = npt.NDArray[np.float64]
EVERYWHERE = 1 << 20
"""More hops than any graph has."""


@dataclass(frozen=True, eq=False)
class View:
    """`marks` (k,), the most important first, and the `ties` between them; `left_out` counts the
    marks that belong here and are not drawn."""

    marks: IntArray
    ties: IntArray
    left_out: int


def around(ties: Ties, admitted: Admitted, start: int, hops: int, most: int) -> View:
    """The marks at most `hops` ties away from `start`, the nearer first, then the more strongly
    tied to what is nearer."""
    hop = _hops(ties, admitted, start, hops)
    chosen = np.zeros(ties.marks, np.bool_)
    order = [start]
    chosen[start] = True
    weights = importance(ties, admitted)
    for distance in range(1, int(hop.max()) + 1):
        held = _held(ties, admitted, chosen & (hop == distance - 1), hop == distance)
        marks = np.flatnonzero(held)
        best = marks[np.lexsort((-weights[marks], -held[marks]))][: most - len(order)]
        order.extend(best.tolist())
        chosen[best] = True
    return _view(ties, admitted, np.array(order, np.int32), int((hop >= 0).sum()) - len(order))


def within_part(ties: Ties, admitted: Admitted, start: int, most: int) -> View:
    """The component (§3.1: joined by edges alone) of a node, and the images linked to it; of an
    image, what it is linked to."""
    if start >= ties.nodes:
        return around(ties, admitted, start, 1, most)
    labels = part_labels(ties, admitted)
    marks = np.zeros(ties.marks, np.bool_)
    marks[: ties.nodes] = labels == labels[start]
    links = np.arange(len(ties.one)) >= ties.edges
    linked = admitted.ties & links & marks[ties.other]
    marks[ties.one[linked]] = True
    inside = Admitted(marks, admitted.ties & marks[ties.one] & marks[ties.other])
    return around(ties, inside, start, EVERYWHERE, most)


def overview(ties: Ties, admitted: Admitted, most: int) -> View:
    """The most tied marks, and in the place of those that would stand alone among them the best
    of what is tied to the others."""
    weights = importance(ties, admitted)
    joined = int((weights > 0).sum())
    order = np.argsort(-weights, kind="stable")[: min(most, joined)]
    chosen = np.zeros(ties.marks, np.bool_)
    chosen[order] = True
    chosen &= _tied_within(ties, admitted, chosen)
    held = _held(ties, admitted, chosen, ~chosen)
    more = np.flatnonzero(held)
    chosen[more[np.argsort(-weights[more], kind="stable")][: most - int(chosen.sum())]] = True
    marks = np.flatnonzero(chosen)
    ranked = marks[np.argsort(-weights[marks], kind="stable")].astype(np.int32)
    return _view(ties, admitted, ranked, joined - len(ranked))


def importance(ties: Ties, admitted: Admitted) -> Numbers:
    """(m,) the strength of the ties of each mark, taken together; many links to the same page
    do not outweigh what is said."""
    passing = np.flatnonzero(admitted.ties)
    strength = ties.strength[passing].astype(np.float64)
    edges = passing < ties.edges
    strength[~edges] *= 0.25
    count = ties.marks
    total: Numbers = np.bincount(ties.one[passing], strength, count).astype(np.float64)
    return total + np.bincount(ties.other[passing], strength, count)


def _view(ties: Ties, admitted: Admitted, marks: IntArray, left_out: int) -> View:
    drawn = np.zeros(ties.marks, np.bool_)
    drawn[marks] = True
    inside = admitted.ties & drawn[ties.one] & drawn[ties.other]
    return View(marks, np.flatnonzero(inside).astype(np.int32), left_out)


def _hops(ties: Ties, admitted: Admitted, start: int, hops: int) -> IntArray:
    """(m,) how far each mark is from `start`; -1 beyond `hops`."""
    hop = np.full(ties.marks, -1, np.int32)
    hop[start] = 0
    frontier = np.array([start], np.int32)
    for distance in range(1, hops + 1):
        _, reached = ties.at.gather(frontier)
        reached = reached[admitted.ties[reached]]
        ends = np.concatenate([ties.one[reached], ties.other[reached]])
        frontier = np.unique(ends[hop[ends] < 0]).astype(np.int32)
        if not len(frontier):
            break
        hop[frontier] = distance
    return hop


def _held(ties: Ties, admitted: Admitted, held_by: BoolArray, among: BoolArray) -> Numbers:
    """(m,) for the marks `among`, the strength of their ties to the marks in `held_by`."""
    total = np.zeros(ties.marks)
    for near, far in ((ties.one, ties.other), (ties.other, ties.one)):
        leading = admitted.ties & held_by[near] & among[far]
        total += np.bincount(far[leading], ties.strength[leading] + 1e-6, ties.marks)
    return total


def _tied_within(ties: Ties, admitted: Admitted, chosen: BoolArray) -> BoolArray:
    inside = admitted.ties & chosen[ties.one] & chosen[ties.other] & (ties.one != ties.other)
    tied = np.zeros(ties.marks, np.bool_)
    tied[ties.one[inside]] = tied[ties.other[inside]] = True
    return tied
