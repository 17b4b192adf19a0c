"""A page's regions in reading order, from PyMuPDF's own layout model.

`pymupdf4llm.to_json` is this parse followed by writing JSON; the parse is called directly, so that
nothing is done twice. The classes are the model's: title, section-header, text, list-item, table,
picture, caption, formula, page-header, page-footer, footnote, fallback.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from brit.documents.geometry import area, height, inside, intersect, union, width
from brit.documents.prose import clean_text, join_lines
from brit.documents.tables import Word, read_table
from brit.types import BBox

if TYPE_CHECKING:
    import pymupdf

PROSE = 14.0
"""Width, in heights of its type, from which a line is running text."""
MAX_PROSE = 8
"""Lines of running text from which a picture box holds a page's text, not a picture's."""


@dataclass(frozen=True)
class Line:
    """A line of text; `size` is its largest font size in points, `fonts` name the typefaces it
    begins and ends in."""

    text: str
    box: BBox
    size: float
    fonts: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Region:
    """A box of the layout model. `cells` holds the rows of a table, the names of its columns first;
    `title` is a line that stands in it above these."""

    kind: str
    box: BBox
    lines: tuple[Line, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()
    title: str = ""

    @property
    def text(self) -> str:
        return join_lines(line.text for line in self.lines)

    @property
    def broken_text(self) -> str:
        """The text with the line breaks that its author made and no want of room: in lists,
        addresses, a name above its role."""
        broad = max((width(line.box) for line in self.lines), default=0.0)
        runs: list[list[str]] = [[]]
        for at, line in enumerate(self.lines):
            if at and _ends_early(self.lines[at - 1], line, broad):
                runs.append([])
            runs[-1].append(line.text)
        return "\n".join(map(join_lines, runs))

    @property
    def text_box(self) -> BBox:
        """Where the text is: less than the box where that is a picture's."""
        return union(line.box for line in self.lines) if self.lines else self.box

    @property
    def size(self) -> float:
        return max((line.size for line in self.lines), default=0.0)

    @property
    def type_size(self) -> float:
        """The size of most of the text: a numeral set beside it may be huge."""
        sizes = sorted((line.size, len(line.text)) for line in self.lines)
        before = 0
        for size, letters in sizes:
            before += letters
            if 2 * before >= sum(count for _, count in sizes):
                return size
        return self.size


@dataclass(frozen=True)
class Layout:
    """The regions of a page in reading order, on the page as it is seen (rotation undone).

    `lines` are all its lines, `body_size` the font size most of its characters have.
    """

    width: float
    height: float
    regions: tuple[Region, ...]
    lines: tuple[Line, ...]
    body_size: float


def _ends_early(line: Line, after: Line, broad: float) -> bool:
    """Whether a line was ended although the first word of the next, in a column `broad` points
    wide, had room on it, or the type changes there."""
    word = after.text.split(maxsplit=1)[0]
    beside = after.box[1] < (line.box[1] + line.box[3]) / 2
    if beside or word[0].islower():
        return False
    if line.fonts[0] == line.fonts[1] != after.fonts[0] == after.fonts[1]:
        return True
    needed = width(after.box) * (len(word) + 1) / len(after.text)
    return broad - width(line.box) > needed + line.size / 2


def text_share(box: BBox, lines: Iterable[Line]) -> float:
    """The share of a box that its lines of text cover."""
    near = (ln.box for ln in lines if ln.box[1] < box[3] and ln.box[3] > box[1])
    covered = sum(area(intersect(line, box)) for line in near)
    return covered / area(box) if area(box) else 0.0


def prose_in(box: BBox, lines: Iterable[Line]) -> list[Line]:
    """The lines of running text in a box."""
    return [ln for ln in lines if width(ln.box) > PROSE * ln.size and inside(ln.box, box) > 0.8]


def load_model() -> None:
    """Load the layout model now, so that the first page does not pay for it."""
    import_module("pymupdf4llm.helpers.document_layout")


def read_layout(doc: pymupdf.Document, number: int) -> Layout:
    """The layout of page `number` (from 1). Afterwards that page of `doc` has rotation 0."""
    from pymupdf4llm.helpers.document_layout import parse_document

    page = parse_document(doc, pages=[number - 1], use_ocr=False).pages[0]
    lines = tuple(_lines_of_blocks(page.fulltext))
    words = _words(doc[number - 1])
    regions = [_fill(_retype(_region(box, words)), lines) for box in page.boxes]
    regions = [part for r in regions for part in _dissolve(r, page.fulltext)]
    regions += _left_out(lines, regions)
    return Layout(page.width, page.height, tuple(regions), lines, _body_size(lines))


def read_plain(doc: pymupdf.Document, number: int) -> Layout:
    """The page's text blocks as they come, without the model, which some drawings hang."""
    import pymupdf

    page = doc[number - 1]
    blocks = page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP, sort=True)["blocks"]
    groups = [tuple(_lines_of_blocks([block])) for block in blocks]
    regions = tuple(Region("text", union(ln.box for ln in g), g) for g in groups if g)
    lines = tuple(line for group in groups for line in group)
    return Layout(page.rect.width, page.rect.height, regions, lines, _body_size(lines))


def _words(page: pymupdf.Page) -> list[Word]:
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    found = page.get_text("words", flags=flags)
    return [(x0, y0, x1, y1, clean_text(text)) for x0, y0, x1, y1, text, *_ in found]


def _region(box: Any, words: Sequence[Word]) -> Region:
    place: BBox = (float(box.x0), float(box.y0), float(box.x1), float(box.y1))
    lines = tuple(filter(None, (_line(raw["spans"]) for raw in box.textlines or ())))
    grid = (box.table or {}).get("cells")
    if not grid:
        return Region(box.boxclass, place, lines)
    table = read_table(grid, words)
    return Region(box.boxclass, place, lines, (table.header, *table.rows), table.title)


def _fill(region: Region, lines: Iterable[Line]) -> Region:
    """The parse leaves out lines that do not run level; here they come back."""
    if region.lines or region.cells:
        return region
    return replace(region, lines=tuple(ln for ln in lines if inside(ln.box, region.box) > 0.5))


def _retype(region: Region) -> Region:
    """A table without words is a drawing with a grid; one of a single column is a list."""
    if region.kind != "table":
        return region
    if not region.lines and not any(cell for row in region.cells for cell in row):
        return replace(region, kind="picture", cells=())
    return replace(region, kind="list", cells=()) if len(region.cells[0]) == 1 else region


def _dissolve(region: Region, blocks: Iterable[dict[str, Any]]) -> list[Region]:
    """A picture box around running text is a page in boxes; its blocks come in its place.

    One no higher than a line of type is its texts, and a list is its lines.
    """
    if region.kind == "list":
        return [Region("list-item", line.box, (line,)) for line in region.lines]
    if region.kind == "picture" and height(region.box) < 1.5 * region.size:
        return [Region("text", line.box, (line,)) for line in region.lines]
    prose = [line for line in region.lines if width(line.box) > PROSE * line.size]
    if region.kind != "picture" or len(prose) < MAX_PROSE:
        return [region]
    groups = (tuple(_lines_of_blocks([block])) for block in blocks)
    within = (tuple(ln for ln in group if inside(ln.box, region.box) > 0.5) for group in groups)
    return [Region("text", union(ln.box for ln in g), g) for g in within if g]


def _line(spans: list[dict[str, Any]]) -> Line | None:
    """Spans side by side as one line; a gap between two of them is a space."""
    text, right = "", 0.0
    for span in spans:
        if text and span["bbox"][0] - right > 0.15 * span["size"]:
            text += " "
        text += span["text"]
        right = span["bbox"][2]
    cleaned = clean_text(text)
    if not cleaned:
        return None
    box = union(tuple(span["bbox"]) for span in spans)
    size = max(float(span["size"]) for span in spans)
    return Line(cleaned, box, size, (spans[0]["font"], spans[-1]["font"]))


def _lines_of_blocks(blocks: Iterable[dict[str, Any]]) -> Iterable[Line]:
    for block in blocks:
        for raw in block["lines"]:
            if line := _line(raw["spans"]):
                yield line


def _left_out(lines: Iterable[Line], regions: list[Region]) -> list[Region]:
    """Lines in no box of the layout model, as regions of their own: no text is lost silently."""
    full = [region.box for region in regions if region.lines or region.cells]
    lost = [line for line in lines if all(inside(line.box, box) < 0.3 for box in full)]
    return [Region("text", line.box, (line,)) for line in lost]


def _body_size(lines: Iterable[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0
