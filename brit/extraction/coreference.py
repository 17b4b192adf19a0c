"""Pronouns and definite phrases → their antecedent, within a section; rules, precision first.

- he, she: a person, at most three sentences back.
- it: a singular thing at most two sentences back; where there is none, the name in the nearest
  heading.
- they: a plural subject or an organisation, at most two sentences back.
- «the watch», «this model», «the company»: the last name that ends in the same noun, or whose kind
  is what the noun says; else the name in the nearest heading where it agrees.
- who, which, that in a relative clause: the noun the clause hangs on.
Of the candidates the newest sentence that has any decides: the subject of its main clause, else
another subject, else its only candidate. Two of equal claim, or none, give no node.
"""

from __future__ import annotations

from collections import deque
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
MEMORY = 60


@dataclass(frozen=True)
class _Seen:
    named: Named
    sentence: int
    claim: int
    plural: bool


class Antecedents:
    """What was named so far in the section; feed it sentence by sentence."""

    def __init__(self) -> None:
        self._headings: dict[int, Named | None] = {}
        self._seen: deque[_Seen] = deque(maxlen=MEMORY)
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
            if token.dep_ == "poss" and token.head.dep_ == "conj":
                return names.get(token.head.head.i)  # «the products and their prices»
            return self._pronoun(token)
        if token.pos_ not in ("NOUN", "PROPN", "NUM", "SYM", "X"):
            return None
        return self._definite(token) or phrases.of(token)

    def _pronoun(self, token: Token) -> Named | None:
        word = token.lower_
        if word in PERSONS:
            return self._choose(PERSON_AGE, lambda s: s.named[1] == "PERSON")
        if word in THINGS and not _is_expletive(token):
            if not any(map(_is_thing, self._recent(THING_AGE))):
                return self._title()
            return self._choose(THING_AGE, _is_thing)
        if word in PLURALS:
            return self._choose(THING_AGE, _is_many)
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

        seen = (s.named for s in self._recent(NAME_AGE) if agrees(s.named))
        titles = (title for title in self._titles() if agrees(title))
        return next(seen, None) or next(titles, None)

    def _remember(self, token: Token, named: Named) -> None:
        if named[1] not in MEASURES:
            plural = token.tag_ in ("NNS", "NNPS") or any(c.dep_ == "conj" for c in token.children)
            self._seen.append(_Seen(named, self._sentence, _claim(token), plural))

    def _choose(self, age: int, fits: Callable[[_Seen], bool]) -> Named | None:
        fitting = [seen for seen in self._recent(age) if fits(seen)]
        newest = [seen for seen in fitting if seen.sentence == fitting[0].sentence]
        claim = max((seen.claim for seen in newest), default=0)
        names = {seen.named for seen in newest if seen.claim == claim}
        return names.pop() if len(names) == 1 else None

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


def _claim(token: Token) -> int:
    """2 for the subject of the main clause, 1 for another subject, 0 for the rest."""
    while token.dep_ == "conj":
        token = token.head
    if token.dep_ not in ("nsubj", "nsubjpass"):
        return 0
    return 2 if token.head.dep_ == "ROOT" else 1


def _is_many(seen: _Seen) -> bool:
    return seen.claim > 0 and (seen.plural or seen.named[1] == "ORG")


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
