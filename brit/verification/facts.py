"""A claim beside sentences of evidence: names, numbers with units, negation.

Nothing in the evidence is read as anything but words to compare: a sentence that gives orders
changes a verdict only as far as its own names and numbers are those of the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from brit.types import Check, Claim, Finding
from brit.verification.quantities import MEASURE_WORDS, Quantity, quantities
from brit.verification.wording import (
    content,
    cut_sentences,
    is_code,
    is_negated,
    names,
    stem,
    words,
)

TEXTUAL = frozenset(("passage", "triplet", "caption", "search", "scene-text"))
RELEVANT = 0.5
"""Share of a claim's words from which on a sentence is about the same."""
ENOUGH = 0.75
"""Share from which on sentences say all of a claim, its names and numbers apart, which must fit."""
ALMOST_ALL = 0.9
LONGER = 2
"""How many times as long a sentence may be and still say the same of another name."""
VERBATIM = 4
"""Words from which on a quotation supports itself, whatever stands around it."""
MOST_EVIDENCE = 3
_FRAME_WORDS = "picture image photo photograph figure show shown shows see seen depicts zeigt bild"
_FRAME = frozenset(stem(word) for word in _FRAME_WORDS.split())


@dataclass(frozen=True)
class Reading:
    """What is compared of a text: stems of words that are neither name nor unit, names, numbers."""

    text: str
    words: frozenset[str]
    names: frozenset[str]
    numbers: tuple[Quantity, ...]

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
    """A sentence of the evidence; `context` is its finding up to it, where «it» was named."""

    finding: int
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


def check_fact(claim: Claim, findings: Sequence[Finding]) -> Check:
    """Whether the evidence says it, says otherwise, or does not say."""
    if (found := _word_for_word(claim.text, findings)) is not None:
        return Check("fact", "supported", "It stands there word for word.", (found,))
    known = frozenset(
        name.casefold() for each in findings if each.kind in TEXTUAL for name in names(each.text)
    )
    said = read(claim.text, known)
    statements = list(_statements(findings, known))
    near = [
        each
        for each in statements
        if each.is_about(said) and coverage(said, [each.reading]) >= RELEVANT
    ]
    if clash := _other_number(said, near) or _other_name(said, statements) or _denial(said, near):
        return Check("fact", "contradicted", *clash)
    near.sort(key=lambda each: -coverage(said, [each.reading]))
    used = _evidence(near)
    numbers = [number for each in near for number in each.reading.measures]
    fits = not unpair(said.measures, numbers)[0]
    if near and fits and coverage(said, [each.reading for each in near]) >= ENOUGH:
        return Check("fact", "supported", f"The evidence says so: {_quote(near[0])}", used)
    if near:
        return Check("fact", "unverifiable", "The evidence says only a part of it.", used)
    return Check("fact", "unverifiable", "No evidence speaks to it.")


def _word_for_word(text: str, findings: Sequence[Finding]) -> int | None:
    """The first finding that holds the whole claim, capitals and punctuation apart."""
    wanted = [word.casefold() for word in words(text)]
    if len(wanted) < VERBATIM:
        return None
    quoted = f" {' '.join(wanted)} "
    for position, finding in enumerate(findings):
        if finding.kind in TEXTUAL:
            there = " ".join(word.casefold() for word in words(finding.text))
            if quoted in f" {there} ":
                return position
    return None


def read(text: str, known: Iterable[str] = ()) -> Reading:
    named = frozenset(name.casefold() for name in names(text, frozenset(known)))
    named = frozenset(name for name in named if stem(name) not in MEASURE_WORDS)
    plain = content(text) - MEASURE_WORDS - _FRAME - {stem(name) for name in named}
    return Reading(text, frozenset(plain), named, tuple(quantities(text)))


def coverage(claim: Reading, statements: Sequence[Reading]) -> float:
    """Share of the claim's words that stand in the statements; 1 for a claim of numbers alone."""
    there = {stem(word) for each in statements for word in words(each.text)}
    return len(claim.words & there) / len(claim.words) if claim.words else 1.0


def _statements(findings: Sequence[Finding], known: frozenset[str]) -> Iterator[Statement]:
    for position, finding in enumerate(findings):
        if finding.kind in TEXTUAL:
            for start, end in cut_sentences(finding.text):
                context = read(f"{finding.subject} {finding.text[:end]}", known)
                yield Statement(position, read(finding.text[start:end], known), context)


def _names_all(text: Reading, claim: Reading) -> bool:
    there = {word.casefold() for word in words(text.text)}
    return claim.names <= there and claim.numbered <= text.numbered


def _other_number(said: Reading, near: Sequence[Statement]) -> tuple[str, tuple[int, ...]] | None:
    """A number of the claim that no relevant sentence has, while one has another of its kind."""
    if not said.names and len(said.words) < 2:
        return None  # «It weighs 12 kg»: of what?
    unpaired = [unpair(said.measures, each.reading.measures) for each in near]
    for number in said.measures:
        if not number.kind or any(number not in mine for mine, _ in unpaired):
            continue
        for each, (_, theirs) in zip(near, unpaired, strict=True):
            others = [other for other in theirs if other.kind == number.kind]
            if others and coverage(said, [each.reading]) >= ENOUGH:
                reason = f"The claim has {number.text}, the evidence {others[0].text}: "
                return reason + _quote(each), (each.finding,)
    return None


def unpair(
    mine: Sequence[Quantity], theirs: Sequence[Quantity]
) -> tuple[list[Quantity], list[Quantity]]:
    """What is left of both when equal numbers are taken away in pairs."""
    left, rest = [], list(theirs)
    for number in mine:
        partner = next((other for other in rest if number.equals(other)), None)
        if partner is None:
            left.append(number)
        else:
            rest.remove(partner)
    return left, rest


def _other_name(
    said: Reading, statements: Sequence[Statement]
) -> tuple[str, tuple[int, ...]] | None:
    """A sentence that says the same of another name, while the claim's stands nowhere."""
    everywhere = {word.casefold() for each in statements for word in words(each.context.text)}
    missing = said.names - everywhere
    rest = set(said.words) | {stem(name) for name in said.names - missing}
    if not missing or len(rest) < max(2, len(missing) + 1):
        return None
    for each in statements:
        if _says_same(said, rest, each.reading) and _could_stand_for(missing, said, each.reading):
            reason = f"The evidence has no {', '.join(sorted(missing))}, but says: {_quote(each)}"
            return reason, (each.finding,)
    return None


def _says_same(said: Reading, rest: set[str], there: Reading) -> bool:
    """Whether a sentence of about the same length has the rest of the claim and its numbers."""
    size = len(there.words) + len(there.names)
    same = len(rest & {stem(word) for word in words(there.text)}) >= ALMOST_ALL * len(rest)
    short = size <= LONGER * (len(said.words) + len(said.names))
    return same and short and all(there.holds(number) for number in said.measures)


def _could_stand_for(missing: frozenset[str], said: Reading, there: Reading) -> bool:
    """Whether it has another name in the place of the missing: a code for a code."""
    others = {name for name in there.names - said.names if stem(name) not in said.words}
    coded = any(c.isdigit() for name in missing for c in name)
    return any(not coded or any(c.isdigit() for c in name) for name in others)


def _denial(said: Reading, near: Sequence[Statement]) -> tuple[str, tuple[int, ...]] | None:
    """The same words and numbers with a «not» more or less, and no sentence that agrees."""
    denied = is_negated(said.text)
    same = [
        each
        for each in near
        if coverage(said, [each.reading]) >= ALMOST_ALL
        and coverage(each.reading, [said]) >= ENOUGH
        and all(each.reading.holds(number) for number in said.measures)
    ]
    if same and all(is_negated(each.reading.text) != denied for each in same):
        return f"The evidence says the opposite: {_quote(same[0])}", (same[0].finding,)
    return None


def _evidence(near: Sequence[Statement]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each.finding for each in near))[:MOST_EVIDENCE]


def _quote(statement: Statement) -> str:
    text = " ".join(statement.reading.text.split())
    return f"“{text[:200]}…”" if len(text) > 200 else f"“{text}”"
