"""Evidence → units: the sentences, table rows, captions and facts that an answer may quote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from brit.generation.evidence import Evidence, fact, plain, where
from brit.generation.language import PRONOUNS, UNSPACED

UnitKind = Literal["text", "heading", "caption", "fact"]

HEADING_WORDS = 8
# A full stop after an initial or a title ends no sentence: «W. H. Streeter», «Dr. Abel».
_INITIAL = r"(?<!\s[^\W\d_a-z]\.)(?<!^[^\W\d_a-z]\.)(?<!\.[^\W\d_a-z]\.)"
_TITLE = "".join(
    rf"(?<!\b{title}\.)" for title in ("Dr", "Mr", "Mrs", "Ms", "St", "Prof", "No", "Fig")
)
_SENTENCE_END = re.compile(rf"(?<=[.!?؟]){_INITIAL}{_TITLE}\s+(?=[^a-z])|(?<=[。！？])|\s[•·]\s")
_BULLETS = "•●○■▪◦·*–—- "
_CLOSED = re.compile(r"[.!?:;,。！？؟|…]\W*$")
_ENDED = re.compile(r"[.!?。！？؟]\W*$")
CELL = "; "
_EARLY = 3  # words in which a pronoun surely refers back
_POSSESSIVE = re.compile(r"(?:its|their|his|her|ihre?\w?|seine?\w?|leurs?|ses|sus?)$")
_POSSESSIVE_WORDS = 8


@dataclass(frozen=True)
class Unit:
    """`number` is what it is cited by; 0 for a fact, whose `source` is told in words instead.

    `document` is the name of the one it stands in. `place` counts the units of one passage;
    `heading` is the line that stands above it there, and `before` the sentence that one with a
    pronoun refers to; `opens` says whether it begins a line.
    """

    text: str
    number: int
    rank: int
    kind: UnitKind = "text"
    place: int = 0
    heading: str = ""
    before: str = ""
    opens: bool = True
    source: str = ""
    document: str = ""

    @property
    def whole(self) -> str:
        """What can be understood by itself."""
        return f"{self.before} {self.text}".strip()


def list_units(evidence: Evidence) -> list[Unit]:
    """Of passages, captions and triplets, each text once: by its picture where it is a caption,
    by its passage where one holds it."""
    found = evidence.retrieval
    captions = [
        Unit(
            plain(image.caption),
            evidence.image_number(rank),
            rank,
            "caption",
            document=image.document,
        )
        for rank, image in enumerate(found.images[: evidence.images])
        if image.caption
    ]
    passages = [
        replace(unit, document=passage.document)
        for rank, passage in enumerate(found.passages[: evidence.passages])
        for unit in split_passage(passage.text, rank + 1, rank)
    ]
    facts = [
        Unit(
            plain(t.text) or fact(t),
            0,
            rank,
            "fact",
            source=where(t.document, t.page),
            document=t.document,
        )
        for rank, t in enumerate(found.triplets[: evidence.triplets])
    ]
    shown = " | ".join(_key(caption.text) for caption in captions)
    told = " ".join(plain(p.text) for p in found.passages[: evidence.passages]).casefold()
    units = [
        *(unit for unit in passages if _key(unit.text) not in shown),
        *captions,
        *(unit for unit in facts if _key(unit.text) not in told and _key(unit.text) not in shown),
    ]
    return list({_key(unit.text): unit for unit in reversed(units)}.values())[::-1]


def split_passage(text: str, number: int, rank: int) -> Iterator[Unit]:
    """Its headings, sentences and rows in reading order, each with the heading above it."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    heading, before, place = "", "", 0
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if is_heading(line, below):
            heading, before = plain(line).lstrip(_BULLETS), ""
            yield Unit(heading, number, rank, "heading", place, heading)
            place += 1
            continue
        opens = True
        for part in _SENTENCE_END.split(line):
            sentence = plain(part).lstrip(_BULLETS)
            if len(sentence.split()) > 2 or UNSPACED.search(sentence):
                lead = before if refers_back(sentence) else ""
                yield Unit(sentence, number, rank, "text", place, heading, lead, opens)
                before, place, opens = sentence, place + 1, False


def is_heading(line: str, below: str) -> bool:
    """A short line without a full stop above one that is longer or has one."""
    words = len(line.split())
    return (
        words <= HEADING_WORDS
        and not _CLOSED.search(line)
        and ";" not in line
        and (len(below.split()) > HEADING_WORDS or bool(_CLOSED.search(below)))
    )


def is_row(text: str) -> bool:
    """Whether it is a table row, whose cells were put side by side when the document was read:
    «Weight; Ossimar: 8.7 kg; Tellune: 24 kg»."""
    return CELL in text and not _ENDED.search(text)


def refers_back(text: str) -> bool:
    """Whether the sentence begins with a pronoun that the sentence before it explains."""
    words = text.casefold().split()
    early = (word.strip("’'s.,:") for word in words[:_EARLY])
    if any(word in PRONOUNS for word in early):
        return True
    opening = " ".join(words[:_POSSESSIVE_WORDS]).split(",")[0].split()
    return any(_POSSESSIVE.match(word) for word in opening)


def _key(text: str) -> str:
    return text.casefold().rstrip(". ")
