"""One slide of a presentation → blocks with their places, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from brit.documents.html_parts import ALTERNATIVE, NEIGHBOUR, STANDING
from brit.documents.pictures import decode_picture, is_icon_sized
from brit.documents.wiki_tables import Cell, lay_out
from brit.models import ImageSink
from brit.types import BBox, Block, ImageBlock, TableBlock, TextBlock

POINT = 12_700
"""English Metric Units in a point (ECMA-376)."""
_CAPTION_WORDS = 25
_CAPTION_GAP = 40.0
"""Points between a picture and a short text below it that is still its caption."""


def read_slide(slide: Any, save_image: ImageSink, max_pixels: int) -> list[Block]:
    """The title, then what stands on the slide from top to bottom, then the speaker's notes."""
    title = slide.shapes.title
    heading = _flat(title.text_frame.text) if title is not None else ""
    blocks: list[Block] = []
    for shape, box in _flatten(slide.shapes, None):
        if title is None or shape.shape_id != title.shape_id:
            blocks += _read_shape(shape, box, save_image, max_pixels)
    blocks.sort(key=lambda block: (block.bbox or (0.0, 0.0))[1::-1])
    captioned = [_with_caption(block, blocks, heading) for block in blocks]
    first = [TextBlock(heading, "heading", _box(title), level=1)] if heading else []
    return [*first, *captioned, *_read_notes(slide)]


def _flatten(shapes: Any, group: BBox | None) -> Iterator[tuple[Any, BBox | None]]:
    """Every shape with its box; what is in a group has the group's."""
    from pptx.shapes.group import GroupShape

    for shape in shapes:
        box = group or _box(shape)
        if isinstance(shape, GroupShape):
            yield from _flatten(shape.shapes, box)
        else:
            yield shape, box


def _read_shape(
    shape: Any, box: BBox | None, save_image: ImageSink, max_pixels: int
) -> Iterator[Block]:
    from pptx.shapes.picture import Picture

    if isinstance(shape, Picture):
        yield from _read_picture(shape, box, save_image, max_pixels)
    elif getattr(shape, "has_table", False):
        rows = [[Cell(_flat(cell.text), False) for cell in row.cells] for row in shape.table.rows]
        if shape.table.first_row and rows:
            rows[0] = [replace(cell, is_header=True) for cell in rows[0]]
        yield from (replace(block, bbox=box) for block in lay_out(rows, ""))
    elif getattr(shape, "has_chart", False):
        yield _read_chart(shape.chart, box)
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            if text := _flat(paragraph.text):
                yield TextBlock(text, "list-item" if paragraph.level else "paragraph", box)


def _read_picture(
    shape: Any, box: BBox | None, save_image: ImageSink, max_pixels: int
) -> Iterator[Block]:
    try:
        data = shape.image.blob
    except (ValueError, KeyError):
        # A picture that is linked and not in the file.
        data = b""
    if is_icon_sized(data):
        return
    pixels = decode_picture(data, max_pixels) if data else None
    said = _flat(shape._element._nvXxPr.cNvPr.get("descr"))
    yield ImageBlock(
        save_image(pixels) if pixels else "",
        box,
        caption=said,
        caption_confidence=ALTERNATIVE if said else 0.0,
    )


def _read_chart(chart: Any, box: BBox | None) -> TableBlock:
    """A chart by its numbers: a row a category, a column a series."""
    series = [each for plot in chart.plots for each in plot.series]
    categories = [str(name) for plot in list(chart.plots)[:1] for name in plot.categories]
    rows = [
        (name, *(_number(each.values, at) for each in series)) for at, name in enumerate(categories)
    ]
    caption = _flat(chart.chart_title.text_frame.text) if chart.has_title else ""
    return TableBlock(("", *(_flat(each.name) for each in series)), tuple(rows), box, caption)


def _number(values: Sequence[float | None], at: int) -> str:
    value = values[at] if at < len(values) else None
    return "" if value is None else f"{value:g}"


def _with_caption(block: Block, blocks: Sequence[Block], heading: str) -> Block:
    """A picture with the short text right below it, else what stands in its place, else the title
    of its slide."""
    if not isinstance(block, ImageBlock):
        return block
    below = [
        other
        for other in blocks
        if isinstance(other, TextBlock) and _is_below(block.bbox, other.bbox)
        and len(other.text.split()) <= _CAPTION_WORDS
    ]  # fmt: skip
    if below:
        label = min(below, key=lambda other: other.bbox[1] if other.bbox else 0.0)
        return replace(
            block, caption=label.text, caption_bbox=label.bbox, caption_confidence=STANDING
        )
    if block.caption or not heading:
        return block
    return replace(block, caption=heading, caption_confidence=NEIGHBOUR)


def _is_below(picture: BBox | None, text: BBox | None) -> bool:
    if picture is None or text is None:
        return False
    across = min(picture[2], text[2]) - max(picture[0], text[0])
    return across > 0 and -5.0 <= text[1] - picture[3] <= _CAPTION_GAP


def _read_notes(slide: Any) -> Iterator[TextBlock]:
    if not slide.has_notes_slide:
        return
    frame = slide.notes_slide.notes_text_frame
    for paragraph in frame.paragraphs if frame is not None else ():
        if text := _flat(paragraph.text):
            yield TextBlock(text, "footnote")


def _box(shape: Any) -> BBox | None:
    sides = (shape.left, shape.top, shape.width, shape.height)
    if any(side is None for side in sides):
        return None
    left, top, width, height = (side / POINT for side in sides)
    return left, top, left + width, top + height


def _flat(text: object) -> str:
    return " ".join(str(text or "").split())
