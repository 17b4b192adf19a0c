"""A claim beside sentences of evidence: names, numbers with units, negation.

Nothing in the evidence is read as anything but words to compare: a sentence that gives orders
changes a verdict only as far as its own names and numbers are those of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brit.types import Check, Claim, Finding
from brit.verification.quantities import Quantity
from brit.verification.statements import TEXTUAL, Reading, Statement, coverage, read, statements
from brit.verification.subjects import stated
from brit.verification.wording import is_negated, names, stem, words

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


def check_fact(claim: Claim, findings: Sequence[Finding]) -> Check:
    """Whether the evidence says it, says otherwise, or does not say."""
    if (found := _word_for_word(claim.text, findings)) is not None:
        return Check("fact", "supported", "It stands there word for word.", (found,))
    known = frozenset(
        name.casefold() for each in findings if each.kind in TEXTUAL for name in names(each.text)
    )
    said = read(stated(claim), known)
    every = list(statements(findings, known))
    near = [
        each for each in every if each.is_about(said) and coverage(said, [each.reading]) >= RELEVANT
    ]
    if clash := _other_number(said, near) or _other_name(said, every) or _denial(said, near):
        return Check("fact", "contradicted", *clash)
    near.sort(key=lambda each: (_lacking(said, each), -coverage(said, [each.reading])))
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


def is_related(claim: Claim, finding: Finding) -> bool:
    """Whether it names what the claim names, or has half of the claim's words and more than one."""
    said = read(stated(claim))
    there = {stem(word) for word in words(f"{finding.subject} {finding.text}")}
    if any(stem(name) in there for name in said.names):
        return True
    fewest = 2 if said.names or claim.subject else min(2, len(said.words))
    shared = len(said.words & there)
    return bool(shared) and shared >= max(fewest, RELEVANT * len(said.words))


def _other_number(said: Reading, near: Sequence[Statement]) -> tuple[str, tuple[int, ...]] | None:
    """A number of the claim that no relevant sentence has, while one has another of its kind."""
    if not said.names and len(said.words) < 2:
        return None  # «It weighs 12 kg»: of what?
    unpaired = [unpair(said.measures, each.reading.measures) for each in near]
    for number in said.measures:
        if not number.kind or any(number not in mine for mine, _ in unpaired):
            continue
        # That both count people says nothing of what these do.
        rest = replace(said, words=said.words - {number.kind})
        for each, (_, theirs) in zip(near, unpaired, strict=True):
            others = [other for other in theirs if other.kind == number.kind]
            if others and coverage(rest, [each.reading]) >= ENOUGH:
                reason = f"The claim has {number.text}, the evidence {others[0].text}: "
                return reason + _quote(each), each.findings
    return None


def _lacking(said: Reading, there: Statement) -> int:
    return len(unpair(said.measures, there.reading.measures)[0])


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


def _other_name(said: Reading, every: Sequence[Statement]) -> tuple[str, tuple[int, ...]] | None:
    """A sentence that says the same of another name, while the claim's stands nowhere."""
    everywhere = {word.casefold() for each in every for word in words(each.context.text)}
    missing = said.names - everywhere
    rest = set(said.words) | {stem(name) for name in said.names - missing}
    if not missing or len(rest) < max(2, len(missing) + 1):
        return None
    for each in every:
        if _says_same(said, rest, each.reading) and _could_stand_for(missing, said, each.reading):
            reason = f"The evidence has no {', '.join(sorted(missing))}, but says: {_quote(each)}"
            return reason, each.findings
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
        return f"The evidence says the opposite: {_quote(same[0])}", same[0].findings
    return None


def _evidence(near: Sequence[Statement]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for each in near for i in each.findings))[:MOST_EVIDENCE]


def _quote(statement: Statement) -> str:
    text = " ".join(statement.reading.text.split())
    return f"“{text[:200]}…”" if len(text) > 200 else f"“{text}”"
