"""A page as a picture with places marked on it (sandbox only; render.py is the way in)."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pymupdf
from PIL import Image, ImageDraw

from brit.errors import DocumentError
from brit.types import BBox

MARKER = (255, 115, 0)
"""An orange that few pages have. A frame alone: a tint would change the colours in a picture."""
WIDTH = 3


def draw_page(
    doc: pymupdf.Document,
    number: int,
    boxes: Iterable[BBox],
    dpi: int,
    max_pixels: int,
    around: bool = False,
) -> bytes:
    """PNG of page `number` (from 1) as seen, `boxes` (of the unrotated page) marked on it; `around`
    leaves what is far from them out.

    Above `max_pixels` it is rendered smaller. Raises DocumentError for a page that is not there.
    """
    page = _page(doc, number)
    scale = min(dpi / 72, (max_pixels / (page.rect.width * page.rect.height)) ** 0.5)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    picture = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    turn = page.rotation_matrix * pymupdf.Matrix(scale, scale)
    rects: list[BBox] = [tuple(pymupdf.Rect(box) * turn) for box in boxes]
    marked = _mark(picture, rects)
    if around and rects:
        marked = marked.crop(_around(rects, marked.size))
    out = io.BytesIO()
    marked.save(out, "PNG", compress_level=2)
    return out.getvalue()


def _mark(picture: Image.Image, rects: Iterable[BBox]) -> Image.Image:
    pen = ImageDraw.Draw(picture)
    for x0, y0, x1, y1 in rects:
        pen.rectangle((x0 - 4, y0 - 4, x1 + 4, y1 + 4), outline=MARKER, width=WIDTH)
    return picture


def _around(rects: Iterable[BBox], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The page's whole width, and of its height what is marked with a margin."""
    rects = tuple(rects)
    margin = size[1] // 24
    top = min(max(0, int(min(rect[1] for rect in rects)) - margin), size[1] - 1)
    bottom = min(size[1], int(max(rect[3] for rect in rects)) + margin)
    return 0, top, size[0], max(bottom, top + 1)


def find_places(
    doc: pymupdf.Document, number: int, boxes: Iterable[BBox], words: Iterable[str]
) -> tuple[list[BBox], list[list[BBox]]]:
    """Where `boxes` (of the unrotated page) and each of `words` stand on page `number` as it is
    seen, in fractions of its sides. Raises DocumentError for a page that is not there."""
    page = _page(doc, number)
    turn = page.rotation_matrix
    share = pymupdf.Matrix(1 / page.rect.width, 1 / page.rect.height)
    text = page.get_textpage()
    found = [page.search_for(word, textpage=text) for word in words]
    return (
        [tuple(pymupdf.Rect(box) * turn * share) for box in boxes],
        [[tuple(pymupdf.Rect(rect) * turn * share) for rect in rects] for rects in found],
    )


def _page(doc: pymupdf.Document, number: int) -> pymupdf.Page:
    if not 1 <= number <= doc.page_count:
        raise DocumentError(f"The document has no page {number}; it has {doc.page_count}.")
    return doc[number - 1]
