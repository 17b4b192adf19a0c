"""Whether a page's text layer can be used, or its text has to be read from its picture
(sandbox only)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pymupdf

from brit.documents.geometry import area, height
from brit.documents.placements import Mark
from brit.types import BBox

MAX_GARBAGE = 0.3
"""Share of unmapped characters above which the text is none."""
FEW = 60
"""Characters up to which a page of pictures has no text of its own: a stamp, a page number."""
EDGE = 0.08
"""Share of the page's height at its top and its bottom where running titles stand."""
LITTLE = 0.01
"""Share of the page covered by text up to which it is no page's text, however small its type."""
PAINTED = 0.4
"""Share of the page covered by rasters from which it may be a scan."""
OUTLINES = 60
"""Paths from which a page without a single character may have its text drawn as outlines."""


def is_scan(page: pymupdf.Page, marks: Sequence[Mark]) -> bool:
    """No usable text layer, but something is drawn: no text at all, hardly any but running titles
    beside rasters, or code points that mean nothing. A hidden layer of recognised text is used as
    it is."""
    # Without TEXT_CID_FOR_UNKNOWN_UNICODE a glyph without a meaning is U+FFFD, no random letter.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    characters = "".join(page.get_text("text", flags=flags).split())
    if sum(map(_is_garbage, characters)) > MAX_GARBAGE * max(len(characters), 1):
        return True
    if not characters and sum(mark.kind in ("vector", "stencil") for mark in marks) >= OUTLINES:
        return True
    return _is_bare(page, flags) and _painted(tuple(page.rect), marks) >= PAINTED


def _is_bare(page: pymupdf.Page, flags: int) -> bool:
    """Whether there is hardly any text but running titles."""
    box: BBox = tuple(page.rect)
    top, bottom = box[1] + EDGE * height(box), box[3] - EDGE * height(box)
    words = [
        word for word in page.get_text("words", flags=flags) if word[1] < bottom and word[3] > top
    ]
    covered = sum(area(word[:4]) for word in words)
    return sum(len(word[4]) for word in words) < FEW or covered < LITTLE * area(box)


def _is_garbage(character: str) -> bool:
    # U+F020 to U+F0FF are the letters of symbol fonts, rightly mapped.
    if 0xF020 <= ord(character) <= 0xF0FF:
        return False
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cn", "Cc")


def _painted(page: BBox, marks: Sequence[Mark]) -> float:
    """Share of the page under rasters, overlaps counted twice: strips and tiles do not overlap."""
    rasters = [mark for mark in marks if mark.kind in ("raster", "faded", "stencil")]
    # Boxes out of masks hold NumPy's numbers, which JSON does not know.
    return float(sum(area(mark.box) for mark in rasters) / max(area(page), 1.0))
