"""Evidence read for comparing: sentences with their words, names and numbers, and labels that stand
together in a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from brit.types import Finding
from brit.verification.layout import blocks
from brit.verification.measured import is_own_weight, is_said, is_weight
from brit.verification.quantities import MEASURE_WORDS, Quantity, quantities
from brit.verification.wording import content, cut_sentences, is_code, names, stem, words

TEXTUAL = frozenset(("passage", "triplet", "caption", "search", "scene-text"))
SHORT = 4
"""Words up to which a sentence read in a picture is a label."""
_FRAME_WORDS = "picture image photo photograph figure show shown shows see seen depicts zeigt bild"
_FRAME = frozenset(stem(word) for word in _FRAME_WORDS.split())


@dataclass(frozen=True)
class Reading:
    """What is compared of a text: stems of words that are neither name nor unit, names, numbers."""

    text: str
    words: frozenset[str]
    names: frozenset[str]
    numbers: tuple[Quantity, ...]
    label: bool = False
    """Whether it is a label with the only mass in its picture."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of all its words."""
        return frozenset(map(stem, words(self.text)))

    @property
    def measures(self) -> list[Quantity]:
        return [number for number in self.numbers if not number.of_name]

    @property
    def numbered(self) -> set[tuple[str, tuple[float, ...]]]:
        """The numbers that belong to names: the 40 of «Nimbus 40»."""
        return {(number.kind, number.values) for number in self.numbers if number.of_name}

    def holds(self, number: Quantity) -> bool:
        return any(number.equals(other) for other in self.numbers)


@dataclass(frozen=True)
class Statement:
    """A sentence of the evidence; `context` is its finding up to it, where «it» was named, or all
    that is read in its picture."""

    findings: tuple[int, ...]
    reading: Reading
    context: Reading

    def is_about(self, claim: Reading) -> bool:
        """Whether it speaks of what the claim names: itself, or before it with no name of its own
        in between."""
        if _names_all(self.reading, claim):
            return True
        own = self._rivals(claim) or self.reading.numbered - claim.numbered
        return not own and _names_all(self.context, claim)

    def _rivals(self, claim: Reading) -> list[str]:
        """Names of its own that it may speak of instead: its first word, a code, or a name beside
        another; a capital alone inside a line is often a mere label."""
        listed = words(self.reading.text)
        own = self.reading.names - claim.names
        capital = [False, *(word[0].isupper() for word in listed), False]
        return [
            word
            for i, word in enumerate(listed)
            if word.casefold() in own
            and stem(word) not in claim.words
            and (i == 0 or is_code(word) or capital[i] or capital[i + 2])
        ]


def read(text: str, known: Iterable[str] = ()) -> Reading:
    named = frozenset(name.casefold() for name in names(text, frozenset(known)))
    named = frozenset(name for name in named if stem(name) not in MEASURE_WORDS)
    plain = content(text) - MEASURE_WORDS - _FRAME - {stem(name) for name in named}
    return Reading(text, frozenset(plain), named, tuple(quantities(text)))


def coverage(claim: Reading, statements: Sequence[Reading]) -> float:
    """Share of the claim's words that stand in the statements; 1 for a claim of numbers alone."""
    said = {word for word in claim.words if any(_says(each, word) for each in statements)}
    return len(said) / len(claim.words) if claim.words else 1.0


def _says(there: Reading, word: str) -> bool:
    if there.label and is_weight(word):
        return True
    return is_said(word, there.stems, [number.kind for number in there.measures])


def statements(findings: Sequence[Finding], known: frozenset[str]) -> Iterator[Statement]:
    for position, finding in enumerate(findings):
        if finding.kind in TEXTUAL and not _is_line(finding):
            for start, end in cut_sentences(finding.text):
                context = read(f"{finding.subject} {finding.text[:end]}", known)
                yield Statement((position,), read(finding.text[start:end], known), context)
    shown = {each.picture for each in findings if each.picture is not None and _is_line(each)}
    for picture in sorted(shown):
        yield from _picture_statements(findings, picture, known)


def _is_line(finding: Finding) -> bool:
    return finding.kind == "scene-text" and finding.picture is not None and finding.box is not None


def _picture_statements(
    findings: Sequence[Finding], picture: int, known: frozenset[str]
) -> Iterator[Statement]:
    """Sentences of the lines that stand under one another."""
    found = list(blocks(findings, picture))
    context = read("\n".join(findings[i].text for block in found for i in block), known)
    masses = {number.values for number in context.numbers if number.kind == "mass"}
    for block in found:
        text = " ".join(findings[i].text for i in block)
        for start, end in cut_sentences(text):
            reading = read(text[start:end], known)
            label = len(masses) == 1 and _is_weight_label(reading)
            lines = _lines_between(findings, block, start, end)
            yield Statement(lines, replace(reading, label=label), context)


def _is_weight_label(reading: Reading) -> bool:
    massed = any(number.kind == "mass" for number in reading.numbers)
    return massed and len(reading.words) <= SHORT and is_own_weight(reading.words)


def _lines_between(
    findings: Sequence[Finding], block: Sequence[int], start: int, end: int
) -> tuple[int, ...]:
    """The lines of a block, joined by spaces, that hold these characters."""
    held, place = [], 0
    for position in block:
        after = place + len(findings[position].text)
        if place < end and start < after:
            held.append(position)
        place = after + 1
    return tuple(held)


def _names_all(text: Reading, claim: Reading) -> bool:
    there = {word.casefold() for word in words(text.text)}
    return claim.names <= there and claim.numbered <= text.numbered
