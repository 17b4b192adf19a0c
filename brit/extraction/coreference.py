"""Pronouns and definite phrases → their antecedent, within a section; rules, precision first.

- he, she: the last person that was a subject, else the last person, at most three sentences back.
- it: the last singular thing that was the subject of a clause, at most two sentences back, else
  the name in the nearest heading.
- they: the last plural subject or organisation, at most two sentences back.
- «the watch», «this model», «the company»: the last name that ends in the same noun, or whose kind
  is what the noun says; else the name in the nearest heading where it agrees.
- who, which, that in a relative clause: the noun the clause hangs on.
Whatever no rule resolves gives no node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brit.extraction.entities import MEASURES, TERM, Named, Phrases

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

PERSONS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})
THINGS = frozenset({"it", "its", "itself"})
PLURALS = frozenset({"they", "them", "their", "theirs", "themselves"})
DEFINITE = frozenset({"the", "this", "that"})
# What a bare definite noun says of the kind of its antecedent.
_KINDS_BY_NOUNS = {
    "company firm organisation organization group university college school institution agency "
    "department manufacturer corporation association institute foundation bank club": {"ORG"},
    "city town village country state county island region district": {"GPE", "LOC"},
    "model product device machine unit appliance vehicle tool instrument": {"PRODUCT", "CODE"},
    "building bridge tower museum church station airport": {"FAC"},
}
NOUN_KINDS = {noun: kinds for nouns, kinds in _KINDS_BY_NOUNS.items() for noun in nouns.split()}
KIND_OF_THING = frozenset({"PERSON", "NORP", "DATE", "TIME", "PERCENT", "MONEY", "QUANTITY"})
PERSON_AGE = 3
THING_AGE = 2
NAME_AGE = 12


@dataclass(frozen=True)
class _Seen:
    named: Named
    sentence: int
    subject: bool
    plural: bool


class Antecedents:
    """What was named so far in the section; feed it sentence by sentence."""

    def __init__(self) -> None:
        self._headings: dict[int, Named | None] = {}
        self._seen: list[_Seen] = []
        self._sentence = 0

    def enter_section(self, level: int, title: Named | None) -> None:
        """A heading: forget the section before, keep the titles it stands under."""
        kept = {k: v for k, v in self._headings.items() if k < max(level, 1)}
        self._headings = {**kept, max(level, 1): title}
        self._seen.clear()

    def leave_section(self) -> None:
        """The section ends without a heading."""
        self._seen.clear()

    def read(self, sentence: Span, phrases: Phrases) -> dict[int, Named]:
        """→ for every token that heads a phrase or stands for one, what it names."""
        self._sentence += 1
        names: dict[int, Named] = {}
        for token in sentence:
            named = self._name(token, phrases, names)
            if named is not None:
                names[token.i] = named
                self._remember(token, named)
        return names

    def _name(self, token: Token, phrases: Phrases, names: dict[int, Named]) -> Named | None:
        if token.tag_ in ("WDT", "WP") or (token.lower_ == "that" and token.dep_ == "nsubj"):
            return names.get(token.head.head.i) if token.head.dep_ == "relcl" else None
        if token.pos_ == "PRON":
            return self._pronoun(token)
        if token.pos_ not in ("NOUN", "PROPN", "NUM", "SYM", "X"):
            return None
        return self._definite(token) or phrases.of(token)

    def _pronoun(self, token: Token) -> Named | None:
        word = token.lower_
        if word in PERSONS:
            return self._last(PERSON_AGE, lambda s: s.named[1] == "PERSON")
        if word in THINGS and not _is_expletive(token):
            return self._last(THING_AGE, _is_thing, subject_only=True) or self._title()
        if word in PLURALS:
            return self._last(
                THING_AGE, lambda s: s.plural or s.named[1] == "ORG", subject_only=True
            )
        return None

    def _definite(self, token: Token) -> Named | None:
        """«the watch»: only bare nouns; a modified one («the round watch») may be another."""
        if token.tag_ != "NN" or not _is_bare_definite(token):
            return None
        noun = token.lower_
        kinds = NOUN_KINDS.get(noun, set())

        def agrees(named: Named) -> bool:
            head = named[0].casefold().split()
            same = noun in head and len(head) > 1 and named[0] != named[0].lower()
            return same or named[1] in kinds

        found = self._last(NAME_AGE, lambda s: agrees(s.named))
        if found is not None:
            return found
        titles = (t for t in self._titles() if agrees(t))
        return next(titles, None)

    def _remember(self, token: Token, named: Named) -> None:
        if named[1] in MEASURES or token.tag_ in ("WDT", "WP"):
            return
        subject = token.dep_ in ("nsubj", "nsubjpass")
        plural = token.tag_ in ("NNS", "NNPS") or any(c.dep_ == "conj" for c in token.children)
        self._seen.append(_Seen(named, self._sentence, subject, plural))

    def _last(
        self, age: int, fits: Callable[[_Seen], bool], subject_only: bool = False
    ) -> Named | None:
        recent = [s for s in self._recent(age) if fits(s)]
        best = next((s for s in recent if s.subject), None)
        if best is None and recent and not subject_only:
            best = recent[0]
        return best.named if best else None

    def _recent(self, age: int) -> Iterator[_Seen]:
        for seen in reversed(self._seen):
            if self._sentence - seen.sentence > age:
                return
            yield seen

    def _titles(self) -> Iterator[Named]:
        """Names in the headings above, the nearest first."""
        for level in sorted(self._headings, reverse=True):
            title = self._headings[level]
            if title is not None:
                yield title

    def _title(self) -> Named | None:
        return next((t for t in self._titles() if t[1] not in (TERM, "PERSON")), None)


def _is_thing(seen: _Seen) -> bool:
    return not seen.plural and seen.named[1] not in KIND_OF_THING


def _is_bare_definite(token: Token) -> bool:
    lefts = list(token.lefts)
    return (
        len(lefts) == 1
        and lefts[0].lower_ in DEFINITE
        and not any(child.dep_ in ("prep", "relcl", "acl", "appos") for child in token.rights)
    )


def _is_expletive(token: Token) -> bool:
    """«it is important that», «it takes time to»."""
    if token.dep_ == "expl":
        return True
    clausal = {"ccomp", "xcomp", "advcl", "csubj"}
    return (
        token.dep_ == "nsubj"
        and token.head.lemma == token.head.vocab.strings["be"]
        and any(child.dep_ in clausal for child in token.head.children)
    )
