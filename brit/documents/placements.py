"""What a page paints besides text, each thing with the part of it that the clips leave visible.

PyMuPDF's own listings (`get_image_info`, `get_bboxlog`) report boxes before clipping, so that a
photo cut to a frame, or a drawing that runs off the page, comes out too large. A MuPDF device sees
every painting command together with the clip in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pymupdf

from brit.documents.geometry import height, intersect, width
from brit.types import BBox

MAX_MARKS = 20_000
"""Painting commands looked at on one page; maps have hundreds of thousands."""

_mupdf: Any = pymupdf.mupdf


@dataclass(frozen=True)
class Mark:
    """One painting command. `pixels` is the size of a raster, 0 otherwise."""

    kind: Literal["raster", "stencil", "vector", "shade"]
    box: BBox
    pixels: int = 0


class _Tracer(_mupdf.FzDevice2):  # type: ignore[misc]
    """Keeps the visible box of each painting command (MuPDF calls the methods below)."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []
        for name in ("fill_image", "fill_image_mask", "fill_path", "stroke_path", "fill_shade"):
            getattr(self, f"use_virtual_{name}")()

    def _keep(self, kind: Any, box: BBox, pixels: int = 0) -> None:
        clip = _mupdf.ll_fz_device_current_scissor(self.m_internal)
        visible = intersect(box, (clip.x0, clip.y0, clip.x1, clip.y1))
        if width(visible) > 0 and height(visible) > 0 and len(self.marks) < MAX_MARKS:
            self.marks.append(Mark(kind, visible, pixels))

    def fill_image(self, _ctx: Any, image: Any, ctm: Any, *_: Any) -> None:
        self._keep("raster", _placed(ctm), image.w * image.h)

    def fill_image_mask(self, _ctx: Any, image: Any, ctm: Any, *_: Any) -> None:
        self._keep("stencil", _placed(ctm), image.w * image.h)

    def fill_path(self, _ctx: Any, path: Any, _even_odd: Any, ctm: Any, *_: Any) -> None:
        if len(self.marks) < MAX_MARKS:
            self._keep("vector", _corners(_mupdf.ll_fz_bound_path(path, None, ctm)))

    def stroke_path(self, _ctx: Any, path: Any, stroke: Any, ctm: Any, *_: Any) -> None:
        if len(self.marks) < MAX_MARKS:
            self._keep("vector", _corners(_mupdf.ll_fz_bound_path(path, stroke, ctm)))

    def fill_shade(self, _ctx: Any, shade: Any, ctm: Any, *_: Any) -> None:
        self._keep("shade", _corners(_mupdf.ll_fz_bound_shade(shade, ctm)))


def _corners(rect: Any) -> BBox:
    return (rect.x0, rect.y0, rect.x1, rect.y1)


def _placed(ctm: Any) -> BBox:
    """Where a matrix puts the unit square, which is the space of an image (PDF 32000-1, 8.9.5)."""
    xs = (ctm.e, ctm.e + ctm.a, ctm.e + ctm.c, ctm.e + ctm.a + ctm.c)
    ys = (ctm.f, ctm.f + ctm.b, ctm.f + ctm.d, ctm.f + ctm.b + ctm.d)
    return (min(xs), min(ys), max(xs), max(ys))


def trace_marks(page: pymupdf.Page) -> list[Mark]:
    """The painting commands of a page and its annotations, in order, cut to the page."""
    tracer = _Tracer()
    _mupdf.fz_run_page(page.this, tracer, _mupdf.FzMatrix(), _mupdf.FzCookie())
    _mupdf.fz_close_device(tracer)
    bounds: BBox = tuple(page.rect)
    cut = [Mark(m.kind, intersect(m.box, bounds), m.pixels) for m in tracer.marks]
    return [mark for mark in cut if width(mark.box) > 0 and height(mark.box) > 0]
