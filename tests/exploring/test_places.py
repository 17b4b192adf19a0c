"""Marks and labels stand clear of each other, near what they are tied to, the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from brit.exploring import place_marks, zoom_levels


def grid(side: int) -> np.ndarray:
    """The ties of a square lattice."""
    at = np.arange(side * side).reshape(side, side)
    across = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1)
    down = np.stack([at[:-1].ravel(), at[1:].ravel()], axis=1)
    return np.concatenate([across, down])


@pytest.mark.parametrize("side", [1, 2, 5, 14])
def test_no_two_marks_overlap(side: int) -> None:
    sizes = np.full((side * side, 2), (60.0, 30.0))
    points = place_marks(grid(side), sizes)
    gap = np.abs(points[:, None] - points[None]) + np.eye(len(points))[..., None] * 1e6
    overlap = (gap[..., 0] < 59) & (gap[..., 1] < 29)
    assert overlap.sum() <= 0.01 * len(points)


def test_neighbours_stand_nearer_than_strangers() -> None:
    pairs = grid(12)
    points = place_marks(pairs, np.full((144, 2), 20.0))
    tied = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1).mean()
    far = np.linalg.norm(points[:, None] - points[None], axis=2).mean()
    assert tied < far / 4


def test_the_same_graph_is_laid_out_the_same() -> None:
    sizes = np.full((100, 2), 20.0)
    assert np.array_equal(place_marks(grid(10), sizes), place_marks(grid(10), sizes))


def test_components_and_single_marks_stand_beside_each_other() -> None:
    points = place_marks(np.array([[0, 1], [2, 3]]), np.full((6, 2), 40.0))
    assert len(np.unique(points.round(), axis=0)) == 6
    assert place_marks(np.zeros((0, 2), np.int64), np.zeros((0, 2))).shape == (0, 2)


def test_a_mark_tied_to_itself_is_placed() -> None:
    assert place_marks(np.array([[0, 0]]), np.full((1, 2), 40.0)).tolist() == [[0.0, 0.0]]


def test_labels_in_each_others_way_wait_for_a_nearer_look() -> None:
    points = np.array([[0.0, 0.0], [50.0, 0.0], [1000.0, 0.0]])
    zooms = zoom_levels(points, np.full(3, 10.0), np.full((3, 2), (100.0, 16.0)), [0, 1, 2], 4.0)
    assert zooms[0] == 0
    # 50 px apart, 100 px wide: there is room from a zoom of 2 on.
    assert 2.0 <= zooms[1] <= 4.0
    # 1,000 px apart: from 0.1 on.
    assert 0.1 <= zooms[2] <= 0.15


def test_no_label_covers_a_picture() -> None:
    points, size = np.array([[0.0, 0.0]]), np.array([[40.0, 16.0]])
    clear = np.array([[-30.0, 20.0, 30.0, 60.0]])
    (zoom,) = zoom_levels(points, np.full(1, 5.0), size, [0], 2.0, clear)
    # The label begins 5 px below its mark, the picture 15 px further down: 16 px high, it fits
    # from a zoom of 16 / 15 on.
    assert 16 / 15 <= zoom <= 2.0


def test_no_labels_are_no_zooms() -> None:
    assert len(zoom_levels(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2)), [], 2.0)) == 0
