"""The figures of a page as a person sees them, from three kinds of hints.

The layout model's picture boxes miss photos under text and photos on tinted panels, and take
headings for pictures; the page's rasters come in strips, tiles and fragments; its vector drawings
are thousands of paths. Here the hints are joined, and what shows nothing is dropped:

1. rasters that continue each other are one (strips, tiles, fragments);
2. vector paths that touch are one drawing, unless they are rules, panels or table lines;
3. a picture box that holds several separate rasters gives way to them;
4. hints that cover each other are one figure;
5. a figure must be large enough and show contrast besides its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from brit.documents.geometry import (
    area,
    clusters,
    gaps,
    grow,
    height,
    inside,
    intersect,
    iou,
    union,
    width,
    x_overlap,
    y_overlap,
)
from brit.documents.layout import PROSE, Layout, Line
from brit.documents.pixels import PageImage
from brit.documents.placements import Mark
from brit.types import BBox

MIN_RASTER = 15.0
"""Shorter side in points of the smallest raster that is a figure; smaller ones are glyphs."""
MIN_SUBJECT = 50.0
"""Shorter side of the smallest part of a background that is a figure."""
MIN_DRAWING = 42.0
"""Shorter side of the smallest vector drawing that is a figure; smaller ones are icons."""
MIN_PATHS = 6
"""Paths of the simplest vector drawing; fewer are boxes, arrows and underlines."""
ICON = 4.0
"""Height, in heights of the body type, up to which a picture in a line of text is a sign in it."""
HEADER = 0.12
"""Depth of the bands at the top and bottom of a page in which pictures beside text are logos."""
ICON_PANEL = 0.25
"""Share of a panel that must show something; less is an icon on it."""
LABEL_WORDS = 4
"""Words of the longest text that is a label of the drawing it touches."""
RULE = 2.5
"""Thickness in points up to which a path is a rule."""
FRAME = 8.0
"""Points along the edge of a box in which its frame is not counted as something to see."""
MARGINS = 0.8
"""Share of a raster that must show something; below it its empty margins are cut off."""
FADED = 0.5
"""Busy share below which a faded raster is a pattern that nobody looks at."""
PHOTO_AREA = 3_000.0
"""Square points from which a raster in a drawing is a picture of its own."""
PANEL_AREA = 40_000.0
"""Square points (a twelfth of a page) from which a shape with several lines on it is a panel."""
BACKGROUND = 0.85
"""Share of the page from which a raster is its background."""


@dataclass(frozen=True)
class Hint:
    """A place where a figure may be; `source` says what points to it."""

    box: BBox
    source: Literal["layout", "raster", "vector", "background"]

    @property
    def is_photo(self) -> bool:
        """Texts on a photo may name it; texts in a drawing are its labels."""
        return self.source in ("raster", "background")


def find_figures(layout: Layout, marks: Sequence[Mark], image: PageImage) -> list[Hint]:
    """The figures of a page, not in reading order."""
    page: BBox = (0.0, 0.0, layout.width, layout.height)
    sketches = [m.box for m in marks if m.kind == "sketch" and _stands_free(m.box, marks, layout)]
    rasters = _join_rasters(_visible_rasters(marks, image) + sketches, image, page)
    tables = [r.box for r in layout.regions if r.kind == "table"]
    pictures = [Hint(r.box, "layout") for r in layout.regions if r.kind == "picture"]
    pictures = [
        hint
        for hint in pictures
        if not _holds_grid(hint.box, rasters) and not _is_veil(hint.box, marks)
    ]
    pictures = [hint for hint in pictures if not _winds_through_text(hint.box, rasters, layout)]
    drawings = _join_drawings(marks, layout, tables, rasters)
    hints = pictures + [Hint(box, "raster") for box in rasters]
    hints += [Hint(box, "vector") for box in drawings]
    hints = [part for hint in hints for part in _subjects(hint, layout, image)]
    hints = [h for h in hints if _is_figure(h, layout, image)]
    hints = [_fit(hint, layout, image) for hint in _merge(hints)]
    return [hint for hint in hints if _is_figure(hint, layout, image)]


def _is_figure(hint: Hint, layout: Layout, image: PageImage) -> bool:
    page: BBox = (0.0, 0.0, layout.width, layout.height)
    return (
        _large_enough(hint, page)
        and not _is_sign(hint.box, layout)
        and _shows_something(hint, layout, image)
    )


def _fit(hint: Hint, layout: Layout, image: PageImage) -> Hint:
    """A drawing without the white around it, with labels on its edge.

    A raster has its own edge, unless much of it is margin.
    """
    box = image.trim(hint.box)
    if hint.source == "raster":
        return Hint(box, hint.source) if area(box) < MARGINS * area(hint.box) else hint
    labels = [
        line.box
        for line in layout.lines
        if 0.2 < inside(line.box, box) < 1 and len(line.text.split()) <= LABEL_WORDS
    ]
    return Hint(union([box, *labels]), hint.source)


def _visible_rasters(marks: Sequence[Mark], image: PageImage) -> list[BBox]:
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
    """A drawing lies on its ground; decoration is strewn over edges and texts."""
    half = layout.width * layout.height / 2
    crossed = any(
        mark.box != sketch and area(mark.box) < half and 0.05 < inside(sketch, mark.box) < 0.95
        for mark in marks
    )
    return not crossed and _covered_by_text(sketch, layout.lines) < 0.1


def _join_rasters(boxes: Sequence[BBox], image: PageImage, page: BBox) -> list[BBox]:
    """Rasters as seen: strips and tiles joined, and fragments with what they touch."""
    small = 0.01 * area(page)
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

    return [union(boxes[i] for i in group) for group in clusters(boxes, 1.5, continues)]


def _join_drawings(
    marks: Sequence[Mark], layout: Layout, tables: Sequence[BBox], rasters: Sequence[BBox]
) -> list[BBox]:
    """Vector paths that touch, where they are enough to be a drawing."""
    page_area = layout.width * layout.height
    photos = [box for box in rasters if area(box) > PHOTO_AREA]
    covers = [*tables, *photos]
    paths = [m.box for m in marks if m.kind in ("vector", "shade") and area(m.box) < page_area / 2]
    paths = [box for box in paths if not _is_rule(box, layout.width) and not _is_dot(box)]
    paths = [box for box in paths if not any(inside(box, cover) > 0.7 for cover in covers)]
    paths = [box for box in paths if not _is_panel(box, layout.lines)]
    groups = [group for group in clusters(paths, 2.0) if len(group) >= MIN_PATHS]
    drawings = [union(paths[i] for i in group) for group in groups]
    drawings = [box for box in drawings if not _runs_behind(box, photos)]
    drawings = [box for box in drawings if not _winds_through_text(box, rasters, layout)]
    drawings = [box for box in drawings if all(inside(box, table) < 0.3 for table in tables)]
    return [box for box in drawings if _covered_by_text(box, layout.lines) < 0.3]


def _runs_behind(drawing: BBox, photos: Sequence[BBox]) -> bool:
    """Decoration that winds around photos is no figure of its own."""
    held = [area(photo) for photo in photos if inside(photo, drawing) > 0.6]
    return bool(held) and sum(held) < 0.7 * area(drawing)


def _winds_through_text(box: BBox, rasters: Sequence[BBox], layout: Layout) -> bool:
    """Lines that tie pictures and paragraphs together (a mind map, a page of a web site)."""
    held = [r for r in rasters if inside(r, box) > 0.8 and min(width(r), height(r)) >= MIN_RASTER]
    prose = [
        line
        for line in layout.lines
        if inside(line.box, box) > 0.8 and width(line.box) > PROSE * line.size
    ]
    return bool(held) and len(prose) > 2 and sum(map(area, held)) < 0.5 * area(box)


def _is_veil(picture: BBox, marks: Sequence[Mark]) -> bool:
    """Is a picture nothing but a raster that hardly covers what is under it?"""
    if any(m.kind == "raster" and inside(m.box, picture) > 0.5 for m in marks):
        return False
    return any(m.kind in ("veil", "sketch") and iou(m.box, picture) > 0.6 for m in marks)


def _is_rule(box: BBox, page_width: float) -> bool:
    thin, long = sorted((width(box), height(box)))
    return thin < RULE and long > 0.2 * page_width


def _is_dot(box: BBox) -> bool:
    """Fields of dots decorate whole pages."""
    return max(width(box), height(box)) < RULE


def _is_panel(box: BBox, lines: Sequence[Line]) -> bool:
    """A rectangle that carries text: the tint of a column, a button, a heading's banner."""
    held = sum(inside(line.box, box) > 0.5 for line in lines)
    return _covered_by_text(box, lines) > 0.15 or (held > 3 and area(box) > PANEL_AREA)


def _covered_by_text(box: BBox, lines: Sequence[Line]) -> float:
    covered = sum(area(intersect(line.box, box)) for line in lines)
    return covered / area(box) if area(box) else 0.0


def _holds_grid(picture: BBox, rasters: Sequence[BBox]) -> bool:
    """Does a picture box hold several rasters that a reader sees as pictures of their own?"""
    parts = [
        box
        for box in rasters
        if inside(box, picture) > 0.8
        and area(box) > 0.05 * area(picture)
        and min(width(box), height(box)) > MIN_DRAWING
    ]
    return len(parts) > 1 and sum(map(area, parts)) > 0.55 * area(picture)


def _subjects(hint: Hint, layout: Layout, image: PageImage) -> list[Hint]:
    """Of a picture behind the whole page (a photo, a scan), the parts that show something."""
    page: BBox = (0.0, 0.0, layout.width, layout.height)
    if inside(page, hint.box) < BACKGROUND:
        return [hint]
    if not layout.lines:
        return [Hint(hint.box, "background")]
    return [Hint(box, "background") for box in image.busy_parts(hint.box)]


def _is_sign(box: BBox, layout: Layout) -> bool:
    """A button or key shown in the middle of a line of text; beside a header stands a logo."""
    if box[3] < HEADER * layout.height or box[1] > (1 - HEADER) * layout.height:
        return False
    return height(box) < ICON * layout.body_size and any(
        gaps(line.box, box)[0] < line.size and gaps(line.box, box)[1] < 0
        for line in layout.lines
        if line.box[3] <= box[3] + line.size and width(line.box) > width(box)
    )


def _large_enough(hint: Hint, page: BBox) -> bool:
    shorter = min(width(hint.box), height(hint.box))
    if hint.source == "background":
        return shorter > MIN_SUBJECT and area(hint.box) > 0.02 * area(page)
    return shorter >= (MIN_RASTER if hint.source == "raster" else MIN_DRAWING)


def _shows_something(hint: Hint, layout: Layout, image: PageImage) -> bool:
    """Not a tinted panel, a gradient, a pattern or a banner: contrast besides the text."""
    busy = image.busy(hint.box)
    text = _covered_by_text(hint.box, layout.lines)
    if hint.source == "background":
        return not layout.lines or (busy > 0.25 and text < 0.3)
    if hint.source == "raster":
        return busy > 0.1 + 1.2 * text and not _is_banner(hint.box, layout)
    inner = grow(hint.box, -FRAME)
    shown = area(image.trim_to_picture(inner))
    return text < 0.4 and image.busy(inner) > 0.03 and shown > ICON_PANEL * area(inner)


def _is_banner(box: BBox, layout: Layout) -> bool:
    """A strip behind a heading."""
    return any(
        inside(region.box, box) > 0.6 and 3 * height(region.box) > height(box)
        for region in layout.regions
        if region.kind in ("title", "section-header")
    )


def _merge(hints: Sequence[Hint]) -> list[Hint]:
    """Hints that mostly cover each other, as one box each; photos of a collage may overlap."""
    kept: list[Hint] = []
    for hint in sorted(hints, key=lambda hint: -area(hint.box)):
        home = next((i for i, other in enumerate(kept) if _same(hint, other)), None)
        if home is None:
            kept.append(hint)
        elif hint.source == "raster" and iou(hint.box, kept[home].box) > 0.85:
            kept[home] = hint
        elif inside(hint.box, kept[home].box) < 0.98:
            kept[home] = Hint(union((hint.box, kept[home].box)), kept[home].source)
    return list({hint.box: hint for hint in kept}.values())


def _same(smaller: Hint, larger: Hint) -> bool:
    both_rasters = smaller.source == larger.source == "raster"
    return inside(smaller.box, larger.box) > (0.9 if both_rasters else 0.5)


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
    dx, dy = gaps(a, b)
    beside = dx < 40 and y_overlap(a, b) > 0.6
    stacked = dy < 40 and x_overlap(a, b) > 0.6
    if not (beside or stacked):
        return False
    both = union((a, b))
    return not any(
        inside(region.box, both) > 0.5 and len(region.text.split()) > 20
        for region in layout.regions
        if region.kind in ("text", "list-item", "section-header", "table")
    )
