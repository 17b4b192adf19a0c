"""What is drawn: marks with their places, sizes and colours, and the lines between them.

One scene is the source of the drawing in the browser and of the SVG that can be saved.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from brit.exploring import Ties, View, zoom_levels
from brit.exploring.layout import Points
from brit.pipeline.explore import Explorer
from brit.types import LinkKind
from brit.ui.explore.address import pair_id
from brit.ui.safe import one_line

Family = Literal["term", "person", "organisation", "place", "thing", "number", "picture"]
Thumbnail = Callable[[str], str]
Namer = Callable[[int], str]
FAMILIES: dict[str, Family] = {
    "PERSON": "person", "NORP": "person", "ORG": "organisation",
    "GPE": "place", "LOC": "place", "FAC": "place",
    "PRODUCT": "thing", "CODE": "thing", "WORK_OF_ART": "thing", "LAW": "thing",
    "EVENT": "thing", "LANGUAGE": "thing",
    "QUANTITY": "number", "DATE": "number", "TIME": "number", "MONEY": "number",
    "PERCENT": "number", "CARDINAL": "number", "ORDINAL": "number", "REFERENCE": "number",
}  # fmt: skip
FONT_SIZE, LINE_HEIGHT = 13.0, 16.0
ROOMY = 400
"""Marks up to which each gets room for its label; more show their labels as one comes near."""
_NEAREST = 1.6
_THUMBNAILS = 150
_ASPECT = 1.15
_PICTURE = (56.0, 42.0)


@dataclass(frozen=True)
class Mark:
    """`label` holds at most two lines; `zoom` is the one from which on it is shown. `size` is a
    node's radius or half a picture's height."""

    id: str
    family: Family
    label: str
    x: float
    y: float
    size: float
    zoom: float
    picture: str = ""
    main: bool = False  # in the middle, or on the way that is told


@dataclass(frozen=True)
class Line:
    """`one` and `other` are places in the marks; `link` is None for what a sentence says. `more`
    counts further ties between the same two."""

    id: str
    one: int
    other: int
    link: LinkKind | None
    label: str
    more: int = 0
    main: bool = False


@dataclass(frozen=True)
class Scene:
    """Marks, the main ones last so that they are drawn above the others, and lines."""

    marks: tuple[Mark, ...]
    lines: tuple[Line, ...]


def family_of(kind: str) -> Family:
    """The few families whose colours can be told apart, for the many kinds of nodes."""
    return FAMILIES.get(kind, "term")


def build_scene(
    explorer: Explorer,
    view: View,
    main: Sequence[int],
    name: Namer,
    thumbnail: Thumbnail,
    as_way: bool = False,
) -> Scene:
    """The scene of a view; `main` marks stand out. `name` gives what a mark is called, `thumbnail`
    the data URI of an image by its id, or "". `as_way`: the marks from left to right."""
    ties = explorer.ties
    roomy = len(view.marks) <= ROOMY
    labels = [_label(name(int(mark)), roomy) for mark in view.marks]
    sizes = _sizes(ties, view, set(main), roomy)
    words = np.array([_extent(label) for label in labels]).reshape(-1, 2)
    points = _row(len(labels)) if as_way else _places(explorer, view, sizes, words, roomy)
    ranks = sorted(range(len(view.marks)), key=lambda i: (view.marks[i] not in main, i))
    below = sizes[:, 1] / 2 + 3
    half = sizes[view.marks >= ties.nodes] / 2
    pictured = points[view.marks >= ties.nodes]
    clear = np.concatenate([pictured - half, pictured + half], axis=1)
    zooms = zoom_levels(points, below, words, ranks, _NEAREST, clear)
    pictures = [i for i in ranks if view.marks[i] >= ties.nodes][:_THUMBNAILS]
    drawn = {i: thumbnail(ties.mark_id(int(view.marks[i]))[2:]) for i in pictures}
    marks = tuple(
        Mark(
            id=ties.mark_id(int(mark)),
            family=_family(ties, int(mark)),
            label=labels[i],
            x=round(float(points[i, 0]), 1),
            y=round(float(points[i, 1]), 1),
            size=round(float(sizes[i, 1]) / 2, 1),
            zoom=round(float(zooms[i]), 4),
            picture=drawn.get(i, ""),
            main=int(mark) in main,
        )
        for i, mark in enumerate(view.marks)
    )
    return Scene(marks, _lines(ties, view))


def with_way(scene: Scene, ways: Sequence[str]) -> Scene:
    """The same with the lines of these ids standing out."""
    chosen = set(ways)
    lines = (replace(line, main=line.id in chosen) for line in scene.lines)
    return replace(scene, lines=tuple(lines))


def _family(ties: Ties, mark: int) -> Family:
    return "picture" if mark >= ties.nodes else family_of(ties.graph.node_kinds[mark])


def _label(name: str, roomy: bool) -> str:
    flat = one_line(name)
    if not roomy:
        return one_line(flat, 26)
    wrapped = textwrap.wrap(flat, 18, max_lines=2, placeholder="…", break_on_hyphens=False)
    return "\n".join(wrapped)


def _extent(label: str) -> tuple[float, float]:
    """Width and height of a label in pixels, about."""
    lines = label.split("\n") if label else []
    wide = max((sum(map(_letter, line)) for line in lines), default=0.0)
    return wide + 6, LINE_HEIGHT * len(lines)


def _letter(letter: str) -> float:
    return FONT_SIZE if unicodedata.east_asian_width(letter) in "WF" else FONT_SIZE * 0.56


def _sizes(ties: Ties, view: View, main: set[int], roomy: bool) -> Points:
    """(k, 2) width and height of marks without their labels."""
    place = {int(mark): i for i, mark in enumerate(view.marks)}
    degree = np.zeros(len(view.marks))
    for end in (ties.one, ties.other):
        np.add.at(degree, [place[int(mark)] for mark in end[view.ties]], 1)
    radius = np.minimum(6 + 1.6 * np.sqrt(degree), 22 if roomy else 26)
    sizes = np.stack([2 * radius, 2 * radius], axis=1)
    sizes[view.marks >= ties.nodes] = _PICTURE
    for mark in main & place.keys():
        sizes[place[mark]] *= 1.35
    return sizes


def _places(explorer: Explorer, view: View, sizes: Points, words: Points, roomy: bool) -> Points:
    room = sizes + 10
    if not roomy:
        return explorer.place(view, room, _ASPECT)
    # A label stands below its mark: their common box lies lower than the mark.
    room = np.stack([np.maximum(sizes[:, 0], words[:, 0]), sizes[:, 1] + words[:, 1] + 4], axis=1)
    centres = explorer.place(view, room + 12, _ASPECT)
    centres[:, 1] -= (words[:, 1] + 4) / 2
    return centres


def _row(count: int) -> Points:
    """Up and down in turn, so that long names and what joins them have room."""
    at = np.arange(count)
    return np.stack([at * 190.0, np.where(at % 2, 90.0, 0.0)], axis=1)


def _lines(ties: Ties, view: View) -> tuple[Line, ...]:
    """One line for every two marks: the strongest tie, and how many more there are."""
    place = {int(mark): i for i, mark in enumerate(view.marks)}
    order = view.ties[np.argsort(-ties.strength[view.ties], kind="stable")]
    lines: dict[tuple[int, int], Line] = {}
    for tie in map(int, order):
        one, other = int(ties.one[tie]), int(ties.other[tie])
        key = (min(one, other), max(one, other))
        if one == other:
            continue
        if known := lines.get(key):
            lines[key] = replace(known, more=known.more + 1)
            continue
        ids = ties.mark_id(one), ties.mark_id(other)
        label = one_line(ties.relation(tie), 28)
        lines[key] = Line(pair_id(*ids), place[one], place[other], ties.link_kind(tie), label)
    return tuple(lines.values())


def bounds(scene: Scene) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all marks with their labels, in pixels at zoom 1."""
    if not scene.marks:
        return (-300.0, -200.0, 300.0, 200.0)
    boxes = [_box(mark) for mark in scene.marks]
    left, top, right, bottom = zip(*boxes, strict=True)
    return (min(left), min(top), max(right), max(bottom))


def _box(mark: Mark) -> tuple[float, float, float, float]:
    wide, high = _extent(mark.label)
    half = max(wide / 2, mark.size * 4 / 3)
    low = mark.y + mark.size + 3 + high
    return (mark.x - half, mark.y - mark.size, mark.x + half, math.ceil(low))
