"""Where a region's lines end because their author ended them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from brit.documents.layout import Line, Region

LETTER = 5.0  # points


def region(lines: Sequence[str], fonts: Sequence[str]) -> Region:
    made = [
        Line(text, (50.0, 14.0 * at, 50 + LETTER * len(text), 12 + 14.0 * at), 10.0, (font, font))
        for at, (text, font) in enumerate(zip(lines, fonts, strict=True))
    ]
    return Region("text", (50, 0, 400, 100), tuple(made))


@pytest.mark.parametrize(
    "lines",
    [
        "Maren Tosk/Founder and managing director",
        "Quay 7/9990 Hallskar/Open from nine to five o'clock",
        "The band is amber. It was~Chosen by those who moor it.",  # the next word had no room
        "Before she came~to the fjord she repaired organs there.",  # the sentence goes on
    ],
)
def test_a_line_that_had_room_for_the_next_word_was_ended(lines: str) -> None:
    """`/` stands for the end of a line that its author ended, `~` for another."""
    parts = re.split("[/~]", lines)
    shown = region(parts, ["Serif"] * len(parts)).broken_text
    assert shown == lines.replace("/", "\n").replace("~", " ")


def test_a_line_ends_where_the_type_changes() -> None:
    lines = ["Idris Falcovar", "Head of design"]
    assert region(lines, ["Bold", "Light"]).broken_text == "Idris Falcovar\nHead of design"
    assert region(lines, ["Bold", "Bold"]).broken_text == "Idris Falcovar Head of design"


def test_a_word_cut_at_the_end_of_a_line_is_whole() -> None:
    lines = ["Quillo dives two hun-", "dred metres and comes back."]
    assert region(lines, ["", ""]).broken_text == "Quillo dives two hundred metres and comes back."


def test_lines_side_by_side_are_one() -> None:
    label = Line("Depth", (50, 100, 75, 112), 10, ("Bold", "Bold"))
    value = Line("200 metres, whatever the weather", (90, 100, 250, 112), 10, ("Light", "Light"))
    shown = Region("text", (50, 100, 400, 112), (label, value)).broken_text
    assert shown == "Depth 200 metres, whatever the weather"
