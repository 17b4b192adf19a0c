"""Texts on photos: which of them name the photo, and which are the page's own."""

from __future__ import annotations

import pytest

from brit.documents.captions import assign_captions
from brit.documents.cuts import split_numerals
from brit.documents.layout import Layout, Line, Region
from brit.types import BBox

PAGE = (500.0, 700.0)


def text(kind: str, words: str, box: BBox, size: float = 10.0) -> Region:
    return Region(kind, box, (Line(words, box, size),))


def layout(*regions: Region) -> Layout:
    lines = tuple(line for region in regions for line in region.lines)
    return Layout(*PAGE, regions, lines, 10.0)


def named(figure: BBox, *regions: Region) -> list[str]:
    found = assign_captions([figure], [], layout(*regions), {0})
    return [regions[caption.region].text for caption in found]


@pytest.mark.parametrize(
    ("photo", "expected"),
    [((0, 300, 500, 640), ["Lina Orvell, Year 2"]), ((0, 0, 500, 700), [])],
    ids=["a photo", "a photo that fills the page"],
)
def test_a_text_on_a_photo_names_it_unless_the_photo_is_the_page(
    photo: BBox, expected: list[str]
) -> None:
    assert named(photo, text("text", "Lina Orvell, Year 2", (40, 600, 180, 612))) == expected


def test_a_numbered_caption_on_a_page_that_is_a_photo_stays_one() -> None:
    label = text("caption", "Figure 2. The harbour at night.", (40, 600, 240, 612))
    assert named((0, 0, 500, 700), label) == ["Figure 2. The harbour at night."]


def test_a_text_on_the_photo_goes_before_the_heading_over_it() -> None:
    heading = text("section-header", "Scholars", (40, 270, 120, 290), 16)
    label = text("text", "Lina Orvell, Year 2", (40, 600, 180, 612))
    photo: BBox = (0, 300, 500, 640)
    assert named(photo, heading, label) == ["Lina Orvell, Year 2"]
    assert named(photo, heading) == ["Scholars"]


def test_a_huge_numeral_is_no_part_of_the_text_beside_it() -> None:
    numeral = Line("7", (450, 40, 490, 130), 90)
    words = Line("Be among the best of the region.", (300, 200, 440, 212), 10)
    mixed = Region("text", (300, 40, 490, 212), (numeral, words))
    cut = split_numerals(layout(mixed))
    assert [region.text for region in cut.regions] == ["7", "Be among the best of the region."]
    assert cut.regions[1].box == words.box
    alone = layout(Region("text", numeral.box, (numeral,)))
    assert split_numerals(alone) == alone
