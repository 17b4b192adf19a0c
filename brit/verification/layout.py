"""Lines of text read in a picture, joined with those that stand under one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brit.types import BBox, Finding

CLOSE = 0.6
"""Gap between two lines, in heights of the lower one, up to which they belong together."""


def blocks(findings: Sequence[Finding], picture: int) -> Iterator[tuple[int, ...]]:
    """Positions of the lines read in one picture, block by block, each from top to bottom."""
    read = {
        position: each.box
        for position, each in enumerate(findings)
        if each.kind == "scene-text" and each.picture == picture and each.box
    }
    below: list[list[int]] = []
    for position, box in sorted(read.items(), key=lambda item: (item[1][1], item[1][0])):
        fitting = [each for each in below if _follows(box, read[each[-1]])]
        if fitting:
            fitting[-1].append(position)
        else:
            below.append([position])
    return (tuple(each) for each in below)


def _follows(box: BBox, above: BBox) -> bool:
    """Whether it stands right under the other line: most of the shorter one's width in common."""
    common = min(box[2], above[2]) - max(box[0], above[0])
    shorter = min(box[2] - box[0], above[2] - above[0])
    gap = box[1] - above[3]
    height = box[3] - box[1]
    return common > shorter / 2 and -height / 2 < gap <= CLOSE * height
