"""The vector drawings of a page, out of thousands of paths: those that touch, unless they are
rules, panels or the lines of tables."""

from __future__ import annotations

from collections.abc import Sequence

from brit.documents.geometry import area, clusters, height, inside, union, width
from brit.documents.layout import MAX_PROSE, Layout, Line, prose_in, text_share
from brit.documents.placements import Mark
from brit.types import BBox

MIN_PATHS = 6
"""Paths of the simplest vector drawing; fewer are boxes, arrows and underlines."""
RULE = 2.5
"""Thickness in points up to which a path is a rule."""
MIN_RASTER = 15.0
"""Shorter side in points of the smallest raster that is a picture; smaller ones are glyphs."""
PHOTO_AREA = 3_000.0
"""Square points from which a raster in a drawing is a picture of its own."""
PANEL_AREA = 40_000.0
"""Square points (a twelfth of a page) from which a shape with several lines on it is a panel."""


def find_drawings(
    marks: Sequence[Mark], layout: Layout, tables: Sequence[BBox], rasters: Sequence[BBox]
) -> list[BBox]:
    """Vector paths that touch, where they are enough to be a drawing."""
    page_area = layout.width * layout.height
    photos = [box for box in rasters if area(box) > PHOTO_AREA]
    covers = [*tables, *photos]
    paths = [m.box for m in marks if m.kind in ("vector", "shade") and area(m.box) < page_area / 2]
    paths = [box for box in paths if not _is_rule(box, layout.width) and not _is_dot(box)]
    in_tables = [box for table in tables for box in _drawings_in(table, paths, layout.lines)]
    paths = [box for box in paths if not any(inside(box, cover) > 0.7 for cover in covers)]
    paths = [box for box in paths if not _is_panel(box, layout.lines)]
    groups = [group for group in clusters(paths, 2.0) if len(group) >= MIN_PATHS]
    drawings = [union(paths[i] for i in group) for group in groups]
    drawings = [box for box in drawings if not _runs_behind(box, photos)]
    drawings = [box for box in drawings if not winds_through_text(box, rasters, layout)]
    drawings = [box for box in drawings if all(inside(box, table) < 0.3 for table in tables)]
    return in_tables + [box for box in drawings if text_share(box, layout.lines) < 0.3]


def _drawings_in(table: BBox, paths: Sequence[BBox], lines: Sequence[Line]) -> list[BBox]:
    """Drawings in the cells of a table: paths of many sizes where there is hardly any text.

    Thin ones are its grid, those of few sizes its cells.
    """
    inner = [
        box for box in paths if inside(box, table) > 0.7 and min(width(box), height(box)) > RULE
    ]
    inner = [box for box in inner if not _is_panel(box, lines)]
    groups = [[inner[i] for i in group] for group in clusters(inner, 2.0)]
    groups = [
        group for group in groups if len(group) >= 2 * MIN_PATHS and _sizes(group) >= MIN_PATHS
    ]
    drawings = [union(group) for group in groups]
    return [box for box in drawings if text_share(box, lines) < 0.1]


def _sizes(boxes: Sequence[BBox]) -> int:
    return len({(round(width(box)), round(height(box))) for box in boxes})


def winds_through_text(box: BBox, rasters: Sequence[BBox], layout: Layout) -> bool:
    """Lines that tie pictures and paragraphs together (a mind map, a web page, a form)."""
    prose = len(prose_in(box, layout.lines))
    lines = sum(inside(line.box, box) > 0.8 for line in layout.lines)
    if prose >= MAX_PROSE or (prose > 2 and prose > 0.5 * lines):
        return True
    held = [r for r in rasters if inside(r, box) > 0.8 and min(width(r), height(r)) >= MIN_RASTER]
    return bool(held) and prose > 2 and sum(map(area, held)) < 0.5 * area(box)


def _runs_behind(drawing: BBox, photos: Sequence[BBox]) -> bool:
    """Decoration that winds around photos is no figure of its own."""
    held = [area(photo) for photo in photos if inside(photo, drawing) > 0.6]
    return bool(held) and sum(held) < 0.7 * area(drawing)


def _is_rule(box: BBox, page_width: float) -> bool:
    thin, long = sorted((width(box), height(box)))
    return thin < RULE and long > 0.2 * page_width


def _is_dot(box: BBox) -> bool:
    """Fields of dots decorate whole pages."""
    return max(width(box), height(box)) < RULE


def _is_panel(box: BBox, lines: Sequence[Line]) -> bool:
    """A rectangle that carries text: the tint of a column, a button, a heading's banner."""
    held = sum(inside(line.box, box) > 0.5 for line in lines)
    return text_share(box, lines) > 0.15 or (held > 3 and area(box) > PANEL_AREA)
