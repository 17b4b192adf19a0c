"""Dependency parse → arcs <subject token, relation, object token> of one sentence (§3.1).

Labels are those of spaCy's English models (ClearNLP). Coordinated subjects and objects are
distributed; a verb without a subject of its own takes that of the verb it hangs on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})
NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
# Beyond it a list of subjects times a list of objects says little and grows without bound.
MAX_COORDINATED = 12
# Tokens of the longest sentence read; beyond it there is no sentence, but a list or a fault.
MAX_SENTENCE = 150
IS = "is"
HAS = "has"
RELATES = "relates to"


@dataclass(frozen=True)
class Arc:
    """Tokens are the heads of their phrases; the relation is in the words of the sentence: verb,
    what the verb acts on (`through`), preposition («sold — the company — to»)."""

    subject: Token
    relation: str
    object: Token
    through: Token | None = None
    preposition: str = ""


def find_arcs(sentence: Span) -> list[Arc]:
    """All arcs of a sentence, in the order of their predicates; none of a parts list or a line in
    capitals, which the parser cannot read."""
    if not _is_readable(sentence):
        return []
    arcs: list[Arc] = []
    for token in sentence:
        if _is_predicate(token):
            arcs += _verb_arcs(token)
        elif token.pos_ in NOUNS:
            arcs += _noun_arcs(token)
    return arcs


def _is_readable(sentence: Span) -> bool:
    if len(sentence) > MAX_SENTENCE:
        return False
    words = [token.text for token in sentence if not token.is_punct]
    with_digit = sum(any(c.isdigit() for c in word) for word in words)
    capital = sum(word.isupper() and len(word) > 1 for word in words)
    return with_digit * 3 <= len(words) and (capital * 2 <= len(words) or len(words) < 6)


def _is_predicate(token: Token) -> bool:
    """A verb; one with a capital inside a sentence is part of a name («HONOR Watch GS»)."""
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("aux", "auxpass"):
        return False
    return token.is_sent_start or not token.text[0].isupper()


def _verb_arcs(verb: Token) -> Iterator[Arc]:
    subjects = list(_subjects(verb))
    if not subjects:
        return
    relation = _verb_words(verb)
    for words, target, through in _targets(verb):
        before = relation if through else f"{relation} {words}".strip()
        for subject in subjects:
            for each in _coordinated(target):
                if each != subject:
                    yield Arc(subject, before, each, through, words if through else "")


def _noun_arcs(noun: Token) -> Iterator[Arc]:
    for child in noun.children:
        if child.dep_ == "prep" and _holds_to_noun(child):
            for target in _prepositional(child):
                yield Arc(noun, _prep_words(child), target)
        elif child.dep_ == "poss" and child.pos_ in NOUNS and not _is_titled(child, noun):
            for owner in _coordinated(child):
                yield Arc(owner, HAS, noun)
        elif child.dep_ == "appos" and _is_apposition(noun, child):
            yield Arc(noun, IS, child)
        elif child.dep_ == "compound" and _names_a_kind(child, noun):
            yield Arc(noun, RELATES, child)


def _holds_to_noun(prep: Token) -> bool:
    """«clamped to the frame by a bolt» is parsed as a frame by a bolt too often."""
    return prep.lower_ != "than" and not (prep.lower_ == "by" and prep.head.dep_ == "pobj")


def _is_titled(owner: Token, noun: Token) -> bool:
    """«Operator's Manual» is one title."""
    return noun.text[0].isupper() and owner.text[0].isupper() and not owner.ent_type_


def _is_apposition(noun: Token, other: Token) -> bool:
    """A name and a common noun («Lena Voss, the director»), or a short form in brackets; lists and
    two names side by side are mostly the parser's mistakes."""
    between = noun.doc[noun.i + 1 : other.i]
    if any(token.text in ("(", "[") for token in between):
        return other.text.isupper() and len(other) <= 8
    listed = any(c.dep_ in ("conj", "cc") for c in (*noun.children, *other.children))
    return {noun.pos_, other.pos_} == {"NOUN", "PROPN"} and not listed


def _names_a_kind(modifier: Token, noun: Token) -> bool:
    """«Rotterdam harbour», «CX57C excavator»: a name before a common noun."""
    named = bool(modifier.ent_type_) and not modifier.is_lower
    is_name = named or not (modifier.is_title or modifier.is_lower)
    hyphenated = modifier.nbor().text in "-–/"
    return is_name and noun.pos_ == "NOUN" and not hyphenated


# --- subjects ------------------------------------------------------------------------------------


def _subjects(verb: Token, depth: int = 0) -> Iterator[Token]:
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if own:
        # «alarms and the ringtone is»: a singular verb has one subject, whatever the parser joins.
        singular = verb.tag_ == "VBZ" or verb.lower_ == "was"
        for subject in own:
            yield from (subject,) if singular else _coordinated(subject)
    elif depth < 4:
        yield from _inherited(verb, depth)


def _inherited(verb: Token, depth: int) -> Iterator[Token]:
    """The subject of a verb that has none: «was built and [was] sold», «wants to buy», «a tower
    built in 1900»."""
    head = verb.head
    if verb.dep_ in ("conj", "xcomp") and head.pos_ in ("VERB", "AUX") and head != verb:
        yield from _subjects(head, depth + 1)
    elif (
        verb.dep_ in ("acl", "relcl") and verb.tag_ in ("VBN", "VBG", "VBD") and not _relative(verb)
    ):
        yield head


def _relative(verb: Token) -> bool:
    """A relative clause whose subject the parser lost says nothing sure."""
    return any(child.tag_ in ("WDT", "WP") for child in verb.children)


# --- objects -------------------------------------------------------------------------------------


def _targets(verb: Token) -> Iterator[tuple[str, Token, Token | None]]:
    """(words after the verb, object token, the direct object between them)."""
    objects = [c for c in verb.children if c.dep_ in OBJECTS and c.pos_ in NOUNS]
    for child in verb.children:
        if child in objects:
            yield "", child, None
        elif child.dep_ in ("prep", "agent") and (child.i > verb.i or child.lower_ != "of"):
            # «examined data from 374 laboratories»: without its object the verb says too little.
            through = objects[0] if objects and child.i > objects[0].i else None
            for target in _prepositional(child, spread=False):
                yield _prep_words(child), target, through
        elif child.dep_ == "acomp":
            for prep in (c for c in child.children if c.dep_ == "prep"):
                for target in _prepositional(prep, spread=False):
                    yield f"{child.lower_} {_prep_words(prep)}", target, None
    if verb.dep_ == "relcl" and not objects and _object_gap(verb):
        yield "", verb.head, None


def _object_gap(verb: Token) -> bool:
    """«the watch [that] Acme makes»: the head noun is the object."""
    own_subject = [c for c in verb.children if c.dep_ == "nsubj" and c.tag_ not in ("WDT", "WP")]
    moved = any(c.dep_ == "dobj" and c.tag_ in ("WDT", "WP") for c in verb.children)
    return bool(own_subject) and (moved or not any(c.dep_ in OBJECTS for c in verb.children))


def _prepositional(prep: Token, spread: bool = True) -> Iterator[Token]:
    for child in prep.children:
        if child.dep_ == "pobj" and child.pos_ in NOUNS:
            yield from _coordinated(child) if spread else (child,)


def _prep_words(prep: Token) -> str:
    """«such as», «because of», «except for»: a preposition with the word that makes it."""
    before = [c.lower_ for c in prep.lefts if c.i == prep.i - 1 and c.dep_ in ("amod", "pcomp")]
    return " ".join([*before, prep.lower_])


def _coordinated(noun: Token) -> Iterable[Token]:
    """The noun and what «and», «or» join to it."""
    others = (other for other in noun.conjuncts if other.i > noun.i and other.pos_ in NOUNS)
    return (noun, *islice(others, MAX_COORDINATED))


# --- relation ------------------------------------------------------------------------------------


def _verb_words(verb: Token) -> str:
    """«can not be switched off», «has been sold»: modals, negation, passive, verb and particle, in
    their order."""
    bound = any(child.dep_ == "neg" or child.lower_ in ("been", "being") for child in verb.children)
    parts = [
        child
        for child in verb.children
        if child.dep_ in ("neg", "auxpass", "prt")
        or (child.dep_ == "aux" and (child.tag_ == "MD" or (bound and child.tag_ != "TO")))
    ]
    if _is_passive_conjunct(verb) and not any(part.dep_ == "auxpass" for part in parts):
        parts += [child for child in verb.head.children if child.dep_ == "auxpass"]
    words = " ".join(token.lower_ for token in sorted([*parts, verb], key=lambda token: token.i))
    if verb.dep_ == "xcomp" and verb.head.pos_ in ("VERB", "AUX"):
        return f"{_verb_words(verb.head)} to {words}" if _has_to(verb) else words
    return words


def _has_to(verb: Token) -> bool:
    return any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)


def _is_passive_conjunct(verb: Token) -> bool:
    """«was designed and built»: the passive is said once."""
    active = any(child.dep_ in ("nsubj", "nsubjpass", "dobj") for child in verb.children)
    return verb.dep_ == "conj" and verb.tag_ in ("VBN", "VBD") and not active
