"""Captions: one assignment over the whole page.

Every pair of a figure (or table) and a text near it gets a score from the text's label («Figure 3»,
«Abb. 2», «图 3»), its distance, side, alignment, type size and length; then the best pairs are
taken, each text and each figure once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from brit.documents.geometry import area, gaps, height, inside, union, width, x_overlap, y_overlap
from brit.documents.layout import Layout, Region
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
_LINK = re.compile(r"https?://|www\.|\S@\S+\.")
_SECTION_NUMBER = re.compile(r"^\d+(?:\.\d+)*\.?\s")
_NAMING = ("text", "caption", "section-header", "list-item", "title", "footnote", "fallback")
"""Regions whose text may name a picture."""
_ONLY_ON_PHOTOS = ("picture", "page-header", "page-footer")
"""Regions whose text may name the photo it stands on, and nothing else."""
MAX_LABEL = 16
"""Words of the longest text without a number that names a picture at its full score."""
TITLE_SCORE = 0.54
"""Score of a heading whose section is nothing but a picture: less than a text's on the photo."""
EDGE = 0.06
"""Depth, as a share of the page, of the bands at its top and bottom that hold running titles."""
ALIKE = 0.1
"""What it is worth that another figure in the row or column has a text at the same place."""
BESIDE_SCORE = 0.6
"""Score of a text beside one of several portraits in a column."""
SLIDE_WORDS = 150
"""Words up to which a page that lies is a slide."""
DISPLAY = 2.5
"""Size of type, in sizes of the body, from which a text on a photo is a title of the page."""
FULL_PAGE = 0.6
"""Share of the page from which a photo fills it."""
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


def names_part(text: str) -> bool:
    """Does the text start as the name of a panel, «(a) …»?"""
    return bool(_PART_LABEL.match(text))


def has_label(text: str) -> bool:
    """Does the text start as the numbered caption of a figure or a table?"""
    return bool(_FIGURE_LABEL.match(text) or _TABLE_LABEL.match(text))


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
        if not _may_be_caption(region) or names_part(region.text) != parts:
            continue
        place = region.text_box
        home = next((i for i, box in enumerate(figures) if inside(place, box) > 0.5), None)
        photo = figures[home] if home is not None and home in photos else None
        if _is_page_text(region, photo, layout):
            continue
        for target, (box, is_table) in enumerate(targets):
            if home in (None, target):
                score = _score(region, box, is_table, layout, target in photos)
                alone = _stands_alone(index, box, layout) or _says_all(region, box, layout)
                score = max(score, TITLE_SCORE * alone)
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
    beside = side == "beside" and near and layout.regions[index].kind != "list-item"
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


def _is_page_text(region: Region, photo: BBox | None, layout: Layout) -> bool:
    """Whether a text, on a photo or on none, is the page's: its running title, or the title and
    text that stand on a photo which fills it."""
    if photo and area(photo) > FULL_PAGE * layout.width * layout.height:
        return not has_label(region.text)
    at_edge = photo is None or _at_edge(region.text_box, layout)
    return region.kind in _ONLY_ON_PHOTOS and at_edge


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


def _says_all(region: Region, figure: BBox, layout: Layout) -> bool:
    """Is a text all that a slide says in the column of the figure under it?"""
    text = region.text_box
    words = sum(len(line.text.split()) for line in layout.lines)
    is_slide = layout.width > layout.height and words <= SLIDE_WORDS
    if region.kind != "text" or not is_slide or text[3] > figure[1] + 4:
        return False
    column = union((text, figure))
    below = [line.box for line in layout.lines if line.box[1] > text[1] - 4]
    others = [
        box
        for box in below
        if max(inside(box, text), inside(box, figure)) < 0.5 and x_overlap(box, column) > 0.1
    ]
    short = len(region.text.split()) <= 3 * MAX_LABEL
    return short and x_overlap(text, figure) > 0.8 and not others


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
    large = 0.15 * (region.type_size > (DISPLAY if side == "inside" else 1.5) * layout.body_size)
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
