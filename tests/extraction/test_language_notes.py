"""What is said of languages the parser does not read."""

from __future__ import annotations

from brit.extraction.language import tell_unparsed
from brit.extraction.spacy_extractor import SpacyExtractor
from brit.types import StoredBlock, TextBlock


def test_languages_worth_a_note() -> None:
    notes = tell_unparsed({"en": 900, "ja": 80, "de": 20})
    assert len(notes) == 1
    assert notes[0].startswith("Japanese: the parser is English")
    assert tell_unparsed({}) == tell_unparsed({"en": 5}) == ()


def test_the_extractor_notes_them() -> None:
    text = "レーザーレーダーで人を検知する。" * 3
    block = StoredBlock("b", "d", 1, 0, TextBlock(text, "paragraph"))
    assert SpacyExtractor().extract([block]).notes[0].startswith("Japanese")
