"""The figures of a page as a person sees them.

1. hints say where figures may be (`hints.py`): rasters that continue each other, vector paths that
   touch, boxes of the layout model;
2. hints that cover each other are one figure;
3. a figure must be large enough and show something besides its text;
4. where a numbered caption stands at no figure, what is drawn above it is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from brit.documents.geometry import area, gaps, grow, height, inside, union, width
from brit.documents.hints import Hint, gather_hints, is_picture, merge_hints
from brit.documents.layout import Layout, text_share
from brit.documents.pixels import PageImage
from brit.documents.placements import Mark
from brit.documents.promises import find_promised
from brit.documents.vectors import MIN_RASTER, PHOTO_AREA
from brit.types import BBox

MIN_SUBJECT = 50.0
"""Shorter side of the smallest part of a background that is a figure."""
MIN_DRAWING = 42.0
"""Shorter side of the smallest vector drawing that is a figure; smaller ones are icons."""
MAX_SLIM = 12.0
"""Length, in widths, up to which a drawing is a figure; longer ones are borders and connectors."""
ICON = 4.0
"""Height, in heights of the body type, up to which a picture in a line of text is a sign in it."""
MAX_BODY = 12.0
"""Size of the largest type that is running text; on covers most characters are larger."""
HEADER = 0.12
"""Depth of the bands at the top and bottom of a page in which pictures beside text are logos."""
ICON_PANEL = 0.25
"""Share of a panel that must show something; less is an icon on it."""
RELIEF = 0.25
"""Share of a picture that must stand out from its ground, where it has no contrast in detail."""
LABELS = 0.2
"""Share of a drawing that its labels may cover without making it a text."""
LABEL_WORDS = 4
"""Words of the longest text that is a label of the drawing it touches."""
FRAME = 8.0
"""Points along the edge of a box in which its frame is not counted as something to see."""
MARGINS = 0.8
"""Share of a raster that must show something; below it its empty margins are cut off."""


def find_figures(layout: Layout, marks: Sequence[Mark], image: PageImage) -> list[Hint]:
    """The figures of a page, not in reading order."""
    hints = [h for h in gather_hints(layout, marks, image) if _is_figure(h, layout, image)]
    hints = [_fit(hint, layout, image) for hint in merge_hints(hints)]
    figures = [hint for hint in hints if _is_figure(hint, layout, image)]
    promised = find_promised([hint.box for hint in figures], layout, marks)
    return merge_hints([*figures, *(Hint(box, "promise") for box in promised)])


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
    labels = [line.box for line in layout.lines if len(line.text.split()) <= LABEL_WORDS]
    on_edge = [label for label in labels if 0.2 < inside(label, box) < 1]
    box = union([box, *on_edge])
    return Hint(union([box, *_row_below(box, labels)]), hint.source)


def _row_below(box: BBox, labels: Sequence[BBox]) -> list[BBox]:
    """Short texts side by side right under a drawing: its axis, or the names of its parts."""
    under = [
        label
        for label in labels
        if -1 < label[1] - box[3] < 0.8 * height(label) and box[0] < label[0] < label[2] < box[2]
    ]
    return under if len(under) > 1 and max(map(width, under)) < 0.4 * width(box) else []


def _large_enough(hint: Hint, page: BBox) -> bool:
    shorter, longer = sorted((width(hint.box), height(hint.box)))
    if hint.source == "background":
        return shorter > MIN_SUBJECT and area(hint.box) > 0.02 * area(page)
    if hint.source == "raster":
        return shorter >= MIN_RASTER
    return shorter >= MIN_DRAWING and longer < MAX_SLIM * shorter


def _is_sign(box: BBox, layout: Layout) -> bool:
    """A button or key shown in the middle of a line of text; beside a header stands a logo."""
    if box[3] < HEADER * layout.height or box[1] > (1 - HEADER) * layout.height:
        return False
    return height(box) < ICON * min(layout.body_size, MAX_BODY) and any(
        gaps(line.box, box)[0] < line.size and gaps(line.box, box)[1] < 0
        for line in layout.lines
        if line.box[3] <= box[3] + line.size and width(line.box) > width(box)
    )


def _shows_something(hint: Hint, layout: Layout, image: PageImage) -> bool:
    """Not a tinted panel, a fade, a pattern or a banner: contrast besides the text, or shapes."""
    busy = image.busy(hint.box)
    text = text_share(hint.box, layout.lines)
    if hint.source == "background":
        return not layout.lines or is_picture(hint.box, layout, image)
    if hint.source == "raster":
        shows = busy > 0.1 + 1.2 * text or _has_shapes(hint.box, text, image)
        return shows and not _is_banner(hint.box, layout)
    if hint.source == "layout":
        sentences = [line for line in layout.lines if len(line.text.split()) > LABEL_WORDS]
        text = min(text, max(text_share(hint.box, sentences), text - LABELS))
    inner = grow(hint.box, -FRAME)
    detailed = image.busy(inner) > 0.03
    shown = detailed and area(image.trim_to_picture(inner)) > ICON_PANEL * area(inner)
    shaped = not shown and hint.source == "layout" and _has_shapes(hint.box, text, image)
    return text < 0.4 and (shown or shaped)


def _has_shapes(box: BBox, text: float, image: PageImage) -> bool:
    """A smooth photo, or a chart with hardly a line."""
    return text < 0.2 and area(box) > PHOTO_AREA and image.relief(box) > RELIEF


def _is_banner(box: BBox, layout: Layout) -> bool:
    """A strip behind a heading."""
    return any(
        inside(region.box, box) > 0.6 and 3 * height(region.box) > height(box)
        for region in layout.regions
        if region.kind in ("title", "section-header")
    )
