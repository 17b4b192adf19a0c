"""The rasters of a page as pictures a reader sees.

They come in strips, tiles and fragments, faded into the page, as thin drawings on nothing, or one
under the whole page.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from brit.documents.geometry import (
    area,
    clusters,
    gaps,
    grow,
    height,
    inside,
    iou,
    union,
    width,
    x_overlap,
    y_overlap,
)
from brit.documents.layout import MAX_PROSE, Layout, prose_in, text_share
from brit.documents.pixels import PageImage
from brit.documents.placements import Mark
from brit.types import BBox

SMALL = 0.01
"""Share of the page's area up to which a raster may be a fragment of a picture."""
FADED = 0.5
"""Busy share below which a faded raster is a pattern that nobody looks at."""
BACKGROUND = 0.85
"""Share of the page from which a raster is its background."""
TYPE = 50.0
"""Height in points up to which a long drawing on nothing is a line of type."""
WORD = 3.3
"""Length, in heights, from which it is long."""
PART = 0.05
"""Share of a picture box from which a raster in it may be a picture of its own."""
MIN_PART = 42.0
"""Shorter side of the smallest such raster."""
SEAM = 6.0
"""Points around a raster that belong to its frame or shadow."""
EMPTY = 0.15
"""Busy share up to which the rest of a picture box shows nothing but edges of tints."""
SLIM = 3.0
"""Width of a strip, in heights, at least."""
STRIPS = 4
"""Rasters of a width, one right under the other, from which they are strips of one picture."""


def find_rasters(marks: Sequence[Mark], layout: Layout, image: PageImage) -> list[BBox]:
    """The rasters that show, those that continue each other as one."""
    sketches = [m.box for m in marks if m.kind == "sketch" and _stands_free(m.box, marks, layout)]
    page: BBox = (0.0, 0.0, layout.width, layout.height)
    return _join(_visible(marks, image) + sketches, image, page)


def is_background(raster: BBox, layout: Layout) -> bool:
    """Is a raster what the page, or a column of running text, is printed on?"""
    page: BBox = (0.0, 0.0, layout.width, layout.height)
    return inside(page, raster) >= BACKGROUND or len(prose_in(raster, layout.lines)) >= MAX_PROSE


def is_veil(picture: BBox, marks: Sequence[Mark]) -> bool:
    """Is a picture box nothing but a raster that hardly covers what is under it?"""
    if any(m.kind == "raster" and inside(m.box, picture) > 0.5 for m in marks):
        return False
    return any(m.kind in ("veil", "sketch") and iou(m.box, picture) > 0.6 for m in marks)


def holds_grid(picture: BBox, rasters: Sequence[BBox]) -> bool:
    """Does a picture box hold several rasters that a reader sees as pictures of their own?"""
    parts = [
        box
        for box in rasters
        if inside(box, picture) > 0.8
        and area(box) > PART * area(picture)
        and min(width(box), height(box)) > MIN_PART
    ]
    return len(parts) > 1 and sum(map(area, parts)) > 0.55 * area(picture)


def is_ground(picture: BBox, rasters: Sequence[BBox], layout: Layout, image: PageImage) -> bool:
    """Is a picture box nothing but rasters on tinted ground? They stand for themselves."""
    held = [
        box
        for box in rasters
        if inside(box, picture) > 0.8 and min(width(box), height(box)) > MIN_PART
    ]
    if not held or any(
        inside(line.box, picture) > 0.8 and all(inside(line.box, box) < 0.5 for box in held)
        for line in layout.lines
    ):
        return False
    busy = image.busy_alone(picture, [grow(box, SEAM) for box in held])
    return busy is not None and busy < EMPTY


def _visible(marks: Sequence[Mark], image: PageImage) -> list[BBox]:
    """The rasters without those that fade into the page: next to nothing is seen of them."""
    placed = [m for m in marks if m.kind in ("raster", "faded", "stencil")]
    visible = []
    for mark in placed:
        if mark.kind == "faded":
            others = [m.box for m in placed if inside(mark.box, m.box) < 0.9]
            busy = image.busy_alone(mark.box, others)
            if busy is None or busy < FADED:
                continue
        visible.append(mark.box)
    return visible


def _stands_free(sketch: BBox, marks: Sequence[Mark], layout: Layout) -> bool:
    """A drawing lies on its ground; decoration is strewn over edges and texts, and a long low one
    is a line of type."""
    if height(sketch) < TYPE and width(sketch) > WORD * height(sketch):
        return False
    half = layout.width * layout.height / 2
    crossed = any(
        mark.box != sketch and area(mark.box) < half and 0.05 < inside(sketch, mark.box) < 0.95
        for mark in marks
    )
    return not crossed and text_share(sketch, layout.lines) < 0.1


def _join(boxes: Sequence[BBox], image: PageImage, page: BBox) -> list[BBox]:
    """Strips and tiles joined, and fragments with what they touch."""
    small = SMALL * area(page)
    boxes = [box for box in boxes if width(box) > 1 and height(box) > 1]

    def continues(a: BBox, b: BBox) -> bool:
        dx, dy = gaps(a, b)
        same_rows = abs(a[1] - b[1]) < 2 and abs(a[3] - b[3]) < 2
        same_columns = abs(a[0] - b[0]) < 2 and abs(a[2] - b[2]) < 2
        if same_columns and -2 < dy < 1.5:
            upper, lower = sorted((a, b), key=lambda box: box[1])
            return image.seamless(upper, lower, stacked=True)
        if same_rows and -2 < dx < 1.5:
            left, right = sorted((a, b), key=lambda box: box[0])
            return image.seamless(left, right, stacked=False)
        smaller, larger = sorted((a, b), key=area)
        if area(larger) < small:
            return max(x_overlap(a, b), y_overlap(a, b)) > 0.2
        return inside(smaller, larger) > (0.75 if area(smaller) < small else 0.9)

    boxes = [box for stack in _stacks(boxes, image) for box in stack]
    return [union(boxes[i] for i in group) for group in clusters(boxes, 1.5, continues)]


def _stacks(boxes: Sequence[BBox], image: PageImage) -> list[list[BBox]]:
    """Strips of a picture as one box: most of their seams show nothing, others where a line of the
    picture happens to fall. Photos one under the other have no such seams."""
    groups = [[boxes[i] for i in group] for group in clusters(boxes, 1.5, _is_next_strip)]
    return [[union(group)] if _are_strips(group, image) else group for group in groups]


def _is_next_strip(a: BBox, b: BBox) -> bool:
    return abs(a[0] - b[0]) < 2 and abs(a[2] - b[2]) < 2 and -2 < gaps(a, b)[1] < 1.5


def _are_strips(group: Sequence[BBox], image: PageImage) -> bool:
    strips = sorted(group, key=lambda box: box[1])
    if any(width(box) < SLIM * height(box) for box in strips):
        return False
    seams = [image.seamless(a, b, stacked=True) for a, b in pairwise(strips)]
    return len(strips) >= STRIPS and 2 * sum(seams) > len(seams)
