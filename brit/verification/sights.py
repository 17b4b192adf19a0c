"""A claim beside what was seen in the pictures: objects, their number, colour, position, text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from brit.types import BBox, Check, Claim, Finding, FindingKind, NamedObject, Support

WORST: tuple[Support, ...] = ("contradicted", "unverifiable", "supported")
COLOUR_SEEN = 0.15
"""Share of an object's pixels from which on it has a colour."""
COLOUR_MISSING = 0.03
NOWHERE = 0.002
"""Share of a whole picture's pixels below which a colour is not in it."""
NEAR = 0.6
"""Likeness of two texts from which on one is a misspelling of the other."""
DENSE = 25
"""Lines of text beyond which small lettering may have been overlooked."""

_PLACE = re.compile(
    r"\b(left|right|top|bottom|above|below|under|beneath)\b"
    r"(?P<of>(?:-?\s*hand)?(?:\s*side)?\s+of\s+)?",
    re.IGNORECASE,
)
_BETWEEN_TWO = frozenset(("above", "below", "under", "beneath"))
Kinds = Collection[FindingKind]


def check_objects(claim: Claim, findings: Sequence[Finding], looked: Kinds) -> Check:
    """Existence and number by the boxes found."""
    if "object" not in looked:
        return Check("object", "unverifiable", "Nothing looked for objects in the picture.")
    if not claim.objects:
        return Check("object", "unverifiable", "The claim names no object to look for.")
    parts = [_count(each, _boxes(each.name, findings)) for each in claim.objects]
    evidence = tuple(i for each in claim.objects for i in _boxes(each.name, findings))
    support: Support = "supported"
    if any(part[0] == "contradicted" for part in parts):
        support = "contradicted"
    said = (reason for part, reason in parts if part == support)
    return Check("object", support, " ".join(said), evidence)


def _count(thing: NamedObject, found: Sequence[int]) -> tuple[Support, str]:
    seen = f"{len(found)} × {thing.name} found in the picture."
    if thing.count is None:
        return ("supported" if found else "contradicted"), seen
    return ("supported" if len(found) == thing.count else "contradicted"), seen


def check_attributes(claim: Claim, findings: Sequence[Finding]) -> Check:
    """Colours and positions; what is neither (an action) cannot be measured."""
    checks = [*_colours(claim, findings), *_positions(claim, findings)]
    nothing = Check("attribute", "unverifiable", "Only a model that sees pictures can judge it.")
    return min(checks, key=lambda each: WORST.index(each.support), default=nothing)


def _colours(claim: Claim, findings: Sequence[Finding]) -> Iterator[Check]:
    for thing in claim.objects:
        if thing.colour:
            yield _colour(thing, findings)


def _colour(thing: NamedObject, findings: Sequence[Finding]) -> Check:
    measured = [
        i
        for i, each in enumerate(findings)
        if each.kind == "colour" and each.text == thing.colour and each.subject in ("", thing.name)
    ]
    on_it = [i for i in measured if findings[i].subject] or measured
    if not on_it:
        return Check("attribute", "unverifiable", f"The colour {thing.colour} was not measured.")
    share = max(findings[i].score or 0.0 for i in on_it)
    whole = not findings[on_it[0]].subject
    where = "the picture" if whole else f"the {thing.name}"
    said = f"{share:.0%} of {where} is {thing.colour}."
    if share < (NOWHERE if whole else COLOUR_MISSING):
        return Check("attribute", "contradicted", said, tuple(on_it))
    if not whole and share >= COLOUR_SEEN:
        return Check("attribute", "supported", said, tuple(on_it))
    return Check("attribute", "unverifiable", said, tuple(on_it))


def _positions(claim: Claim, findings: Sequence[Finding]) -> Iterator[Check]:
    for found in _PLACE.finditer(claim.text):
        before, after = claim.text[: found.start()].casefold(), claim.text[found.end() :].casefold()
        first = _last_named(claim, before)
        second = _first_named(claim, after) if found["of"] or found[1] in _BETWEEN_TWO else None
        if first and (second or not found["of"]):
            yield _position(first, found[1].casefold(), second, findings)


def _position(
    first: NamedObject, place: str, second: NamedObject | None, findings: Sequence[Finding]
) -> Check:
    ones = _boxes(first.name, findings)
    twos = _boxes(second.name, findings) if second else []
    if not ones or (second and not twos):
        return Check("attribute", "unverifiable", "The position could not be measured.")
    middle: BBox = (0.5, 0.5, 0.5, 0.5)
    others = [findings[i].box for i in twos] or [middle]
    right = any(
        _stands(findings[i].box or middle, place, other or middle) for i in ones for other in others
    )
    beside = f"{place} of the {second.name}" if second else f"at the {place}"
    said = f"The {first.name} is {'' if right else 'not '}{beside}, by the boxes found."
    return Check("attribute", "supported" if right else "contradicted", said, (*ones, *twos))


def _stands(box: BBox, place: str, other: BBox) -> bool:
    """Whether the middle of `box` lies on that side of the middle of `other`."""
    dx = (box[0] + box[2]) - (other[0] + other[2])
    dy = (box[1] + box[3]) - (other[1] + other[3])
    if place in ("left", "right"):
        return dx < 0 if place == "left" else dx > 0
    return dy < 0 if place in ("top", "above") else dy > 0


def _last_named(claim: Claim, text: str) -> NamedObject | None:
    named = [(text.rfind(each.name), each) for each in claim.objects]
    best = max(named, key=lambda each: each[0], default=None)
    return best[1] if best and best[0] >= 0 else None


def _first_named(claim: Claim, text: str) -> NamedObject | None:
    named = [(text.find(each.name), each) for each in claim.objects if each.name in text]
    return min(named, key=lambda each: each[0])[1] if named else None


def check_scene_text(claim: Claim, findings: Sequence[Finding], looked: Kinds) -> Check:
    """Letter by letter, capitals and spaces apart: one that differs is a contradiction."""
    read = [i for i, each in enumerate(findings) if each.kind == "scene-text"]
    if "scene-text" not in looked and not read:
        return Check("scene-text", "unverifiable", "No picture's text was read.")
    checks = [_quote(quote, findings, read) for quote in claim.quotes]
    nothing = Check("scene-text", "unverifiable", "The claim quotes no text.")
    return min(checks, key=lambda each: WORST.index(each.support), default=nothing)


def _quote(quote: str, findings: Sequence[Finding], read: Sequence[int]) -> Check:
    wanted = _letters(quote)
    for run in _runs(read):
        if _contains(" ".join(findings[i].text for i in run), wanted):
            return Check("scene-text", "supported", f"“{quote}” is read in the picture.", run)
    likeness, nearest = max(
        ((_likeness(wanted, findings[i].text), i) for i in read), default=(0.0, -1)
    )
    if likeness >= NEAR:
        said = f"The picture reads “{findings[nearest].text}”, not “{quote}”."
        return Check("scene-text", "contradicted", said, (nearest,))
    if 0 < len(read) <= DENSE:
        said = f"“{quote}” is not among the text read in the picture."
        return Check("scene-text", "contradicted", said, tuple(read))
    return Check("scene-text", "unverifiable", f"“{quote}” was not read in the picture.")


def _runs(read: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """One line, then two and three that follow each other: a sign may have several."""
    for length in (1, 2, 3):
        for start in range(len(read) - length + 1):
            yield tuple(read[start : start + length])


def _letters(text: str) -> str:
    """Letters, digits and units without case, spaces and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum() or c in "%€$£°")


def _contains(text: str, wanted: str) -> bool:
    """Whether it stands there whole: «world» is not read where «worlld» or «underworld» is."""
    bare = _letters(text)
    if bare == wanted:
        return True
    words = text.split()
    return any(
        _letters("".join(words[start:end])) == wanted
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + 12) + 1)
    )


def _likeness(wanted: str, text: str) -> float:
    """0–1, by the best run of as many words as differ least in length."""
    words = text.split()[:60]
    runs = (
        _letters("".join(words[start:end]))
        for start in range(len(words))
        for end in range(start + 1, min(start + 6, len(words)) + 1)
    )
    return max((SequenceMatcher(None, wanted, run).ratio() for run in runs), default=0.0)


def _boxes(name: str, findings: Sequence[Finding]) -> list[int]:
    return [i for i, each in enumerate(findings) if each.kind == "object" and each.text == name]
