"""Which names can be read at which zoom: the main ones from afar, the others as there is room.

A label keeps its size on the screen, so that zooming in makes room for more of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
STEP = 2**0.5
_LEVELS = 14


def zoom_levels(
    points: Points,
    below: Points,
    sizes: Points,
    ranks: Sequence[int],
    nearest: float,
    kept_clear: Points | None = None,
) -> Points:
    """→ (k,) the zoom from which on each label is shown; 0 shows it always.

    `points` (k, 2) are the centres of marks, `below` (k,) how far down each label begins, in pixels
    at zoom 1; `sizes` (k, 2) are width and height of labels in pixels of the screen; the labels in
    front of `ranks` come first. `kept_clear` (m, 4) are boxes in pixels at zoom 1 that no label may
    cover, as of pictures. At the zoom `nearest` and beyond, every label is shown.
    """
    clear = np.zeros((0, 4)) if kept_clear is None else kept_clear
    wide = max(sizes[:, 0].max(initial=1.0), nearest * np.ptp(clear[:, ::2], axis=1).max(initial=0))
    levels = nearest / STEP ** np.arange(_LEVELS, -1, -1)
    shown = np.full(len(points), nearest)
    done: list[int] = []
    left = list(ranks)
    for level in levels:
        taken = _Taken(float(wide))
        for box in (clear * level).tolist():
            taken.add(box)
        boxes = _boxes(points, below, sizes, float(level)).tolist()
        for at in done:
            taken.add(boxes[at])
        fitting = [at for at in left if taken.add_where_free(boxes[at])]
        shown[fitting] = level
        done += fitting
        left = [at for at in left if shown[at] == nearest]
    shown[shown == levels[0]] = 0.0
    return shown


class _Taken:
    """Boxes on the screen, found by the cell of a grid they begin in."""

    def __init__(self, width: float) -> None:
        self._cell = (width + 8.0, max(48.0, width))
        self._boxes: dict[tuple[int, int], list[list[float]]] = defaultdict(list)

    def add(self, box: list[float]) -> None:
        self._boxes[self._at(box)].append(box)

    def add_where_free(self, box: list[float]) -> bool:
        """Add a box unless it touches another; → was there room?"""
        column, row = self._at(box)
        around = ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        if any(_touch(box, other) for cell in around for other in self._boxes.get(cell, ())):
            return False
        self.add(box)
        return True

    def _at(self, box: list[float]) -> tuple[int, int]:
        return int(box[0] // self._cell[0]), int(box[1] // self._cell[1])


def _touch(one: list[float], other: list[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _boxes(points: Points, below: Points, sizes: Points, zoom: float) -> Points:
    """(k, 4) left, top, right, bottom of labels on the screen."""
    top = (points[:, 1] + below) * zoom
    middle = points[:, 0] * zoom
    half = sizes[:, 0] / 2
    return np.stack([middle - half, top, middle + half, top + sizes[:, 1]], axis=1)
