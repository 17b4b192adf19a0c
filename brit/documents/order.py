"""Reading order mended where the layout model's leaves a column and comes back to it, and texts
beside a page's footer or header, which belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brit.documents.geometry import gaps, union, width, y_overlap
from brit.documents.layout import Layout, Region

EDGE = 0.12
"""Depth of the bands at the top and bottom of a page in which running titles stand."""
_FLOW = ("text", "list-item")
_EDGES = {"page-header": 0.0, "page-footer": 1.0}
LEADING = 2.2
"""Heights of its type up to which a text goes on below another."""
SAME_EDGE = 8.0
"""Points by which the left edges of one column's texts differ."""
MIN_COLUMN = 100.0
"""Width in points of the narrowest column; narrower are the cells of forms and tables."""


def mend_order(layout: Layout) -> Layout:
    """The layout with every column read to where it breaks off, before what stands beside it."""
    regions = list(mark_edges(layout).regions)
    for at in range(len(regions)):
        if (after := _continuation(regions, at)) is not None:
            regions.insert(at + 1, regions.pop(after))
    return replace(layout, regions=tuple(regions))


def _continuation(regions: Sequence[Region], at: int) -> int | None:
    """The place of the text that goes on below text `at`, where others beside it come between."""
    text = regions[at]
    if text.kind not in _FLOW:
        return None
    for after in range(at + 1, len(regions)):
        other = regions[after]
        if _goes_on(text, other):
            column, between = union((text.box, other.box)), regions[at + 1 : after]
            beside = all(gaps(column, region.box)[0] > 0 for region in between)
            rows = any(_is_row(each, region) for each in (text, other) for region in between)
            wide = width(column) >= MIN_COLUMN
            return after if between and beside and wide and not rows else None
        if gaps(text.box, other.box)[0] < 0:
            return None
    return None


def _goes_on(text: Region, other: Region) -> bool:
    """Does a text stand right below another, at the same left edge?"""
    gap = other.box[1] - text.box[3]
    near = -2 < gap < LEADING * max(text.size, other.size)
    return other.kind in _FLOW and near and abs(text.box[0] - other.box[0]) < SAME_EDGE


def _is_row(text: Region, other: Region) -> bool:
    """Do two texts stand level, as the cells of a table do?"""
    return all(abs(text.box[i] - other.box[i]) < 3 for i in (1, 3))


def mark_edges(layout: Layout) -> Layout:
    """The layout with the texts that stand in a row with the page's header or footer as parts of
    it: of three in a row the model often names two."""
    regions = list(layout.regions)
    for kind, edge in _EDGES.items():
        named = [region.box for region in layout.regions if region.kind == kind]
        for at, region in enumerate(regions):
            middle = (region.box[1] + region.box[3]) / 2
            near = abs(middle - edge * layout.height) < EDGE * layout.height
            level = any(y_overlap(region.box, box) > 0.3 for box in named)
            if region.kind in (*_FLOW, "footnote") and len(region.lines) < 3 and near and level:
                regions[at] = replace(region, kind=kind)
    return replace(layout, regions=tuple(regions))
