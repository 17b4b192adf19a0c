"""One figure or several: panels with a title each are several, panels under one number are one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from brit.documents.geometry import area, gaps, inside, union, x_overlap, y_overlap
from brit.documents.layout import Layout, Region
from brit.documents.pixels import PageImage
from brit.types import BBox

TITLE_WORDS = 16
"""Words of the longest title of a panel."""
MIN_PANEL = 80.0
"""Width in points of the narrowest panel with a title."""
LOGO = 0.05
"""Area, in areas of its neighbour, up to which a picture is no panel but a logo above a photo."""
NEAR = 40.0
"""Points up to which panels of one figure lie apart."""


def cut_at_titles(picture: BBox, layout: Layout, image: PageImage) -> list[BBox]:
    """A picture box cut into panels, where titles stand side by side above or below it.

    It is cut in the empty strips between the titles; without one for each pair it stays whole.
    """
    for titles in _rows_of_titles(picture, layout):
        cuts = [
            image.gap_between(picture, (a[0] + a[2]) / 2, (b[0] + b[2]) / 2)
            for a, b in pairwise(titles)
        ]
        edges = [picture[0], *(cut for cut in cuts if cut is not None), picture[2]]
        if None not in cuts and all(b - a >= MIN_PANEL for a, b in pairwise(edges)):
            return [(a, picture[1], b, picture[3]) for a, b in pairwise(edges)]
    return [picture]


def _rows_of_titles(picture: BBox, layout: Layout) -> list[list[BBox]]:
    """The boxes of texts side by side right above and right below a picture, from the left."""
    reach = 3 * layout.body_size
    boxes = [r.text_box for r in layout.regions if _may_be_title(r)]
    boxes = [
        box for box in boxes if inside(box, (picture[0], 0.0, picture[2], layout.height)) > 0.8
    ]
    above = [box for box in boxes if -2 < picture[1] - box[3] < reach]
    below = [box for box in boxes if -2 < box[1] - picture[3] < reach]
    rows = [sorted(row) for row in (above, below)]
    return [row for row in rows if len(row) > 1 and _side_by_side(row)]


def _may_be_title(region: Region) -> bool:
    named = region.kind in ("text", "caption", "section-header")
    return named and 2 <= len(region.text.split()) <= TITLE_WORDS


def _side_by_side(row: Sequence[BBox]) -> bool:
    return all(gaps(a, b)[0] > 0 and y_overlap(a, b) > 0.6 for a, b in pairwise(row))


def join_panels(figures: Sequence[BBox], first: int, layout: Layout, taken: set[int]) -> list[int]:
    """The figures that form one with figure `first`: its neighbours in the same row or column.

    `taken` are the figures that have a caption of their own. A paragraph between two figures
    keeps them apart.
    """
    group, found = [first], True
    while found:
        found = False
        for i, box in enumerate(figures):
            if i in group or i in taken:
                continue
            if any(_neighbours(figures[j], box, layout) for j in group):
                group.append(i)
                found = True
    return sorted(group)


def _neighbours(a: BBox, b: BBox, layout: Layout) -> bool:
    smaller, larger = sorted((area(a), area(b)))
    if smaller < LOGO * larger:
        return False
    dx, dy = gaps(a, b)
    beside = dx < NEAR and y_overlap(a, b) > 0.6
    stacked = dy < NEAR and x_overlap(a, b) > 0.6
    if not (beside or stacked):
        return False
    both = union((a, b))
    return not any(
        inside(region.box, both) > 0.5 and len(region.text.split()) > 20
        for region in layout.regions
        if region.kind in ("text", "list-item", "section-header", "table")
    )
