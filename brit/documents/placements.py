"""What a page paints besides text, each thing with the part of it that the clips leave visible.

PyMuPDF's own listings (`get_image_info`, `get_bboxlog`) report boxes before clipping, so that a
photo cut to a frame, or a drawing that runs off the page, comes out too large. A MuPDF device sees
every painting command together with the clip in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pymupdf

from brit.documents.geometry import height, intersect, width
from brit.types import BBox

MAX_MARKS = 20_000
"""Painting commands looked at on one page; maps have hundreds of thousands."""

VEIL = 0.25
"""Mean opacity of a raster below which it is a pattern or a shadow over other things."""
STROKE = 0.6
"""Mean opacity of what is seen of such a raster from which it is a drawing on nothing."""
TRANSPARENT = 40
"""Value of a soft mask, 0–255, up to which nothing is seen."""
_MASK_SIDE = 256
"""Pixels a side to which masks are decoded: enough for their mean."""

_INFINITE = (-0x80000000, -0x80000000, 0x7FFFFF80, 0x7FFFFF80)
"""MuPDF's infinite rectangle (FZ_MIN_INF_RECT, FZ_MAX_INF_RECT)."""
_mupdf: Any = pymupdf.mupdf


_COMMANDS = (
    "fill_image",
    "fill_image_mask",
    "fill_path",
    "stroke_path",
    "fill_shade",
    "begin_mask",
    "end_mask",
    "clip_path",
    "clip_stroke_path",
    "clip_text",
    "clip_stroke_text",
    "clip_image_mask",
    "pop_clip",
)


@dataclass(frozen=True)
class Mark:
    """One painting command and where it shows.

    A stencil is a one-bit mask filled with a colour; a veil is a raster that lets most of what is
    under it through; a sketch is one that does so only between its opaque strokes; a faded raster
    is drawn through a soft mask of the page's.
    """

    kind: Literal["raster", "faded", "veil", "sketch", "stencil", "vector", "shade"]
    box: BBox


class _Tracer(_mupdf.FzDevice2):  # type: ignore[misc]
    """Keeps the visible box of each painting command (MuPDF calls the methods below)."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []
        self._in_mask = 0
        self._clips: list[bool] = []
        for name in _COMMANDS:
            getattr(self, f"use_virtual_{name}")()

    def begin_mask(self, *_: Any) -> None:
        self._in_mask += 1

    def end_mask(self, *_: Any) -> None:
        self._in_mask -= 1
        self._clips.append(True)

    def _clip(self, *_: Any) -> None:
        self._clips.append(False)

    clip_path = clip_stroke_path = clip_text = clip_stroke_text = clip_image_mask = _clip

    def pop_clip(self, *_: Any) -> None:
        self._clips.pop()

    def _keep(self, kind: Any, box: BBox) -> None:
        if self._in_mask:
            return
        if kind == "raster" and any(self._clips):
            kind = "faded"
        clip = _mupdf.ll_fz_device_current_scissor(self.m_internal)
        visible = intersect(box, (clip.x0, clip.y0, clip.x1, clip.y1))
        if width(visible) > 0 and height(visible) > 0 and len(self.marks) < MAX_MARKS:
            self.marks.append(Mark(kind, visible))

    def fill_image(self, _ctx: Any, image: Any, ctm: Any, *_: Any) -> None:
        if not image.mask:
            self._keep("raster", _placed(ctm))
            return
        opacity, stroke, opaque = _opacity(image.mask)
        thin = "sketch" if stroke > STROKE else "veil"
        self._keep(thin if opacity < VEIL else "raster", _placed(ctm, opaque))

    def fill_image_mask(self, _ctx: Any, _image: Any, ctm: Any, *_: Any) -> None:
        self._keep("stencil", _placed(ctm))

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


def _placed(ctm: Any, part: BBox = (0.0, 0.0, 1.0, 1.0)) -> BBox:
    """Where a matrix puts a part of the unit square, the space of images (PDF 32000-1, 8.9.5)."""
    corners = [(x, y) for x in part[::2] for y in part[1::2]]
    xs = [ctm.a * x + ctm.c * y + ctm.e for x, y in corners]
    ys = [ctm.b * x + ctm.d * y + ctm.f for x, y in corners]
    return (min(xs), min(ys), max(xs), max(ys))


def _opacity(mask: Any) -> tuple[float, float, BBox]:
    """The mean of a soft mask, 0–1, that of what is seen, and the part of the unit square seen."""
    image = _mupdf.FzImage(_mupdf.ll_fz_keep_image(mask))
    everything = _mupdf.FzIrect(*_INFINITE)
    shrink = _mupdf.FzMatrix(_MASK_SIDE, 0, 0, _MASK_SIDE, 0, 0)
    pixmap, _, _ = _mupdf.fz_get_pixmap_from_image(image, everything, shrink)
    samples = np.frombuffer(_mupdf.fz_pixmap_samples_memoryview(pixmap), np.uint8)
    alpha = samples.reshape(pixmap.h(), -1)[:, :: pixmap.n()][:, : pixmap.w()]
    seen = alpha > TRANSPARENT
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not len(rows):
        return 0.0, 0.0, (0.0, 0.0, 1.0, 1.0)
    height, width = alpha.shape
    part = (
        columns[0] / width,
        rows[0] / height,
        (columns[-1] + 1) / width,
        (rows[-1] + 1) / height,
    )
    return float(alpha.mean()) / 255, float(alpha[seen].mean()) / 255, part


def trace_marks(page: pymupdf.Page) -> list[Mark]:
    """The painting commands of a page and its annotations, in order, cut to the page."""
    tracer = _Tracer()
    _mupdf.fz_run_page(page.this, tracer, _mupdf.FzMatrix(), _mupdf.FzCookie())
    _mupdf.fz_close_device(tracer)
    bounds: BBox = tuple(page.rect)
    cut = [Mark(m.kind, intersect(m.box, bounds)) for m in tracer.marks]
    return [mark for mark in cut if width(mark.box) > 0 and height(mark.box) > 0]
