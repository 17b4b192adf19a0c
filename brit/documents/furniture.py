"""Page furniture: logos, running titles and other things that recur, told apart from what a page
shows and says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brit.documents.geometry import area, height, width
from brit.types import Block, ImageBlock, Page, TextBlock, TextKind

MIN_PAGES = 3
"""A picture on fewer pages is not furniture, whatever their number."""
SHARE = 0.1
"""Share of the pages from which a picture at changing places is furniture."""
EDGE = 0.15
"""Depth of the bands along the edges of a page in which the middle of headers and logos stands, as
a share."""
MAX_EDGE = 150.0
"""Their depth in points on pages of any height."""
STRIP = 0.08
"""Share of the page's height up to which a picture along its top or bottom edge is a strip."""
LOGO_AREA = 0.03
"""Share of the page's area up to which a lone picture in those bands is taken for a logo."""
EDGES: dict[TextKind, float] = {"header": 0.0, "footer": 1.0}
"""The kinds of running titles, and where on the page they stand, as a share of its height."""
TITLE_EDGE = 0.12
"""Depth of the bands in which they stand, as a share."""
TITLE_STEP = 8.0
"""Points within which a title stands at the same height."""
SEEN = 0.05
"""Share of the pages from which a text that was told a running title on one of them is one."""
OFTEN = 0.5
"""Share from which one of always the same words is one without that."""


def mark_furniture(pages: Sequence[Page]) -> list[Page]:
    """The pages with their furniture marked.

    Running titles become headers and footers. Furniture is a picture on at least three pages that
    stands at the same place each time or on a tenth of all pages, and a small picture or a strip
    without a caption at the top or bottom of a page.
    Documents without pages (one page record) have none.
    """
    places: dict[str, list[tuple[Page, ImageBlock]]] = defaultdict(list)
    for page in pages:
        for block in page.blocks:
            if isinstance(block, ImageBlock) and block.file:
                places[block.file].append((page, block))
    pages = _mark_titles(pages)
    recurring = {file for file, at in places.items() if _recurs(at, len(pages))}
    return [
        replace(page, blocks=tuple(_mark(block, page, recurring) for block in page.blocks))
        for page in pages
    ]


def _recurs(places: Sequence[tuple[Page, ImageBlock]], page_count: int) -> bool:
    numbers = {page.number for page, _ in places}
    if len(numbers) < MIN_PAGES:
        return False
    spots = {tuple(round(v / 12) for v in block.bbox) for _, block in places if block.bbox}
    return len(numbers) >= SHARE * page_count or len(spots) <= 2


def _mark(block: Block, page: Page, recurring: set[str]) -> Block:
    if not isinstance(block, ImageBlock):
        return block
    return replace(block, furniture=block.file in recurring or _is_logo(block, page))


def _is_logo(block: ImageBlock, page: Page) -> bool:
    if block.bbox is None or block.caption or not page.height:
        return False
    strip = height(block.bbox) < STRIP * page.height and width(block.bbox) > 0.5 * page.width
    small = strip or area(block.bbox) < LOGO_AREA * page.width * page.height
    low = height(block.bbox) < 0.12 * page.height
    edge = min(EDGE * page.height, MAX_EDGE)
    middle = (block.bbox[1] + block.bbox[3]) / 2
    at_edge = middle < edge or middle > page.height - edge
    return small and low and at_edge


def _mark_titles(pages: Sequence[Page]) -> list[Page]:
    """Texts that recur at the top or bottom of pages, numbers apart, and that the layout model took
    for running titles here and for text there, are running titles. A heading stays where it is the
    first of them: it may be the document's title."""
    seen: dict[_Title, list[tuple[int, TextBlock]]] = defaultdict(list)
    for page in pages:
        for block, title in _titles(page):
            seen[title].append((page.number, block))
    running = {title for title, at in seen.items() if _is_running(at, len(pages))}

    def mark(page: Page) -> Page:
        named = {block: title for block, title in _titles(page) if title in running}
        keep = {b for b, t in named.items() if b.kind == "heading" and seen[t][0][0] == page.number}
        blocks = (
            replace(b, kind=named[b][0])
            if isinstance(b, TextBlock) and b in named.keys() - keep
            else b
            for b in page.blocks
        )
        return replace(page, blocks=tuple(blocks))

    return [mark(page) for page in pages]


_Title = tuple[TextKind, str, int]
"""Header or footer, the words without their numbers, and the height at which they stand."""


def _titles(page: Page) -> Iterator[tuple[TextBlock, _Title]]:
    """The texts at the edges of a page."""
    for block in page.blocks:
        if isinstance(block, TextBlock) and block.bbox and page.height and not page.rotation:
            middle = (block.bbox[1] + block.bbox[3]) / 2
            for kind, edge in EDGES.items():
                if abs(middle - edge * page.height) < TITLE_EDGE * page.height:
                    words = re.sub(r"\d+", "#", block.text).casefold()
                    yield block, (kind, words, round(middle / TITLE_STEP))


def _is_running(places: Sequence[tuple[int, TextBlock]], page_count: int) -> bool:
    pages = len({number for number, _ in places})
    told = any(block.kind in EDGES for _, block in places)
    alike = len({block.text for _, block in places}) == 1
    return pages >= MIN_PAGES and (
        (told and pages >= SEEN * page_count) or (alike and pages >= OFTEN * page_count)
    )


def keep_edge_text(pages: Sequence[Page]) -> list[Page]:
    """Headers and footers become paragraphs in a document that has no other text (a one-line page,
    a poster): else it would be read whole and yet have nothing to ask."""
    blocks = [block for page in pages for block in page.blocks]
    if any(isinstance(block, TextBlock) and block.kind not in EDGES for block in blocks):
        return list(pages)
    return [replace(page, blocks=tuple(map(_as_paragraph, page.blocks))) for page in pages]


def _as_paragraph(block: Block) -> Block:
    if isinstance(block, TextBlock) and block.kind in EDGES:
        return replace(block, kind="paragraph")
    return block
