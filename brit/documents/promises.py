"""Figures that a numbered caption promises and that nothing else points to.

A screenshot put together from strips, shadows and texts, a chart of two bars, a listing in a frame:
by itself each may be decoration; «Figure 4: …» under it says that it is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from brit.documents.captions import is_numbered_caption
from brit.documents.geometry import (
    area,
    clusters,
    gaps,
    height,
    inside,
    union,
    width,
    x_overlap,
)
from brit.documents.layout import Layout, Region, prose_in
from brit.documents.placements import Mark
from brit.types import BBox

REACH = 2.5
"""Distance, in heights of the body type, up to which a caption stands at its figure."""
GAP = 14.0
"""Points up to which the parts of a promised figure lie apart."""
MIN_SIDE = 42.0
"""Shorter side in points of the smallest promised figure."""


def find_promised(figures: Sequence[BBox], layout: Layout, marks: Sequence[Mark]) -> list[BBox]:
    """What is drawn above (else below) the numbered captions that stand at no figure or table."""
    tables = [r.box for r in layout.regions if r.kind == "table"]
    captions = [r for r in layout.regions if r.kind != "picture" and is_numbered_caption(r)]
    owned = [box for box in figures if any(_stands_at(r, box, layout) for r in captions)]
    taken = [*owned, *tables]
    lonely = [r for r in captions if not any(_stands_at(r, box, layout) for box in taken)]
    return [box for r in lonely if (box := _promised(r, layout, marks, taken))]


def _stands_at(caption: Region, box: BBox, layout: Layout) -> bool:
    dx, dy = gaps(caption.text_box, box)
    return dx < REACH * layout.body_size and dy < REACH * layout.body_size


def _promised(
    caption: Region, layout: Layout, marks: Sequence[Mark], taken: Sequence[BBox]
) -> BBox | None:
    place = caption.text_box
    half = layout.width * layout.height / 2
    drawn = [m.box for m in marks if area(m.box) < half and _in_column(m.box, place)]
    drawn = [box for box in drawn if all(inside(box, other) < 0.5 for other in taken)]
    parts = [union(drawn[i] for i in group) for group in clusters(drawn, GAP)]
    parts = [box for box in parts if min(width(box), height(box)) >= MIN_SIDE]
    near = [box for box in parts if _at(place, box, layout)]
    near.sort(key=lambda box: (box[1] > place[1], abs(gaps(place, box)[1])))
    rasters = [mark.box for mark in marks if mark.kind == "raster"]
    free = [ln for ln in layout.lines if all(inside(ln.box, raster) < 0.8 for raster in rasters)]
    return next((box for box in near if not prose_in(box, free)), None)


def _in_column(box: BBox, caption: BBox) -> bool:
    return box[0] >= caption[0] - GAP and box[2] <= caption[2] + GAP


def _at(caption: BBox, box: BBox, layout: Layout) -> bool:
    dy = gaps(caption, box)[1]
    return x_overlap(caption, box) > 0.3 and -2 < dy < REACH * layout.body_size
