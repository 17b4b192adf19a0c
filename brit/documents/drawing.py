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
    doc: pymupdf.Document, number: int, boxes: Iterable[BBox], dpi: int, max_pixels: int
) -> bytes:
    """PNG of page `number` (from 1) as seen, `boxes` (of the unrotated page) marked on it.

    Above `max_pixels` it is rendered smaller. Raises DocumentError for a page that is not there.
    """
    if not 1 <= number <= doc.page_count:
        raise DocumentError(f"The document has no page {number}; it has {doc.page_count}.")
    page = doc[number - 1]
    scale = min(dpi / 72, (max_pixels / (page.rect.width * page.rect.height)) ** 0.5)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    picture = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    turn = page.rotation_matrix * pymupdf.Matrix(scale, scale)
    marked = _mark(picture, [tuple(pymupdf.Rect(box) * turn) for box in boxes])
    out = io.BytesIO()
    marked.save(out, "PNG", compress_level=2)
    return out.getvalue()


def _mark(picture: Image.Image, rects: Iterable[BBox]) -> Image.Image:
    pen = ImageDraw.Draw(picture)
    for x0, y0, x1, y1 in rects:
        pen.rectangle((x0 - 4, y0 - 4, x1 + 4, y1 + 4), outline=MARKER, width=WIDTH)
    return picture
