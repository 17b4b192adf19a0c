"""Questions without a model, from captions, tables and triplets; they measure recall only.

What a model would see in a picture nobody sees here: pictures are named by words written in them.

- text-image, caption: a name in the caption is left out of a sentence elsewhere that says something
  else of it; text leads to the name, the name to the image;
- text-image, section: two names that stand together in the image's section only;
- image-text, caption: words written in the picture lead to what its caption says;
- image-text, section: they lead to what the text of its section says of a name that other sections
  have too, so that only the picture tells which is meant, or to a cell of a table;
- image-image: words written in the picture, nothing to be crossed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brit.evaluation.benchmark.making import Draft
from brit.evaluation.benchmark.material import Catalogue, Fact, sentences, written_words
from brit.evaluation.benchmark.sampling import Slot
from brit.evaluation.benchmark.validation import question_for
from brit.types import StoredBlock, TableBlock

BLANK = "____"
MIN_LABEL = 4  # characters
MIN_WORDS, MAX_WORDS = 6, 30
"""Of a sentence that is quoted."""
MIN_CAPTION = 4  # words
MAX_EVIDENCE = 60  # words
IN_PICTURE = 0.5
"""Share of a caption's words; one of which more is written in the picture asks for no text."""
MAX_HEAD = 6  # words; a longer head of a column is one that was put together wrongly
_ENDS = (".", "!", "?")
_NEVER = ("is mentioned with", "relates to")
"""Relations the fallback writes where it knows none."""


class EmbeddedGenerator:
    """Slot → drafts, best first, or why there is none."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __call__(self, slot: Slot) -> Iterator[Draft]:
        if slot.type == "text-image":
            by = self._by_caption if slot.source == "caption" else self._by_section
            yield from by(slot)
            return
        words = self._catalogue.telling_words(slot.image)
        if not words:
            return
        written = _listed(words)
        if slot.type == "image-image":
            phrase = f"picture in which {written} are written"
            yield replace(question_for(slot, f"Where is the {phrase}?", written), phrase=phrase)
        elif slot.source == "caption":
            yield from self._to_caption(slot, written)
        else:
            yield from self._to_statement(slot, written)
            yield from self._to_cell(slot, written)

    def _by_caption(self, slot: Slot) -> Iterator[Draft]:
        for label in _labels(slot.document.captioned.get(slot.image.id, ())):
            if self._catalogue.captions_naming(label) > 1:
                yield "several right"
                continue
            for fact in _facts_about(label, slot):
                if cloze := leave_out(label, fact.sentence):
                    asked = f"Which picture shows what “{BLANK}” stands for in “{cloze}”?"
                    yield question_for(slot, asked, label, (fact.sentence,), blocks=(fact.block,))

    def _by_section(self, slot: Slot) -> Iterator[Draft]:
        document, image = slot.document, slot.image
        if len(document.beside(image)) > 1:
            yield "several right"
            return
        shown = f"{image.caption} {image.text}".casefold()
        beside = {each.id for each in near_blocks(slot)} & document.prose.keys()
        for fact in document.facts:
            ends = (fact.subject, fact.object)
            if fact.block not in beside or any(len(end) < MIN_LABEL for end in ends):
                continue
            if any(end.casefold() in shown for end in ends) or _within(*ends):
                continue
            if self._catalogue.sections_joining(fact) > 1:
                yield "several right"
                continue
            asked = (
                "Which picture stands in the part of the document that speaks of "
                f"“{fact.subject}” together with “{fact.object}”?"
            )
            yield question_for(slot, asked, "", (fact.sentence,), blocks=(fact.block,))

    @staticmethod
    def _to_caption(slot: Slot, written: str) -> Iterator[Draft]:
        caption = " ".join(slot.image.caption.split())
        said, seen = written_words(caption), written_words(slot.image.text)
        if said and sum(word in seen for word in said) >= IN_PICTURE * len(said):
            return
        if MIN_CAPTION <= len(caption.split()) <= MAX_EVIDENCE:
            asked = f"What does the caption of the picture say in which {written} are written?"
            yield question_for(
                slot, asked, caption, (caption,), evidence=caption, blocks=(slot.image.block,)
            )

    def _to_statement(self, slot: Slot, written: str) -> Iterator[Draft]:
        document, section = slot.document, slot.image.section
        said = sentences("\n\n".join(
            document.prose[each.id] for each in near_blocks(slot) if each.id in document.prose
        ))  # fmt: skip
        whole = document.section_texts.get(section, "").casefold()
        for fact in document.facts:
            sentence, name = " ".join(fact.sentence.split()), fact.subject
            if sentence not in said or fact.relation in _NEVER or not _is_told(name, sentence):
                continue
            if whole.count(name.casefold()) > 1 or self._catalogue.sections_naming(name) < 2:
                continue
            asked = (
                f"In one picture {written} are written. "
                f"What does the text of its section say of “{name}”?"
            )
            yield question_for(
                slot, asked, fact.object, (sentence,), evidence=sentence, blocks=(fact.block,)
            )

    @staticmethod
    def _to_cell(slot: Slot, written: str) -> Iterator[Draft]:
        for stored in near_blocks(slot):
            table = stored.block
            if not isinstance(table, TableBlock) or len(table.header) < 2:
                continue
            for row in table.rows:
                head, column, cell = row[0].strip(), table.header[1].strip(), row[1].strip()
                if not (head and column and len(cell) > 1) or len(column.split()) > MAX_HEAD:
                    continue
                asked = (
                    f"In one picture {written} are written. In the table of its section, "
                    f"what stands under “{column}” for “{head}”?"
                )
                fact = " ".join(" ".join(row).split())
                yield question_for(slot, asked, cell, (fact,), evidence=fact, blocks=(stored.id,))


def leave_out(label: str, sentence: str) -> str:
    """The sentence with a blank for the name, cut to the words around it; "" where the name does
    not stand in it once, or too little is left."""
    text, count = re.subn(
        rf"(?<!\w){re.escape(label)}(?!\w)", BLANK, " ".join(sentence.split()), flags=re.IGNORECASE
    )
    words = text.split()
    if count != 1 or len(words) < MIN_WORDS:
        return ""
    at = next(at for at, word in enumerate(words) if BLANK in word)
    start = max(0, min(at - MAX_WORDS // 2, len(words) - MAX_WORDS))
    return " ".join(words[start : start + MAX_WORDS])


def near_blocks(slot: Slot) -> list[StoredBlock]:
    """Blocks of the image's section on its page: a section of several pages is mostly no section of
    the image, and one that ends on the page before is none."""
    here = slot.image.page
    return [
        each for each in slot.document.sections.get(slot.image.section, ())
        if here is None or each.page is None or each.page == here
    ]  # fmt: skip


def _is_told(name: str, sentence: str) -> bool:
    """Whether it is a whole sentence of some length that begins with the name."""
    words = len(sentence.split()) if sentence.endswith(_ENDS) else 0
    begins = re.match(rf"(?:(?:the|an?)\s+)?{re.escape(name)}\b", sentence, re.IGNORECASE)
    return bool(begins) and len(name) >= MIN_LABEL and MIN_WORDS <= words <= MAX_EVIDENCE


def _within(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one in other or other in one


def _labels(labels: Sequence[str]) -> list[str]:
    """Longest first: what is longer says more, and a single word too little."""
    return sorted({each for each in labels if " " in each}, key=lambda x: (-len(x), x))


def _facts_about(label: str, slot: Slot) -> list[Fact]:
    """What prose outside the caption says of it; what a verb says first."""
    name = label.casefold()
    caption = " ".join(slot.image.caption.split()).casefold()
    found = {
        fact.sentence: fact
        for fact in slot.document.facts
        if name in (fact.subject.casefold(), fact.object.casefold())
        and fact.block in slot.document.prose
        and " ".join(fact.sentence.split()).casefold() not in caption
    }
    return sorted(found.values(), key=lambda fact: fact.relation in _NEVER)


def _listed(words: Sequence[str]) -> str:
    quoted = [f"“{word}”" for word in words]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
