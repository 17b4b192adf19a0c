"""Text regions cut where a caption begins: the layout model takes captions into its picture boxes,
and joins texts that stand on neighbouring photos."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from brit.documents.captions import is_numbered, names_part
from brit.documents.geometry import inside, union, width, y_overlap
from brit.documents.layout import PROSE, Layout, Line, Region
from brit.types import BBox

HUGE = 2.5
"""Size of a numeral, in sizes of the text beside it, from which it is an ornament."""
_TEXTS = ("text", "caption", "list-item", "footnote", "fallback")
_LIST_NUMBER = re.compile(r"^\(?\d+[.)]\s")


def split_captions(layout: Layout) -> Layout:
    """The layout with numbered captions taken out of the picture boxes that swallowed them."""
    regions: list[Region] = []
    for region in layout.regions:
        regions += _split(region) if region.kind == "picture" else [region]
    return replace(layout, regions=tuple(regions))


def _split(picture: Region) -> list[Region]:
    """A picture and the caption at its foot or head, or its panels and their captions."""
    x0, y0, x1, y1 = picture.box
    at = next((i for i, line in enumerate(picture.lines) if is_numbered(line.text)), None)
    if at is None:
        return [part for rest in _split_prose(picture) for part in _split_panels(rest)]
    lines, top = picture.lines[at:], picture.lines[at].box[1]
    foot = all(line.box[1] >= top - 1 for line in lines) and top > (y0 + y1) / 2
    if foot:
        rest = replace(picture, box=(x0, y0, x1, top - 1), lines=picture.lines[:at])
        return [rest, Region("caption", union(line.box for line in lines), lines)]
    if at == 0 and picture.lines[0].box[3] < y0 + 0.25 * (y1 - y0):
        head = picture.lines[0]
        rest = replace(picture, box=(x0, head.box[3] + 1, x1, y1), lines=picture.lines[1:])
        return [Region("caption", head.box, (head,)), rest]
    return [picture]


def _split_prose(picture: Region) -> list[Region]:
    """A picture and the line of running text or of a list that its box took in at its head."""
    head = min(picture.lines, key=lambda line: line.box[1], default=None)
    if head is None:
        return [picture]
    x0, y0, x1, y1 = picture.box
    alone = all(line is head or line.box[1] > head.box[3] - 2 for line in picture.lines)
    runs = width(head.box) > PROSE * head.size or _LIST_NUMBER.match(head.text)
    if (
        not (alone and runs)
        or not -2 < head.box[1] - y0 < head.size
        or y1 - head.box[3] < 3 * head.size
    ):
        return [picture]
    lines = tuple(line for line in picture.lines if line is not head)
    rest = replace(picture, box=(x0, head.box[3] + 1, x1, y1), lines=lines)
    return [Region("text", head.box, (head,)), rest]


def _split_panels(picture: Region) -> list[Region]:
    """A picture, or the panels above its lines «(a) …», «(b) …» with these as their captions.

    Panels side by side meet half-way between their captions.
    """
    if picture.kind != "picture":
        return [picture]
    labels = [line for line in picture.lines if names_part(line.text)]
    rows = _rows(labels)
    top = picture.box[1]
    parts: list[Region] = []
    for row in rows:
        if row[0].box[1] - top < 3 * row[0].size:
            return [picture]
        xs = [(a.box[2] + b.box[0]) / 2 for a, b in pairwise(row)]
        for line, left, right in zip(
            row, [picture.box[0], *xs], [*xs, picture.box[2]], strict=True
        ):
            box: BBox = (left, top, right, line.box[1] - 1)
            within = tuple(ln for ln in picture.lines if inside(ln.box, box) > 0.5)
            parts += [Region("picture", box, within), Region("caption", line.box, (line,))]
        top = max(line.box[3] for line in row) + 1
    return parts if len(labels) > 1 else [picture]


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines in rows from the top, each from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1]):
        if rows and y_overlap(rows[-1][-1].box, line.box) > 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def split_numerals(layout: Layout) -> Layout:
    """The layout with the huge numerals that stand beside texts as regions of their own."""
    regions: list[Region] = []
    for region in layout.regions:
        huge = tuple(line for line in region.lines if _is_numeral(line, region))
        if region.kind not in _TEXTS or not huge:
            regions.append(region)
            continue
        rest = tuple(line for line in region.lines if line not in huge)
        regions += [replace(region, box=line.box, lines=(line,)) for line in huge]
        regions += [replace(region, box=union(line.box for line in rest), lines=rest)]
    return replace(layout, regions=tuple(regions))


def _is_numeral(line: Line, region: Region) -> bool:
    return line.text.strip().isdecimal() and line.size > HUGE * region.type_size


def split_over_photos(layout: Layout, photos: Sequence[BBox]) -> Layout:
    """The layout with texts that run over several photos of a collage cut at the photos' edges."""
    regions: list[Region] = []
    for region in layout.regions:
        homes: dict[int | None, list[Line]] = {}
        for line in region.lines:
            on = (i for i, photo in enumerate(photos) if inside(line.box, photo) > 0.5)
            homes.setdefault(next(on, None), []).append(line)
        if region.kind == "picture" or len(homes.keys() - {None}) < 2:
            regions.append(region)
            continue
        regions += [
            replace(region, box=union(line.box for line in lines), lines=tuple(lines))
            for lines in homes.values()
        ]
    return replace(layout, regions=tuple(regions))
