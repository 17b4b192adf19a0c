"""Lines read from a page's picture → the blocks of the page, or the word that it is not readable.

Boxes come as fractions of the upright picture: the page as it is seen, turned further by quarters
until its lines run level. Everything is measured there, in points; boxes are turned back to the
unrotated page at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from brit.documents.geometry import area, height, inside, iou, union, width, x_overlap, y_overlap
from brit.documents.layout import Layout, Line, Region
from brit.documents.prose import clean_text, join_lines
from brit.types import BBox, Block, ImageBlock, Page, TextBlock

RecognisedLine = tuple[str, BBox, float]

CLEAR = 0.9
"""Mean confidence from which a page is read right. Measured: pages in Latin and Chinese letters
0.99, Korean and upside-down ones 0.62–0.86."""
MIN_LETTERS = 0.5
"""Share of letters and digits below which the text is noise."""
MIN_CONFIDENCE = 0.5
"""Of a line to be kept."""
MUCH_TEXT = 1.5
"""Total length of long lines, in widths of the page, from which it is a page of text."""
FULL_PAGE = 0.6
TYPE = 0.75
"""Size of a line's type, as a share of the height of its box."""
_REGIONS = {"heading": "section-header", "list-item": "list-item", "paragraph": "text"}
_BULLET = re.compile(r"[•●▪◦■–]\s*|\(?\d{1,2}[.)]\s")


@dataclass(frozen=True)
class _Line:
    text: str
    box: BBox
    confidence: float


def mean_confidence(lines: Sequence[RecognisedLine]) -> float:
    """Mean over all characters, 0–1; 0 for none."""
    weights = [len("".join(text.split())) for text, _, _ in lines]
    total = sum(weight * line[2] for weight, line in zip(weights, lines, strict=True))
    return total / sum(weights) if sum(weights) else 0.0


def is_clear(lines: Sequence[RecognisedLine]) -> bool:
    """Whether the lines are text, and not the noise of a script the recogniser does not know."""
    text = "".join("".join(line[0].split()) for line in lines)
    letters = sum(character.isalnum() for character in text)
    return mean_confidence(lines) >= CLEAR and letters >= MIN_LETTERS * len(text)


def runs_upwards(lines: Sequence[RecognisedLine], size: tuple[int, int]) -> bool:
    """Whether most lines of a picture of that size (width, height) stand on end."""
    boxes = [(box[0] * size[0], box[1] * size[1], box[2] * size[0], box[3] * size[1])
             for _, box, _ in lines]  # fmt: skip
    upright = sum(area(box) for box in boxes if height(box) > 1.5 * width(box))
    return upright > 0.5 * sum(area(box) for box in boxes)


@dataclass(frozen=True)
class Scan:
    """A scanned page the way up in which it was read: its size in points, its lines, the pictures
    found on it before, the clockwise quarters from the unrotated page to there, and whether the
    pictures were found with the lines known."""

    page: Page
    size: tuple[float, float]
    lines: tuple[_Line, ...]
    pictures: tuple[tuple[ImageBlock, BBox], ...]
    turns: int
    confidence: float
    is_clear: bool
    judged: bool = False

    @property
    def is_prose(self) -> bool:
        return _is_text(self.lines, self.size[0])

    @property
    def is_text(self) -> bool:
        """Not a page of pictures with a few words in them."""
        return self.is_prose or (bool(self.lines) and not self.pictures)

    @property
    def shown(self) -> list[tuple[ImageBlock, BBox]]:
        """The pictures that are no pictures of text."""
        if self.judged:
            return [*self.pictures]
        return [each for each in self.pictures if not _shows_text(each[1], self.lines, self.size)]


def scan_of(page: Page, lines: Sequence[RecognisedLine], quarters: int = 0) -> Scan:
    """`quarters` is the number of clockwise quarter turns from the page as seen to the picture
    that was read."""
    turns = (quarters + page.rotation // 90) % 4
    size = (page.width, page.height) if turns % 2 == 0 else (page.height, page.width)
    found = tuple(_Line(clean_text(text), _scaled(box, size), sure) for text, box, sure in lines)
    pictures = tuple(
        (block, _turned_back(block.bbox, -turns % 4, page.width, page.height))
        for block in page.blocks
        if isinstance(block, ImageBlock) and block.bbox
    )
    confidence = round(mean_confidence(lines), 3)
    return Scan(page, size, found, pictures, turns, confidence, is_clear(lines))


def page_of_lines(
    page: Page, lines: Sequence[RecognisedLine], quarters: int = 0, *, judged: bool = False
) -> Page:
    """The page with the text of its picture. `judged` says that its figures were found beside that
    text.

    A page of pictures with a few words in them stays as it was read; figures that are pictures of
    text are none. What is not readable leaves no text, but a word on it.
    """
    scan = replace(scan_of(page, lines, quarters), judged=judged)
    if not scan.is_text:
        return replace(page, scan=False)
    if not scan.is_clear:
        missing = (
            "Not readable here: the text is a picture, in a script or a quality that is not "
            f"recognised (confidence {scan.confidence:.2f})."
        )
        blocks = tuple(_without_caption(block) for block, _ in scan.shown)
        return replace(page, blocks=blocks, confidence=scan.confidence, missing=missing)
    return replace(page, blocks=_put_together(scan), confidence=scan.confidence)


def _without_caption(block: ImageBlock) -> ImageBlock:
    return replace(block, caption="", caption_bbox=None, caption_confidence=0.0)


def _put_together(scan: Scan) -> tuple[Block, ...]:
    """The texts beside the pictures, each picture before what stands below its top."""
    kept = [line for line in scan.lines if line.text and line.confidence >= MIN_CONFIDENCE]
    # Words in a figure that was looked for between the lines may be the page's: none is lost.
    boxes = [] if scan.judged else [box for _, box in scan.shown]
    beside = [ln for ln in kept if all(inside(ln.box, box) < 0.5 for box in boxes)]
    placed: list[tuple[Block, BBox]] = []
    for text in _blocks(beside):
        assert text.bbox is not None
        home = replace(text, bbox=_on_page(text.bbox, scan.turns, scan.size))
        placed.append((_as_caption(home, scan.shown), text.bbox))
    for picture, box in scan.shown:
        under = (x_overlap(text, box) > 0.3 and text[1] >= box[1] - 2 for _, text in placed)
        placed.insert(next((at for at, is_under in enumerate(under) if is_under), len(placed)),
                      (picture, box))  # fmt: skip
    return tuple(block for block, _ in placed)


def _as_caption(text: TextBlock, pictures: Iterable[tuple[ImageBlock, BBox]]) -> TextBlock:
    places = [p.caption_bbox for p, _ in pictures if p.caption_bbox]
    named = text.bbox and any(iou(place, text.bbox) > 0.5 for place in places)
    return replace(text, kind="caption") if named and text.kind != "heading" else text


def layout_of(scan: Scan) -> Layout:
    """What further figures of the page are looked for with: its lines, and its pictures so far."""
    lines = [line for line in scan.lines if line.text]
    body = median(height(line.box) for line in lines) if lines else 1.0
    regions = [_region(paragraph, body) for paragraph in _paragraphs(lines)]
    regions += [Region("picture", box) for _, box in scan.shown]
    return Layout(*scan.size, tuple(regions), tuple(map(_typed, lines)), TYPE * body)


def _region(lines: Sequence[_Line], body: float) -> Region:
    kind = _REGIONS[_block(lines, body).kind]
    return Region(kind, union(line.box for line in lines), tuple(map(_typed, lines)))


def _typed(line: _Line) -> Line:
    return Line(line.text, line.box, TYPE * height(line.box))


def _scaled(box: BBox, size: tuple[float, float]) -> BBox:
    return (box[0] * size[0], box[1] * size[1], box[2] * size[0], box[3] * size[1])


def _turned_back(box: BBox, turns: int, w: float, h: float) -> BBox:
    """A box of a page w x h after that many quarter turns against the clock."""
    for _ in range(turns):
        box, (w, h) = (box[1], w - box[2], box[3], w - box[0]), (h, w)
    return box


def _on_page(box: BBox | None, turns: int, size: tuple[float, float]) -> BBox | None:
    if box is None:
        return None
    x0, y0, x1, y1 = _turned_back(box, turns, *size)
    return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def _is_text(lines: Sequence[_Line], page_width: float) -> bool:
    """Long lines, enough of them: no photograph with a sign in it, no map with its names."""
    long = [width(ln.box) for ln in lines if width(ln.box) > 4 * height(ln.box)]
    return sum(each for each in long if each >= 0.15 * page_width) >= MUCH_TEXT * page_width


def _shows_text(box: BBox, lines: Sequence[_Line], size: tuple[float, float]) -> bool:
    """A scan, or a strip of one, rather than a picture."""
    if area(box) >= FULL_PAGE * size[0] * size[1]:
        return True
    return _is_text([line for line in lines if inside(line.box, box) > 0.5], width(box))


# --- lines into blocks ---


def _blocks(lines: Sequence[_Line]) -> list[TextBlock]:
    if not lines:
        return []
    body = median(height(line.box) for line in lines)
    return [_block(paragraph, body) for paragraph in _paragraphs(lines)]


def _paragraphs(lines: Sequence[_Line]) -> list[list[_Line]]:
    paragraphs: list[list[_Line]] = []
    for line in _in_order(lines):
        if paragraphs and _goes_on(paragraphs[-1], line):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _block(lines: Sequence[_Line], body: float) -> TextBlock:
    """A paragraph, a list item, or a heading by the height of its one or two lines."""
    text, box = join_lines(line.text for line in lines), union(line.box for line in lines)
    ratio = median(height(line.box) for line in lines) / body
    if len(lines) <= 2 and ratio >= 1.3 and any(c.isalpha() for c in text):
        return TextBlock(text, "heading", box, 1 if ratio >= 1.8 else 2)
    return TextBlock(text, "list-item" if _BULLET.match(text) else "paragraph", box)


def _goes_on(paragraph: Sequence[_Line], line: _Line) -> bool:
    """Whether a line belongs to the paragraph above it: near, as high, in the same column."""
    last = paragraph[-1]
    tall, low = sorted((height(last.box), height(line.box)), reverse=True)
    gap = line.box[1] - last.box[3]
    if y_overlap(last.box, line.box) > 0.5:
        return line.box[0] - last.box[2] < 3 * tall
    near = -0.5 * tall < gap < 0.7 * tall and x_overlap(last.box, line.box) > 0.3
    return near and tall <= 1.35 * low and not _BULLET.match(line.text)


def _in_order(lines: Sequence[_Line]) -> list[_Line]:
    """Top to bottom; columns one after the other, between the lines that run across them."""
    gutter = _gutter(lines)
    if gutter is None:
        return _rows(lines)
    ordered: list[_Line] = []
    band: list[_Line] = []
    for line in sorted(lines, key=lambda ln: ln.box[1] + ln.box[3]):
        if line.box[0] < gutter < line.box[2]:
            ordered += [*_columns(band, gutter), line]
            band = []
        else:
            band.append(line)
    return ordered + _columns(band, gutter)


def _columns(lines: Sequence[_Line], gutter: float) -> list[_Line]:
    left = [line for line in lines if line.box[2] <= gutter]
    right = [line for line in lines if line.box[0] >= gutter]
    return _in_order(left) + _in_order(right)


def _gutter(lines: Sequence[_Line]) -> float | None:
    """The x between two columns of prose: few lines cross it, those beside it fill their column.

    The cells of a table do not, and are left in rows.
    """
    best: tuple[int, float] | None = None
    for x in sorted({round(line.box[2], 1) + 1 for line in lines}):
        left = [line.box for line in lines if line.box[2] <= x]
        right = [line.box for line in lines if line.box[0] >= x]
        crossing = len(lines) - len(left) - len(right)
        score = min(len(left), len(right)) - crossing
        if score >= max(3, best[0] + 1 if best else 0) and _are_columns(left, right):
            best = (score, x)
    return best[1] if best else None


def _are_columns(left: Sequence[BBox], right: Sequence[BBox]) -> bool:
    narrow, wide = sorted((width(union(left)), width(union(right))))
    return narrow >= 0.4 * wide and _fills(left) and _fills(right)


def _fills(boxes: Sequence[BBox]) -> bool:
    return median(map(width, boxes)) >= 0.6 * width(union(boxes))


def _rows(lines: Sequence[_Line]) -> list[_Line]:
    """Top to bottom, and from left to right where lines stand side by side."""
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=lambda ln: ln.box[1] + ln.box[3]):
        if rows and y_overlap(rows[-1][-1].box, line.box) > 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda ln: ln.box[0])]
