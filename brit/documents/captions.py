"""Captions: one assignment over the whole page.

Every pair of a figure (or table) and a text near it gets a score from the text's label («Figure 3»,
«Abb. 2», «图 3»), its distance, side, alignment, type size and length; then the best pairs are
taken, each text and each figure once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from brit.documents.geometry import gaps, height, inside, union, width, x_overlap, y_overlap
from brit.documents.layout import PROSE, Layout, Line, Region
from brit.types import BBox

_NUMBER = r"\s*(?:[A-Z]?[\d٠-٩]+|[IVXL]+\b|[A-Z]\b)"
_FIGURE_LABEL = re.compile(
    r"^\W{0,2}(?:(?:supplementary|extended data)\s+)?"
    r"(?:(?:fig(?:ure|ura|\.)?|abb(?:ildung|\.)?|bild|рис(?:унок|\.)?|photo(?:graph)?|plate|chart|"
    r"exhibit|map|diagram|scheme|graph(?:ique)?|illustration|image|obr(?:\.|ázek)|rys(?:\.|unek)|"
    r"그림|شكل|الشكل)" + _NUMBER + r"|[图圖図]\s*[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
_TABLE_LABEL = re.compile(
    r"^\W{0,2}(?:(?:table(?:au)?|tab(?:elle|la|\.)?|таблица|표|جدول)"
    + _NUMBER
    + r"|表\s*[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
_PART_LABEL = re.compile(r"^\(?[a-h]\)\s")
_LIST_NUMBER = re.compile(r"^\(?\d+[.)]\s")
_LINK = re.compile(r"https?://|www\.|\S@\S+\.")
_SECTION_NUMBER = re.compile(r"^\d+(?:\.\d+)*\.?\s")
_NAMING = ("text", "caption", "section-header", "list-item", "title", "footnote", "fallback")
"""Regions whose text may name a picture."""
_ONLY_ON_PHOTOS = ("picture", "page-header", "page-footer")
"""Regions whose text may name the photo it stands on, and nothing else."""
MAX_LABEL = 16
"""Words of the longest text without a number that names a picture at its full score."""
TITLE_SCORE = 0.55
"""Score of a heading whose section is nothing but a picture."""
EDGE = 0.06
"""Depth, as a share of the page, of the bands at its top and bottom that hold running titles."""
ALIKE = 0.1
"""What it is worth that another figure in the row or column has a text at the same place."""
BESIDE_SCORE = 0.6
"""Score of a text beside one of several portraits in a column."""
WEAK = 0.3
"""Score from which such a text counts."""
THRESHOLD = 0.5
"""Score below which a text is no caption; found on labelled pages."""


@dataclass(frozen=True)
class Caption:
    """Text `region` of the page is the caption of target `target`; `confidence` 0–1."""

    target: int
    region: int
    confidence: float
    numbered: bool


def is_numbered(text: str) -> bool:
    """Does the text start as a figure's numbered caption?"""
    return bool(_FIGURE_LABEL.match(text))


def is_numbered_caption(region: Region) -> bool:
    """Is a text a figure's numbered caption, and not a sentence that begins «Figure 3 shows»?"""
    return _is_labelled(region, _FIGURE_LABEL)


def _is_labelled(region: Region, label: re.Pattern[str]) -> bool:
    found = label.match(region.text)
    rest = region.text[found.end() :].lstrip() if found else ""
    return found is not None and (region.kind == "caption" or not rest[:1].islower())


def has_label(text: str) -> bool:
    """Does the text start as the numbered caption of a figure or a table?"""
    return bool(_FIGURE_LABEL.match(text) or _TABLE_LABEL.match(text))


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
    labels = [line for line in picture.lines if _PART_LABEL.match(line.text)]
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


def assign_captions(
    figures: Sequence[BBox],
    tables: Sequence[BBox],
    layout: Layout,
    photos: Collection[int] = (),
    parts: bool = False,
) -> list[Caption]:
    """The captions of the figures (targets 0 …) and, after them, of the tables of a page.

    `photos` are the figures on which a text may stand that names them. `parts` asks for the names
    of panels («(a) …») and nothing else; without it they name nothing.
    """
    targets = [(box, False) for box in figures] + [(box, True) for box in tables]
    scored = []
    for index, region in enumerate(layout.regions):
        if not _may_be_caption(region) or bool(_PART_LABEL.match(region.text)) != parts:
            continue
        place = region.text_box
        home = next((i for i, box in enumerate(figures) if inside(place, box) > 0.5), None)
        if region.kind in _ONLY_ON_PHOTOS and (home not in photos or _at_edge(place, layout)):
            continue
        for target, (box, is_table) in enumerate(targets):
            if home in (None, target):
                score = _score(region, box, is_table, layout, target in photos)
                score = max(score, TITLE_SCORE * _stands_alone(index, box, layout))
                scored.append((score, target, index))
    boxes = [box for box, _ in targets]
    lifted = [(_lift(pair, scored, boxes, layout), *pair[1:]) for pair in scored]
    scored = sorted((pair for pair in lifted if pair[0] >= THRESHOLD), key=lambda pair: -pair[0])
    captions: list[Caption] = []
    used_targets: set[int] = set()
    used_regions: set[int] = set()
    for score, target, index in scored:
        if target not in used_targets and index not in used_regions:
            numbered = is_numbered(layout.regions[index].text)
            captions.append(Caption(target, index, round(min(score, 1.0), 3), numbered))
            used_targets.add(target)
            used_regions.add(index)
    return captions + _shared(captions, figures, layout)


def _lift(
    pair: tuple[float, int, int],
    scored: Sequence[tuple[float, int, int]],
    boxes: Sequence[BBox],
    layout: Layout,
) -> float:
    """The score of a pair, more where a figure in line with it has a text at the same place.

    Captions of a page look alike. Portraits in a column have their texts beside them, however long.
    """
    score, target, index = pair
    own, place = boxes[target], layout.regions[index].text_box
    distance, side = _distance(place, own)
    near = distance < 3 * layout.body_size and abs(place[1] - own[1]) < 1.5 * layout.body_size
    beside = side == "beside" and near
    if side == "inside" or not (beside or score >= WEAK):
        return score
    for other_score, other, text in scored:
        if other == target or text == index or not (beside or other_score >= WEAK):
            continue
        box, words = boxes[other], layout.regions[text].text_box
        far, where = _distance(words, box)
        in_line = min(abs(box[i] - own[i]) for i in range(4)) < 3
        level = not beside or abs(words[1] - box[1] - place[1] + own[1]) < 4
        if in_line and level and where == side and abs(far - distance) < 4:
            return max(score + ALIKE, BESIDE_SCORE * beside)
    return score


def _shared(captions: list[Caption], figures: Sequence[BBox], layout: Layout) -> list[Caption]:
    """A plain caption that runs under several pictures of a row belongs to each of them."""
    owned = {caption.target for caption in captions}
    shared = []
    for caption in captions:
        if caption.numbered or caption.target >= len(figures):
            continue
        text, own = layout.regions[caption.region].box, figures[caption.target]
        for i, box in enumerate(figures):
            covered = max(0.0, -gaps(text, box)[0]) > 0.5 * width(box)
            if i not in owned and covered and y_overlap(own, box) > 0.6:
                shared.append(Caption(i, caption.region, 0.8 * caption.confidence, False))
                owned.add(i)
    return shared


def _may_be_caption(region: Region) -> bool:
    short = len(region.text.split()) <= MAX_LABEL
    kind_fits = region.kind in _NAMING or (region.kind in _ONLY_ON_PHOTOS and short)
    letters = sum(c.isalpha() for c in region.text)
    names = letters > 3 or is_numbered(region.text) or bool(_CJK.search(region.text))
    return kind_fits and names


def _at_edge(place: BBox, layout: Layout) -> bool:
    """Running titles and page numbers stand at the edge of a photo that fills the page."""
    middle = (place[1] + place[3]) / 2
    return not EDGE < middle / layout.height < 1 - EDGE


def _stands_alone(index: int, figure: BBox, layout: Layout) -> bool:
    """Is a heading followed by the figure and by nothing else? Then it is the figure's title."""
    region = layout.regions[index]
    dx, dy = gaps(region.box, figure)
    near = -4 < dy < 4 * region.size and dx < 12 * region.size and region.box[1] < figure[1]
    if region.kind not in ("title", "section-header") or not near:
        return False
    between: BBox = (figure[0], region.box[3], figure[2], figure[1])
    if any(inside(line.box, between) > 0.5 for line in layout.lines):
        return False
    rest = layout.regions[index + 1 :]
    after = next((r for r in rest if r.lines and inside(r.box, figure) < 0.5), None)
    return after is None or after.kind in ("section-header", "page-footer", "footnote", "caption")


def _score(region: Region, target: BBox, is_table: bool, layout: Layout, is_photo: bool) -> float:
    """How well a text fits a figure as its caption; 1 is sure, below 0.5 is no."""
    distance, side = _distance(region.text_box, target)
    unit = max(layout.body_size, 6.0)
    own, other = (_TABLE_LABEL, _FIGURE_LABEL) if is_table else (_FIGURE_LABEL, _TABLE_LABEL)
    labelled = _is_labelled(region, own)
    if distance > (12 if labelled else 5) * unit or other.match(region.text):
        return 0.0
    if not (labelled or is_photo) and any(inside(ln.box, target) > 0.5 for ln in region.lines):
        return 0.0
    score = 0.4 * max(0.0, 1 - distance / (8 * unit))
    score += 0.15 if side == "inside" and is_photo else _side_score(side, is_table, labelled)
    score += 0.45 * labelled + 0.25 * (region.kind == "caption")
    score += 0.1 * (region.size < layout.body_size - 0.4) + 0.1 * _aligned(region.text_box, target)
    long = _too_long(region, labelled) * (0.25 if side == "inside" and is_photo else 1.0)
    large = 0.15 * (region.size > 1.5 * layout.body_size and side != "inside")
    return score - long - _is_heading(region) - large


def _distance(text: BBox, target: BBox) -> tuple[float, str]:
    """Distance in points, and the side of the target on which the text stands."""
    dx, dy = gaps(text, target)
    if dx <= 0 and dy <= 0:
        return (0.0, "inside") if inside(text, target) > 0.5 else _edge(text, target)
    if dx <= 0 and x_overlap(text, target) > 0.3:
        return dy, "below" if text[1] > target[1] else "above"
    if dy <= 0 and y_overlap(text, target) > 0.5:
        return dx, "beside"
    return float("inf"), "apart"


def _edge(text: BBox, target: BBox) -> tuple[float, str]:
    """A text that overlaps the target a little stands where most of it stands."""
    if (text[1] + text[3]) / 2 > target[3]:
        return 0.0, "below"
    return (0.0, "above") if (text[1] + text[3]) / 2 < target[1] else (0.0, "beside")


def _side_score(side: str, is_table: bool, labelled: bool) -> float:
    if side == "inside":
        return 0.0 if labelled else -0.15
    if side == "beside":
        return 0.0
    usual = "above" if is_table else "below"
    return 0.15 if side == usual else 0.05


def _aligned(text: BBox, target: BBox) -> bool:
    left = abs(text[0] - target[0]) < 6
    centred = abs(text[0] + text[2] - target[0] - target[2]) < 12
    beside = abs(text[1] - target[1]) < 6 and height(text) < height(target)
    return (left or centred or beside) and width(text) < 1.3 * width(target) + 20


def _too_long(region: Region, labelled: bool) -> float:
    words = len(region.text.split())
    if labelled or region.kind == "caption":
        return 0.3 if words > 150 else 0.0
    introduces = 0.2 if region.text.rstrip().endswith((":", "：")) else 0.0
    link = 0.4 if _LINK.search(region.text) and (words < 3 or len(region.lines) > 2) else 0.0
    return link + introduces + (0.0 if words <= MAX_LABEL else 0.2 if words <= 30 else 0.6)


def _is_heading(region: Region) -> float:
    """Headings stand above pictures of their section; they name one only for want of better."""
    if has_label(region.text):
        return 0.0
    if region.kind == "list-item":
        return 0.2
    if region.kind in ("title", "section-header"):
        return 0.35 if _SECTION_NUMBER.match(region.text) else 0.15
    return 0.0
