"""Figures that nothing but their numbered caption points to, on pages made here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brit.documents.layout import Layout, Line, Region
from brit.documents.placements import Mark
from brit.documents.promises import find_promised
from brit.types import BBox

BARS = [Mark("vector", (100.0, 100.0 + 30 * i, 300.0, 120.0 + 30 * i)) for i in range(4)]
PLACE: BBox = (100.0, 100.0, 300.0, 210.0)


def _text(kind: str, text: str, box: BBox) -> Region:
    return Region(kind, box, (Line(text, box, 10.0),))


def _layout(*regions: Region) -> Layout:
    lines = tuple(line for region in regions for line in region.lines)
    return Layout(500.0, 700.0, regions, lines, 10.0)


CAPTION = _text("caption", "Figure 4: What the screen shows.", (90.0, 218.0, 320.0, 230.0))


def test_numbered_caption_points_to_what_is_drawn_above_it() -> None:
    assert find_promised([], _layout(CAPTION), BARS) == [pytest.approx(PLACE)]


def test_caption_that_has_its_figure_promises_no_other() -> None:
    assert find_promised([PLACE], _layout(CAPTION), BARS) == []


@pytest.mark.parametrize(
    "text", ["Figure 4 shows what the screen shows.", "What the screen shows in the evening."]
)
def test_sentences_promise_nothing(text: str) -> None:
    sentence = replace(CAPTION, kind="text", lines=(Line(text, CAPTION.box, 10.0),))
    assert find_promised([], _layout(sentence), BARS) == []


def test_frames_of_paragraphs_are_no_figures() -> None:
    prose = _text("text", "A line of running text, as wide as the frame.", (110, 140, 290, 152))
    assert find_promised([], _layout(prose, CAPTION), BARS) == []
