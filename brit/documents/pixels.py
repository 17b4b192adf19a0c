"""The page as pixels: how busy a part of it is, and figures cut out of it.

Figures are cut from a render of the page, so that masks, colour spaces, clips, vectors and
rotation come out as a reader sees them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pymupdf
from PIL import Image

from brit.documents.geometry import area, clusters, grow, height, intersect, union, width
from brit.types import BBox

CELL = 4.0
"""Side in points of the cells in which contrast is measured."""
BUSY = 10
"""Difference of grey levels within a cell above which it holds something to see."""
RAISED = 16.0
"""Difference of a cell's colour from that of the ground above which it stands out."""
MIN_CELLS = 12
"""Cells of the smallest box whose ground can be told."""
MAX_CELLS = 2_000
"""Cells looked at for it."""
GUTTER = 8.0
"""Width in points of the narrowest empty strip between two panels."""
STEP = 15.0
"""Side in points of the squares in which the busy parts of a background are sought."""
BUSY_SPOT = 0.2
"""Busy share of such a square from which it belongs to a figure."""
DEPTH = 3
"""Cells, each way, of what is busy in depth."""
JOIN = 5
"""Cells up to which parts of it lie apart."""
WHITE = 200
"""Grey level from which paper is white."""
PAPER = 0.5
"""Share of a scanned page that is empty paper."""
DARK = 90
"""Grey level up to which a cell is dark."""
RULE = 0.3
"""Length of a rule, as a share of the page's width."""
STROKE_GAP = 8.0
"""Points up to which the parts of a drawing on paper lie apart."""
PHOTO_COLOURS = 4096
"""A figure with more colours than this is a photo: JPEG, not PNG."""
Pixels = npt.NDArray[np.uint8]


class PageImage:
    """A page rendered at `dpi`, less where that would be more than `max_pixels`."""

    def __init__(self, page: pymupdf.Page, dpi: int, max_pixels: int) -> None:
        w, h = page.rect.width, page.rect.height
        self.scale = min(dpi / 72, (max_pixels / (w * h)) ** 0.5)
        self._small = 0.05 * w * h
        self._page = page.get_displaylist()
        self.pixels = self._render((0.0, 0.0, w, h))
        self._busy = self._contrast()
        self._seen = self._busy.copy()
        self._hidden = np.zeros_like(self._busy)
        self._colours = self._means()

    def _render(self, box: BBox) -> Pixels:
        """The pixels of a box whose corner falls on the corner of a pixel."""
        s = self.scale
        matrix = pymupdf.Matrix(s, 0, 0, s, -box[0] * s, -box[1] * s)
        pixmap = self._page.get_pixmap(matrix=matrix, alpha=0, clip=pymupdf.Rect(box))
        pixels: Pixels = np.frombuffer(pixmap.samples, np.uint8)
        return pixels.reshape(pixmap.height, pixmap.width, 3)

    def _contrast(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) of cells: is there contrast in the cell?"""
        side = max(1, round(CELL * self.scale))
        grey = self.pixels[:, :, 1]
        grey = np.pad(grey, [(0, -n % side) for n in grey.shape], mode="edge")
        rows, columns = grey.shape[0] // side, grey.shape[1] // side
        cells = grey.reshape(rows, side, columns, side)
        low, high = cells.min(axis=(1, 3)), cells.max(axis=(1, 3))
        busy: npt.NDArray[np.bool_] = (high - low) > BUSY
        return busy

    def _means(self) -> npt.NDArray[np.float32]:
        """(rows, columns, 3): the colours of the cells, each of its middle pixels."""
        side = max(1, round(CELL * self.scale))
        middles = (np.arange(n) * side + side // 2 for n in self._busy.shape)
        rows, columns = (
            np.minimum(m, n - 1) for m, n in zip(middles, self.pixels.shape, strict=False)
        )
        return self.pixels[np.ix_(rows, columns)].astype(np.float32)

    def hide(self, boxes: Iterable[BBox]) -> None:
        """Take text out of the measure of contrast."""
        for box in boxes:
            rows, columns = self._cells(grow(box, 2))
            self._busy[rows, columns] = False
            self._hidden[rows, columns] = True

    def busy(self, box: BBox) -> float:
        """The share of a box that shows something: 0 for a tinted panel, near 1 for a photo."""
        if width(box) <= 0 or height(box) <= 0:
            return 0.0
        rows, columns = self._cells(box)
        part = self._busy[rows, columns]
        return float(part.mean()) if part.size else 0.0

    def relief(self, box: BBox) -> float:
        """The share of a box, text left out, that stands out from its ground.

        The ground is a flat colour or a linear fade (the plane through most of the box), so that a
        tinted panel has no relief, and a pie chart or a smooth photo much, where hardly anything
        has contrast in detail.
        """
        rows, columns = self._cells(box)
        colours, shown = self._colours[rows, columns], ~self._hidden[rows, columns]
        step = 1 + shown.size // MAX_CELLS
        ys, xs = (places[::step] for places in np.nonzero(shown))
        if len(ys) < MIN_CELLS:
            return 0.0
        places = np.column_stack((np.ones(len(ys)), ys, xs))
        values = colours[ys, xs]
        ground = np.ones(len(ys), np.bool_)
        for _ in range(2):
            plane, *_ = np.linalg.lstsq(places[ground], values[ground], rcond=None)
            off = np.abs(values - places @ plane).max(axis=1)
            ground = off <= max(float(np.median(off)), RAISED)
        return float((off > RAISED).mean())

    def gap_between(self, box: BBox, left: float, right: float) -> float | None:
        """The middle of the widest empty strip that runs down a box between two places."""
        rows, columns = self._cells((left, box[1], right, box[3]))
        side = max(1, round(CELL * self.scale)) / self.scale
        full = np.flatnonzero(self._seen[rows, columns].any(axis=0))
        edges = np.concatenate(([-1], full, [columns.stop - columns.start]))
        widest = int(np.diff(edges).argmax())
        if (edges[widest + 1] - edges[widest] - 1) * side < GUTTER:
            return None
        middle = float(edges[widest] + 1 + edges[widest + 1]) / 2
        return float((columns.start + middle) * side)

    def trim(self, box: BBox) -> BBox:
        """A box without the empty margins around what it shows, text included.

        Empty is what has no contrast and the colour of most that surrounds the box.
        """
        around = self._colours[self._cells(grow(box, CELL))]
        edge = np.concatenate((around[0], around[-1], around[:, 0], around[:, -1]))
        place = self._cells(box)
        shown = self._seen.copy()
        shown[place] |= np.abs(self._colours[place] - np.median(edge, axis=0)).max(axis=2) > RAISED
        return self._extent(shown, box)

    def trim_to_picture(self, box: BBox) -> BBox:
        """A box without the margins that hold nothing but text."""
        return self._extent(self._busy, box)

    def _extent(self, shown: npt.NDArray[np.bool_], box: BBox) -> BBox:
        rows, columns = self._cells(box)
        part = shown[rows, columns]
        ys, xs = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
        if not len(ys):
            return box
        side = max(1, round(CELL * self.scale)) / self.scale
        left, top = columns.start * side, rows.start * side
        corner = (left + xs[0] * side, top + ys[0] * side)
        return intersect(box, (*corner, left + (xs[-1] + 1) * side, top + (ys[-1] + 1) * side))

    def busy_alone(self, box: BBox, others: Iterable[BBox]) -> float | None:
        """The busy share of what of a box lies in none of the others; None for next to nothing."""
        rows, columns = self._cells(box)
        alone = np.ones_like(self._busy[rows, columns])
        for other in others:
            ys, xs = self._cells(other)
            top, left = max(0, ys.start - rows.start), max(0, xs.start - columns.start)
            bottom, right = max(0, ys.stop - rows.start), max(0, xs.stop - columns.start)
            alone[top:bottom, left:right] = False
        if alone.mean() < 0.15:
            return None
        return float(self._busy[rows, columns][alone].mean())

    def seamless(self, first: BBox, second: BBox, stacked: bool) -> bool:
        """Does the picture go on from one raster to the next (below it, or to its right)?

        The difference across the seam is compared with that of as distant rows beside it: strips
        of one photo change little there, photos of a mosaic much.
        """
        low, high, seam = (0, 2, 3) if stacked else (1, 3, 2)
        lines = self.pixels if stacked else self.pixels.swapaxes(0, 1)
        start = round(max(first[low], second[low]) * self.scale)
        stop = round(min(first[high], second[high]) * self.scale)
        at = round(first[seam] * self.scale)
        if at < 8 or at + 8 > len(lines) or stop <= start:
            return True
        rows = [lines[at + step, start:stop].astype(np.int16) for step in (-8, -3, 2, 7)]
        before, across, after = (float(np.abs(a - b).mean()) for a, b in pairwise(rows))
        return across < 1.8 * max(before, after) + 5

    def busy_parts(self, box: BBox) -> list[BBox]:
        """The connected parts of a box that are busy all over, in steps of `STEP` points."""
        columns, rows = int(width(box) / STEP), int(height(box) / STEP)
        spots = [
            (box[0] + x * STEP, box[1] + y * STEP, box[0] + (x + 1) * STEP, box[1] + (y + 1) * STEP)
            for x in range(columns)
            for y in range(rows)
        ]
        spots = [spot for spot in spots if self.busy(spot) > BUSY_SPOT]
        return [union(spots[i] for i in group) for group in clusters(spots, 0.5)]

    def solid_parts(self, box: BBox) -> list[BBox]:
        """The parts of a box that are busy in depth: without the edges of panels, which tie what
        lies between them together."""
        from scipy import ndimage

        rows, columns = self._cells(box)
        solid = ndimage.binary_opening(self._busy[rows, columns], np.ones((DEPTH, DEPTH)))
        joined = ndimage.binary_closing(np.pad(solid, JOIN), np.ones((JOIN, JOIN)))
        side = max(1, round(CELL * self.scale)) / self.scale
        left, top = columns.start - JOIN, rows.start - JOIN
        places = ndimage.find_objects(ndimage.label(joined)[0])
        return [
            intersect(box, ((left + x.start) * side, (top + y.start) * side,
                            (left + x.stop) * side, (top + y.stop) * side))
            for y, x in places
        ]  # fmt: skip

    def is_paper(self, box: BBox) -> bool:
        """Whether most of a box is white and empty, as a scanned page is."""
        place = self._cells(box)
        empty = (self._colours[place].min(axis=2) > WHITE) & ~self._seen[place]
        return float(empty.mean()) > PAPER

    def strokes(self, box: BBox) -> list[BBox]:
        """What is drawn in a box, text left out: cells with contrast that touch, joined over gaps
        of up to `STROKE_GAP` points, without rules and the dark beyond the paper's edge."""
        rows, columns = self._cells(box)
        side = max(1, round(CELL * self.scale)) / self.scale
        part = np.pad(self._busy[rows, columns], [(0, 0), (1, 1)]).astype(np.int8)
        starts, ends = (np.argwhere(np.diff(part, axis=1) == step) for step in (1, -1))
        left, top = columns.start * side, rows.start * side
        runs: list[BBox] = [
            (left + a * side, top + y * side, left + b * side, top + (y + 1) * side)
            for (y, a), (_, b) in zip(starts.tolist(), ends.tolist(), strict=True)
            if (b - a) * side < RULE * width(box)
        ]
        parts = [union(runs[i] for i in group) for group in clusters(runs, side / 2)]
        parts = [part for part in parts if not self._is_dark(part)]
        return [union(parts[i] for i in group) for group in clusters(parts, STROKE_GAP)]

    def _is_dark(self, box: BBox) -> bool:
        return bool((self._colours[self._cells(box)].max(axis=2) < DARK).mean() > 0.5)

    def crop(self, box: BBox) -> Pixels:
        """The pixels of a box, (height, width, 3).

        Small ones are rendered on their own, so that a logo comes out the same on every page,
        wherever it falls between the page's pixels.
        """
        if area(box) < self._small:
            return self._render(box)
        x0, y0, x1, y1 = (round(value * self.scale) for value in box)
        return self.pixels[max(0, y0) : max(y1, y0 + 1), max(0, x0) : max(x1, x0 + 1)]

    def _cells(self, box: BBox) -> tuple[slice, slice]:
        side = max(1, round(CELL * self.scale)) / self.scale
        x0, y0 = max(0, int(box[0] / side)), max(0, int(box[1] / side))
        x1, y1 = math.ceil(box[2] / side), math.ceil(box[3] / side)
        return slice(y0, max(y1, y0 + 1)), slice(x0, max(x1, x0 + 1))


def encode(crop: Pixels) -> bytes:
    """A crop as a file: JPEG for photos, PNG for everything else."""
    picture, out = Image.fromarray(crop), io.BytesIO()
    sample = crop.reshape(-1, 3)[:: max(1, crop.size // 300_000)].astype(np.int32)
    codes = sample[:, 0] << 16 | sample[:, 1] << 8 | sample[:, 2]
    if len(np.unique(codes)) > PHOTO_COLOURS:
        picture.save(out, "JPEG", quality=92, subsampling=0)
    else:
        picture.save(out, "PNG", compress_level=3)
    return out.getvalue()
