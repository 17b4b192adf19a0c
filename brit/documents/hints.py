"""Where on a page figures may be, from three kinds of hints.

The layout model's picture boxes miss photos under text and photos on tinted panels, and take
headings for pictures; rasters come in pieces; vector drawings are thousands of paths. Here the
hints are gathered and those that cover each other joined; `figures.py` judges them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from brit.documents.geometry import area, clusters, inside, iou, union
from brit.documents.layout import Layout, text_share
from brit.documents.panels import cut_at_titles
from brit.documents.pixels import PageImage
from brit.documents.placements import Mark
from brit.documents.rasters import find_rasters, holds_grid, is_background, is_ground, is_veil
from brit.documents.vectors import find_drawings, winds_through_text
from brit.types import BBox

EDGE = 0.08
"""Depth of the bands at the top and bottom of a page, as a share, in which stamps stand."""
BUSY = 0.25
"""Share of a part of a background that must show something."""
TEXT = 0.3
"""Share of it from which it is a text on its ground."""
FRAMED = 0.25
"""Share of a drawing on paper that is text, from which it is a frame around it."""


@dataclass(frozen=True)
class Hint:
    """A place where a figure may be; `source` says what points to it.

    A background is what shows on a raster behind a page or its text; a promise is what stands
    where a numbered caption says that a figure is.
    """

    box: BBox
    source: Literal["layout", "raster", "vector", "background", "promise"]

    @property
    def is_photo(self) -> bool:
        """Texts on a photo may name it; texts in a drawing are its labels."""
        return self.source in ("raster", "background")


def gather_hints(layout: Layout, marks: Sequence[Mark], image: PageImage) -> list[Hint]:
    """All hints of a page; they may cover each other."""
    rasters = find_rasters(marks, layout, image)
    tables = [r.box for r in layout.regions if r.kind == "table"]
    pictures = [
        box
        for box in (r.box for r in layout.regions if r.kind == "picture")
        if not holds_grid(box, rasters)
        and not is_veil(box, marks)
        and not is_ground(box, rasters, layout, image)
        and not winds_through_text(box, rasters, layout)
    ]
    drawn = [box for r in rasters if _is_scan(r, layout, image) for box in image.strokes(r)]
    drawn = [box for box in drawn if not _is_frame(box, layout)]
    drawn = [box for box in drawn if all(inside(box, table) < 0.5 for table in tables)]
    pictures = [_around(box, drawn) for box in pictures]
    hints = [Hint(part, "layout") for box in pictures for part in cut_at_titles(box, layout, image)]
    hints += [Hint(box, "vector") for box in drawn]
    hints += [part for box in rasters for part in _subjects(box, layout, image)]
    return hints + [Hint(box, "vector") for box in find_drawings(marks, layout, tables, rasters)]


def _is_scan(raster: BBox, layout: Layout, image: PageImage) -> bool:
    """A page on paper whose text is known, so that what else is drawn on it are drawings.

    Of one without recognised text a stamp at the edge may be known, and nothing else.
    """
    edge = EDGE * layout.height
    known = any(edge < line.box[1] and line.box[3] < layout.height - edge for line in layout.lines)
    return known and is_background(raster, layout) and image.is_paper(raster)


def _is_frame(box: BBox, layout: Layout) -> bool:
    """The frame of a text, or a part of it."""
    return text_share(box, layout.lines) > FRAMED or winds_through_text(box, (), layout)


def _around(picture: BBox, drawn: Sequence[BBox]) -> BBox:
    """A picture box on a scan without the text that the layout model took for a part of it."""
    held = [box for box in drawn if inside(box, picture) > 0.5]
    return union(held) if held else picture


def _subjects(raster: BBox, layout: Layout, image: PageImage) -> list[Hint]:
    """A raster, or of one behind the page the parts that show something."""
    if not is_background(raster, layout):
        return [Hint(raster, "raster")]
    if not layout.lines:
        return [Hint(raster, "background")]
    tables = [region.box for region in layout.regions if region.kind == "table"]
    parts = image.busy_parts(raster)
    parts = [box for box in parts if all(inside(box, table) < 0.5 for table in tables)]
    whole = [union(parts[i] for i in group) for group in clusters(parts, 0.0)]
    shown = [part for box in whole for part in _in_depth(box, layout, image)]
    return [Hint(box, "background") for box in shown]


def _in_depth(part: BBox, layout: Layout, image: PageImage) -> list[BBox]:
    """A part of a background that is a picture; of panels tied together by their edges, the
    pictures among them."""
    return [part] if is_picture(part, layout, image) else image.solid_parts(part)


def is_picture(part: BBox, layout: Layout, image: PageImage) -> bool:
    """Whether a part of a background shows something, besides hardly any text."""
    return image.busy(part) > BUSY and text_share(part, layout.lines) < TEXT


def merge_hints(hints: Sequence[Hint]) -> list[Hint]:
    """Hints that mostly cover each other, as one box each; photos of a collage may overlap."""
    kept: list[Hint] = []
    for hint in sorted(hints, key=lambda hint: -area(hint.box)):
        home = next((i for i, other in enumerate(kept) if _same(hint, other)), None)
        if home is None:
            kept.append(hint)
        elif hint.source == "raster" and iou(hint.box, kept[home].box) > 0.85:
            kept[home] = hint
        elif kept[home].source != "raster" and inside(hint.box, kept[home].box) < 0.98:
            kept[home] = Hint(union((hint.box, kept[home].box)), kept[home].source)
    return list({hint.box: hint for hint in kept}.values())


def _same(smaller: Hint, larger: Hint) -> bool:
    both_rasters = smaller.source == larger.source == "raster"
    return inside(smaller.box, larger.box) > (0.9 if both_rasters else 0.5)
