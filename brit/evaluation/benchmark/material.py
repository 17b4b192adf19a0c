"""What is known of the documents that questions are made of, and what in it is unique."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from brit.types import BBox, Image, StoredBlock, TableBlock, TextBlock

TELLING = 3
"""Words written in a picture that name it together."""
MIN_SIDE = 40.0
"""Points; what is lower or narrower on its page is a badge or an icon."""
_WRITTEN = re.compile(r"[^\W\d_]{4,}")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n{2,}")


@dataclass(frozen=True)
class Fact:
    """A triplet by the labels of its ends, with its sentence and its block."""

    subject: str
    relation: str
    object: str
    sentence: str
    block: str


@dataclass(frozen=True)
class Material:
    """One document. `captioned`: labels of the nodes each image is linked to by its caption (CA),
    or of those alone that a person `confirmed` for it."""

    id: str
    name: str
    images: tuple[Image, ...]
    blocks: tuple[StoredBlock, ...]
    facts: tuple[Fact, ...]
    captioned: Mapping[str, Sequence[str]]
    confirmed: frozenset[str] = frozenset()

    @cached_property
    def prose(self) -> dict[str, str]:
        """Block id → text, of blocks that say something: no headings, captions, running lines."""
        return {
            each.id: each.block.text
            for each in self.blocks
            if isinstance(each.block, TextBlock) and each.block.kind in ("paragraph", "list-item")
        }

    @cached_property
    def sections(self) -> dict[str, list[StoredBlock]]:
        """Section id → its blocks of text and its tables."""
        found: dict[str, list[StoredBlock]] = defaultdict(list)
        for each in self.blocks:
            if each.block.section and isinstance(each.block, TextBlock | TableBlock):
                found[each.block.section].append(each)
        return found

    @cached_property
    def section_texts(self) -> dict[str, str]:
        return {
            section: "\n".join(
                each.block.text for each in blocks if isinstance(each.block, TextBlock | TableBlock)
            )
            for section, blocks in self.sections.items()
        }

    @cached_property
    def section_of(self) -> dict[str, str]:
        return {each.id: each.block.section for each in self.blocks}

    @cached_property
    def askable(self) -> tuple[Image, ...]:
        """The images that are large enough to be asked about."""
        return tuple(
            each for each in self.images if not each.bbox or _shorter(each.bbox) >= MIN_SIDE
        )

    def beside(self, image: Image) -> list[Image]:
        """The images of its section, itself among them."""
        return [each for each in self.images if image.section and each.section == image.section]


class Catalogue:
    """A collection, and how often what a question would name stands in it."""

    def __init__(self, documents: Sequence[Material]) -> None:
        self.documents = {each.id: each for each in documents}
        images = [image for each in documents for image in each.images]
        self._written = {image.id: written_words(image.text) for image in images}
        self._count = Counter(word for words in self._written.values() for word in words)
        self._vocabulary = {
            word for each in documents for text in each.prose.values()
            for word in written_words(text)
        }  # fmt: skip
        self._named = Counter(
            label.casefold()
            for each in documents
            for labels in each.captioned.values()
            for label in set(labels)
        )
        self._sections = [
            text.casefold() for each in documents for text in each.section_texts.values()
        ]

    def telling_words(self, image: Image) -> tuple[str, ...]:
        """Words written in the picture that no caption or title says, the rarest of them, in
        reading order; none where they do not tell it from every other picture. Words that no text
        of the collection has are left out: most are misread."""
        known = {*written_words(f"{image.caption} {image.section_title}")}
        words = [word for word in self._written[image.id] if word in self._vocabulary - known]
        words.sort(key=lambda word: (self._count[word], -len(word), word))
        chosen = words[:TELLING]
        others = sum(set(chosen) <= set(there) for there in self._written.values())
        if len(chosen) < 2 or others > 1:
            return ()
        return tuple(word for word in self._written[image.id] if word in chosen)

    def sections_naming(self, label: str) -> int:
        """Sections whose text has the name."""
        return sum(label.casefold() in text for text in self._sections)

    def captions_naming(self, label: str) -> int:
        """Images whose caption names it."""
        return self._named[label.casefold()]

    def sections_joining(self, fact: Fact) -> int:
        """Sections whose text has both of its names."""
        one, other = fact.subject.casefold(), fact.object.casefold()
        return sum(one in text and other in text for text in self._sections)


def _shorter(box: BBox) -> float:
    """Of the sides."""
    return min(box[2] - box[0], box[3] - box[1])


def written_words(text: str) -> list[str]:
    """Words of four letters or more, each once, in small letters."""
    return list(dict.fromkeys(word.casefold() for word in _WRITTEN.findall(text)))


def sentences(text: str) -> list[str]:
    return [" ".join(part.split()) for part in _SENTENCE_END.split(text) if part.strip()]
