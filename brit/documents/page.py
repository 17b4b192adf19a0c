"""One page of a PDF from file to blocks; runs in the sandbox only.

Everything is measured on the page as it is seen; boxes are turned back to the unrotated page at
the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pymupdf

from brit.config import ReadingConfig
from brit.documents.captions import (
    Caption,
    assign_captions,
    has_label,
)
from brit.documents.cuts import split_captions, split_numerals, split_over_photos
from brit.documents.figures import find_figures
from brit.documents.geometry import grow, inside, union, x_overlap
from brit.documents.hints import Hint
from brit.documents.layout import Layout, Region, read_layout, read_plain
from brit.documents.order import mend_order
from brit.documents.panels import join_panels
from brit.documents.pixels import PageImage, encode
from brit.documents.placements import Mark, trace_marks
from brit.documents.register import PictureRegister
from brit.documents.scans import Scan, layout_of
from brit.documents.text_layer import is_scan
from brit.types import BBox, Block, ImageBlock, OutlineEntry, Page, TableBlock, TextBlock, TextKind

_KINDS: dict[str, TextKind] = {
    "title": "heading",
    "section-header": "heading",
    "list-item": "list-item",
    "caption": "caption",
    "footnote": "footnote",
    "page-header": "header",
    "page-footer": "footer",
    "formula": "formula",
}


MAX_PATHS = 5000
"""Painting commands from which the layout model, which takes minutes over them, is not asked."""


@dataclass(frozen=True)
class ReadPage:
    """A page whose image blocks name their picture by number (`file`), and the new pictures."""

    page: Page
    pictures: dict[str, bytes]


@dataclass(frozen=True)
class _Figure:
    box: BBox
    caption: Caption | None = None


class PageReader:
    """Reads pages of an open document; remembers its pictures, so that each is handed out once."""

    def __init__(
        self, doc: pymupdf.Document, outline: Sequence[OutlineEntry], config: ReadingConfig
    ) -> None:
        self._doc, self._config = doc, config
        self._levels = {_plain(e.title): e.level for e in outline}
        self._register = PictureRegister()

    def read(self, number: int) -> ReadPage:
        """The blocks of page `number` (from 1), in reading order."""
        original = self._doc[number - 1]
        rotation, back = original.rotation, pymupdf.Matrix(original.derotation_matrix)
        size = (original.cropbox.width, original.cropbox.height)
        original.remove_rotation()
        marks = trace_marks(original)
        read = read_layout if len(marks) < MAX_PATHS else read_plain
        layout = split_numerals(split_captions(mend_order(read(self._doc, number))))
        page = self._doc[number - 1]
        scan = is_scan(page, marks)
        image = self._render(page, layout, marks)
        hints = find_figures(layout, marks, image) if image else []
        layout = split_over_photos(layout, [hint.box for hint in hints if hint.is_photo])
        figures, files, pictures = self._cut(layout, hints, image)
        blocks = _Assembly(layout, figures, files, self._levels).blocks()
        turned = tuple(_turn(block, back) for block in blocks)
        merged = _count_merged(figures, marks)
        return ReadPage(Page(number, *size, turned, rotation, scan=scan, merged=merged), pictures)

    def find_on_scan(self, scan: Scan) -> ReadPage:
        """The figures of a scanned page, now that its text is known: what is drawn beside it."""
        number, page = scan.page.number, self._doc[scan.page.number - 1]
        page.set_rotation(90 * scan.turns)
        back = pymupdf.Matrix(page.derotation_matrix)
        page.remove_rotation()
        layout = layout_of(scan)
        marks = [m for m in trace_marks(page) if not _is_type(m, layout)]
        image = self._render(self._doc[number - 1], layout, marks)
        found = find_figures(layout, marks, image) if image else []
        # Words recognised in a picture may be a screenshot's: none of them names it.
        hints = [replace(hint, source="layout") for hint in found]
        figures, files, pictures = self._cut(layout, hints, image)
        images = _Assembly(layout, figures, files, {}).images()
        turned = tuple(_turn(block, back) for block in images)
        merged = _count_merged(figures, marks)
        return ReadPage(replace(scan.page, blocks=turned, merged=merged), pictures)

    def _cut(
        self, layout: Layout, hints: Sequence[Hint], image: PageImage | None
    ) -> tuple[list[_Figure], list[str], dict[str, bytes]]:
        """The figures with their captions, the numbers of their pictures, and the new ones."""
        figures = _captioned(layout, hints)
        pictures: dict[str, bytes] = {}
        files = [self._keep(image, f.box, pictures) for f in figures] if image else []
        return figures, files, pictures

    def _render(
        self, page: pymupdf.Page, layout: Layout, marks: Sequence[Mark]
    ) -> PageImage | None:
        """The page as pixels, where there is anything besides text and rules."""
        drawn = [m for m in marks if m.kind != "vector"]
        if not drawn and len(marks) < 6 and all(r.kind != "picture" for r in layout.regions):
            return None
        image = PageImage(page, self._config.figure_dpi, self._config.max_pixels)
        image.hide(line.box for line in layout.lines)
        return image

    def _keep(self, image: PageImage, box: BBox, pictures: dict[str, bytes]) -> str:
        crop = image.crop(box)
        number, new = self._register.number(crop)
        if new:
            pictures[str(number)] = encode(crop)
        return str(number)


def _captioned(layout: Layout, hints: Sequence[Hint]) -> list[_Figure]:
    """Figures with their captions; the panels of a numbered figure are one."""
    boxes = [hint.box for hint in hints]
    captions = assign_captions(boxes, [], layout, {i for i, h in enumerate(hints) if h.is_photo})
    owned = {caption.target for caption in captions}
    merged: set[int] = set()
    figures = []
    for caption in sorted(captions, key=lambda c: not c.numbered):
        group = [caption.target]
        if caption.numbered:
            group = join_panels(boxes, caption.target, layout, (owned | merged) - {caption.target})
        merged |= set(group)
        figures.append(_Figure(union(boxes[i] for i in group), caption))
    rest = [box for i, box in enumerate(boxes) if i not in merged]
    names = {c.target: c for c in assign_captions(rest, [], layout, parts=True)}
    return figures + [_Figure(box, names.get(i)) for i, box in enumerate(rest)]


def _is_type(mark: Mark, layout: Layout) -> bool:
    """A letter drawn as an outline or a stencil."""
    return any(inside(mark.box, grow(line.box, 1)) > 0.9 for line in layout.lines)


def _count_merged(figures: Sequence[_Figure], marks: Sequence[Mark]) -> int:
    """Pictures of the file that were joined into figures with others."""
    rasters = [mark.box for mark in marks if mark.kind != "vector"]
    parts = [sum(inside(box, figure.box) > 0.5 for box in rasters) for figure in figures]
    return int(sum(count for count in parts if count > 1))


class _Assembly:
    """Puts regions and figures into one sequence of blocks."""

    def __init__(
        self,
        layout: Layout,
        figures: Sequence[_Figure],
        files: Sequence[str],
        levels: dict[str, int],
    ) -> None:
        self._layout, self._figures, self._files = layout, figures, files
        self._levels = levels
        self._tables = [i for i, r in enumerate(layout.regions) if r.kind == "table" and r.cells]
        used = {f.caption.region for f in figures if f.caption}
        boxes = [layout.regions[i].box for i in self._tables]
        captions = assign_captions([], boxes, layout)
        self._table_captions = {
            self._tables[c.target]: c.region for c in captions if c.region not in used
        }
        self._captions = used | set(self._table_captions.values())

    def blocks(self) -> list[Block]:
        places = [self._place(figure) for figure in self._figures]
        blocks: list[Block] = []
        for index, region in enumerate(self._layout.regions):
            blocks += [self._image(i) for i, place in enumerate(places) if place == index]
            blocks += self._region(index, region)
        last = len(self._layout.regions)
        return blocks + [self._image(i) for i, place in enumerate(places) if place == last]

    def images(self) -> list[ImageBlock]:
        return [self._image(i) for i in range(len(self._figures))]

    def _place(self, figure: _Figure) -> int:
        """The region before which a figure stands in reading order."""
        regions = self._layout.regions
        for index, region in enumerate(regions):
            if region.kind == "picture" and inside(region.box, figure.box) > 0.5:
                return index
        for index, region in enumerate(regions):
            if region.box[1] >= figure.box[1] - 2 and x_overlap(region.box, figure.box) > 0.3:
                return index
        return len(regions)

    def _image(self, index: int) -> ImageBlock:
        figure = self._figures[index]
        if figure.caption is None:
            return ImageBlock(self._files[index], figure.box)
        region = self._layout.regions[figure.caption.region]
        confidence = figure.caption.confidence
        return ImageBlock(
            self._files[index],
            figure.box,
            caption=region.broken_text,
            caption_bbox=region.text_box,
            caption_confidence=confidence,
        )

    def _region(self, index: int, region: Region) -> list[Block]:
        is_table = region.kind == "table" and region.cells
        return self._table(index, region) if is_table else self._text(index)

    def _table(self, index: int, region: Region) -> list[Block]:
        at = self._table_captions.get(index)
        caption = self._layout.regions[at].broken_text if at is not None else region.title
        header, *rows = region.cells
        return [TableBlock(header, tuple(rows), region.box, caption)]

    def _text(self, index: int) -> list[Block]:
        region = self._layout.regions[index]
        if not region.text:
            return []
        kind = _KINDS.get(region.kind, "paragraph")
        # A heading that names a picture still opens its section.
        if index in self._captions and (kind != "heading" or has_label(region.text)):
            kind = "caption"
        level = self._level(region) if kind == "heading" else 0
        text = region.text if kind == "heading" else region.broken_text
        return [TextBlock(text, kind, region.text_box, level)]

    def _level(self, region: Region) -> int:
        """Depth of a heading: its bookmark's, that of its number, or by its type size."""
        if level := self._levels.get(_plain(region.text)):
            return level
        if number := re.match(r"(\d+(?:\.\d+)*)\.?\s", region.text):
            return number[1].count(".") + 1
        if region.kind == "title":
            return 1
        ratio = region.size / max(self._layout.body_size, 1.0)
        return 1 if ratio >= 1.8 else 2 if ratio >= 1.35 else 3 if ratio >= 1.1 else 4


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _turn(block: Block, back: pymupdf.Matrix) -> Block:
    """A block with its boxes turned back to the unrotated page."""
    if isinstance(block, ImageBlock):
        caption = _turn_box(block.caption_bbox, back)
        return replace(block, bbox=_turn_box(block.bbox, back), caption_bbox=caption)
    return replace(block, bbox=_turn_box(block.bbox, back))


def _turn_box(box: BBox | None, back: pymupdf.Matrix) -> BBox | None:
    if box is None:
        return None
    x0, y0, x1, y1 = pymupdf.Rect(box) * back
    return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
