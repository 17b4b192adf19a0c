"""Vector drawings among tables, on marks whose places are known."""

from __future__ import annotations

import math

import pytest

from brit.documents.layout import Layout, Line
from brit.documents.placements import Mark
from brit.documents.vectors import find_drawings
from brit.types import BBox

TABLE: BBox = (50.0, 100.0, 450.0, 400.0)
GRID = [Mark("vector", (50.0, 100.0 + 60 * i, 450.0, 101.0 + 60 * i)) for i in range(6)]
WORDS = tuple(
    Line(f"Row {i} of the table", (60.0, 110.0 + 60 * i, 180.0, 122.0 + 60 * i), 10.0)
    for i in range(5)
)
LAYOUT = Layout(500.0, 700.0, (), WORDS, 10.0)


def _wheel(x: float, y: float) -> list[Mark]:
    """Spokes of different lengths that meet in the middle of a box of 100 points."""
    marks = []
    for i in range(24):
        angle, length = math.pi * (i + 0.5) / 12, 30 + 5 * (i % 5)
        end = (x + length * math.cos(angle), y + length * math.sin(angle))
        box = (min(x, end[0]), min(y, end[1]), max(x, end[0]), max(y, end[1]))
        marks.append(Mark("vector", box))
    return marks


def test_drawing_in_a_cell_is_found() -> None:
    (drawing,) = find_drawings(GRID + _wheel(320, 250), LAYOUT, [TABLE], [])
    assert drawing == pytest.approx((270, 200, 370, 300), abs=10)


def test_cells_and_rules_of_a_table_are_no_drawing() -> None:
    cells = [
        Mark("vector", (200.0 + 50 * x, 100.0 + 60 * y, 250.0 + 50 * x, 160.0 + 60 * y))
        for x in range(5)
        for y in range(5)
    ]
    assert find_drawings(GRID + cells, LAYOUT, [TABLE], []) == []
