"""Which units answer a question: what a careful person would underline, and nothing else.

A unit is scored by the question's words it holds (rarer ones count more, those of the heading and
the sentence above it half), by nearness of meaning, by whether it names the kind of thing asked
for, and by the graph: whether it is the sentence of a retrieved triplet, or names what led to a
picture. It stays only if it comes near the best one and says something that one does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from brit.generation.language import (
    UNSPACED,
    content_terms,
    find_alike,
    gives_kind,
    split_terms,
    wanted_kinds,
)
from brit.generation.units import Unit
from brit.models import TextEncoder
from brit.types import FloatArray

MOST = 3
NEAR_BEST = 0.7  # of the best score: what a further unit must reach
AS_GOOD = 0.95  # reaching this, it need not hold a word of the question that the others lack
REPEATS = 0.85  # cosine or share of words above which two units say the same
CONTEXT = 0.5  # what a word in the heading or the sentence above counts
FAR_COSINE = 0.75  # of `same_entity`: cosines up to here may be those of unrelated texts
KIND, PATH, TRIPLET, RANK = 0.25, 0.2, 0.1, 0.1
DOCUMENT = 0.3  # what standing in the document found best adds, where there are several
NAME = 0.3  # what a name of the question adds to the support
ENOUGH, SOME = 0.95, 0.6  # support from which units are an answer, or the nearest thing to one
ECHO = 0.34  # a unit with no larger share of new words only says the question again
LEAD = 0.9  # what counts of a unit that only leads to the next
WORTH = {"text": 1.0, "caption": 1.0, "fact": 0.85, "heading": 0.6}
MOST_NEAR = 1.2
MEASURED = ("number", "date")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Clues:
    """What the sub-graph knows: names in the question, names that led to pictures, and sentences
    of triplets with their score relative to the best (0 to 1). `document` is the one whose page was
    found best."""

    document: str = ""
    asked_names: Sequence[str] = ()
    names: Sequence[str] = ()
    sentences: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """Positions of units, best first, and how well the best is supported: below `SOME` nothing
    found is about the question, below `ENOUGH` it is only the nearest."""

    units: tuple[int, ...]
    support: float


def choose_units(
    question: str, units: Sequence[Unit], clues: Clues, encoder: TextEncoder | None = None
) -> Choice:
    """At most three units that answer the question, and how sure that is."""
    if not units:
        return Choice((), 0.0)
    asked = content_terms(question)
    held = [_hold(asked, unit, over) for unit, over in zip(units, _above(units), strict=True)]
    vectors = encoder.encode_texts([unit.whole for unit in units]) if encoder else None
    near = [0.0] * len(units)
    if encoder and vectors is not None:
        near = _nearness(encoder.encode_texts([question], role="query")[0], vectors, encoder)
    weights = _rarity(asked, held)
    leads = [leads_on(question, units, at) for at in range(len(units))]
    bonuses = _bonuses(question, units, clues, held)
    scores = [
        (sum(weights[term] * share for term, share in held[at].items()) + near[at])
        * _worth(unit, leads[at])
        + bonuses[at]
        for at, unit in enumerate(units)
    ]
    chosen = _keep_apart(units, scores, held, leads, _likeness(units, vectors))
    best = chosen[0]
    named = any(_holds(f"{units[best].heading} {units[best].whole}", n) for n in clues.asked_names)
    # A question of marks only asks for no word.
    total = sum(_counts(term, weights[term]) for term in asked)
    share = sum(held[best].values()) / total if total else 0.0
    meaning = near[best] if encoder else share
    return Choice(tuple(chosen), share + meaning + NAME * named)


def answers_kind(question: str, unit: Unit, names: Sequence[str]) -> bool:
    """Whether a unit gives what the question asks for, where that is a number or a date, and gives
    it of something the question names."""
    wanted = [kind for kind in wanted_kinds(question) if kind in MEASURED]
    text = f"{unit.heading} {unit.whole}"
    named = not names or any(_holds(text, name) for name in names)
    return not wanted or (named and any(gives_kind(kind, text, question) for kind in wanted))


def next_unit(units: Sequence[Unit], at: int) -> int | None:
    """The position of the unit after it in the same passage, under the same heading."""
    unit, after = units[at], units[at + 1 : at + 2]
    same = after and (after[0].number, after[0].heading) == (unit.number, unit.heading)
    return at + 1 if same and after[0].kind == "text" and unit.number else None


def leads_on(question: str, units: Sequence[Unit], at: int) -> bool:
    """Whether a unit says little but the question's own words and something follows: a title, or
    what stands above a list."""
    unit, after = units[at], next_unit(units, at)
    if after is None or "; " in unit.text:  # a table row is whole
        return False
    if any(gives_kind(kind, unit.text, question) for kind in wanted_kinds(question)):
        return False
    asked, own = content_terms(question), content_terms(unit.whole)
    new = sum(not find_alike(term, asked) for term in own)
    return new <= (ECHO * len(own) if units[after].opens else 0)


def _worth(unit: Unit, leads: bool) -> float:
    return LEAD if leads and unit.kind == "text" else WORTH[unit.kind]


def _above(units: Sequence[Unit]) -> list[str]:
    """For each unit the words that stand above it: heading and sentence before."""
    texts = {(unit.kind, unit.number, unit.place): unit for unit in units}
    above = []
    for unit in units:
        before = texts.get(("text", unit.number, unit.place - 1)) if unit.kind == "text" else None
        same = before if before and before.heading == unit.heading else None
        above.append(f"{unit.heading} {same.text if same else ''}")
    return above


def _hold(asked: frozenset[str], unit: Unit, above: str) -> dict[str, float]:
    """The question's words a unit holds: 1 in itself, `CONTEXT` above it."""
    own, context = split_terms(unit.whole), split_terms(above)
    row = {}
    for term in asked:
        if find_alike(term, own):
            row[term] = 1.0
        elif find_alike(term, context):
            row[term] = CONTEXT
    return row


def _rarity(asked: frozenset[str], held: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Weights that add up to 1 over the question's words that any unit holds."""
    counts = {term: sum(term in row for row in held) for term in asked}
    weights = {t: math.log(1 + len(held) / n) if n else 0.0 for t, n in counts.items()}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _counts(term: str, weight: float) -> float:
    """A pair of characters that no unit holds counts half: it may be none of a word."""
    return 0.5 if not weight and UNSPACED.match(term) else 1.0


def _nearness(query: FloatArray, vectors: FloatArray, encoder: TextEncoder) -> list[float]:
    """Cosines stretched so that `same_entity` is 1 and what unrelated texts have is 0."""
    cosines = vectors @ query
    high = encoder.same_entity
    low = min(float(cosines.min()), FAR_COSINE * high)
    near: list[float] = np.clip((cosines - low) / (high - low), 0.0, MOST_NEAR).tolist()
    return near


def _bonuses(
    question: str, units: Sequence[Unit], clues: Clues, held: Sequence[Mapping[str, float]]
) -> list[float]:
    """For the kind of answer asked for, for names on the way to a picture, for the sentences of
    triplets, and a little for the rank of the passage."""
    kinds = wanted_kinds(question)
    names = [name for name in clues.names if not _holds(question, name)]

    def bonus(unit: Unit, about: bool) -> float:
        always = RANK / (1 + unit.rank) + TRIPLET * clues.sentences.get(unit.text, 0.0)
        if not about:
            return always
        kind = any(gives_kind(kind, unit.text, question) for kind in kinds)
        here = DOCUMENT * (unit.document == clues.document)
        return always + here + KIND * kind + PATH * any(_holds(unit.text, name) for name in names)

    return [bonus(unit, bool(row)) for unit, row in zip(units, held, strict=True)]


def _holds(text: str, name: str) -> bool:
    words = " ".join(_WORD.findall(text.casefold()))
    return f" {' '.join(_WORD.findall(name.casefold()))} " in f" {words} "


def _likeness(units: Sequence[Unit], vectors: FloatArray | None) -> list[list[float]]:
    """How much each two units say the same: cosine, or the share of the shorter one's words."""
    if vectors is not None:
        cosines: list[list[float]] = (vectors @ vectors.T).tolist()
        return cosines
    terms = [split_terms(unit.text) for unit in units]
    return [[len(a & b) / max(min(len(a), len(b)), 1) for b in terms] for a in terms]


def _keep_apart(
    units: Sequence[Unit],
    scores: Sequence[float],
    held: Sequence[Mapping[str, float]],
    leads: Sequence[bool],
    likeness: Sequence[Sequence[float]],
) -> list[int]:
    """Best first: what comes near the best, repeats none before it, and adds a word of the
    question unless it is as good as the best (maximal marginal relevance, as a threshold)."""
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    best = scores[order[0]]
    chosen = order[:1]
    told = set(held[order[0]])
    for at in order[1:]:
        if len(chosen) == MOST or scores[at] < NEAR_BEST * best:
            break
        if any(_overlap(units, leads, at, other) for other in chosen):
            continue
        adds = leads[at] or held[at].keys() - told or scores[at] >= AS_GOOD * best
        if adds and all(likeness[at][other] <= REPEATS for other in chosen):
            chosen.append(at)
            told |= held[at].keys()
    return chosen


def _overlap(units: Sequence[Unit], leads: Sequence[bool], a: int, b: int) -> bool:
    """Whether one of two units of a section is shown together with the other."""
    same = (units[a].number, units[a].heading) == (units[b].number, units[b].heading)
    shown_whole = any(leads[at] or units[at].kind == "heading" for at in (a, b))
    return (
        (same and shown_whole) or units[a].text in units[b].whole or units[b].text in units[a].whole
    )
