"""Boxes (x0, y0, x1, y1) with the origin at the top left: the few operations the readers need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from brit.types import BBox


def width(box: BBox) -> float:
    return max(0.0, box[2] - box[0])


def height(box: BBox) -> float:
    return max(0.0, box[3] - box[1])


def area(box: BBox) -> float:
    return width(box) * height(box)


def intersect(a: BBox, b: BBox) -> BBox:
    """The common part; its area is 0 where there is none."""
    return (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))


def union(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around all; raises ValueError for none."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def inside(a: BBox, b: BBox) -> float:
    """The share of `a` that lies in `b`; 0 for an empty `a`."""
    whole = area(a)
    return area(intersect(a, b)) / whole if whole else 0.0


def iou(a: BBox, b: BBox) -> float:
    """Intersection over union, 0–1."""
    common = area(intersect(a, b))
    return common / (area(a) + area(b) - common) if common else 0.0


def grow(box: BBox, by: float) -> BBox:
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def gaps(a: BBox, b: BBox) -> tuple[float, float]:
    """Horizontal and vertical distance between two boxes; negative: they overlap by that much."""
    return (max(a[0], b[0]) - min(a[2], b[2]), max(a[1], b[1]) - min(a[3], b[3]))


def x_overlap(a: BBox, b: BBox) -> float:
    """Shared horizontal extent as a share of the narrower box."""
    return max(0.0, -gaps(a, b)[0]) / max(min(width(a), width(b)), 1e-6)


def y_overlap(a: BBox, b: BBox) -> float:
    """Shared vertical extent as a share of the lower box."""
    return max(0.0, -gaps(a, b)[1]) / max(min(height(a), height(b)), 1e-6)


def clusters(
    boxes: Sequence[BBox], gap: float, joined: Callable[[BBox, BBox], bool] | None = None
) -> list[list[int]]:
    """Positions of boxes that touch each other, directly or through others, within `gap` points.

    `joined` narrows down which touching boxes belong together. A sweep from left to right: only
    boxes still open on the x axis are compared.
    """
    parent = list(range(len(boxes)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    active: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda k: boxes[k][0]):
        box = boxes[i]
        active = [j for j in active if boxes[j][2] + gap >= box[0]]
        for j in active:
            near = boxes[j][1] - gap <= box[3] and box[1] - gap <= boxes[j][3]
            if near and (joined is None or joined(boxes[j], box)):
                parent[root(i)] = root(j)
        active.append(i)
    groups: dict[int, list[int]] = {}
    for i in range(len(boxes)):
        groups.setdefault(root(i), []).append(i)
    return list(groups.values())
