"""Parsed text → names of things: named entities, codes, noun phrases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brit.extraction.names import (
    FUNCTION_WORDS,
    MAX_WORDS,
    MEASURE,
    NUMBER_WITH_UNIT,
    REFERENCE,
    VAGUE,
    clean_name,
    find_codes,
    is_code,
    words,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

TERM = "TERM"
CODE = "CODE"
QUANTITY = "QUANTITY"
REFERENCE_KIND = "REFERENCE"
# The small model's labels that hold for a node; ordinals and bare numbers name nothing.
KINDS = words(
    "PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE DATE TIME PERCENT MONEY "
    "QUANTITY"
)
MEASURES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY"})
INSIDE = frozenset(
    {"compound", "amod", "nummod", "nmod", "quantmod", "advmod", "punct", "npadvmod"}
)
TRANSPARENT = words(
    "kind kinds type types sort sorts range variety number series pair set lot lots majority rest "
    "one some many most array amount maximum minimum total"
)
Named = tuple[str, str]


class Phrases:
    """The names in one parsed text; every lookup by token, worked out once."""

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._text = doc.text  # spaCy writes it anew at every look
        self._entity_at = {
            token.i: entity for entity in doc.ents if _is_sound(entity) for token in entity
        }
        self._known: dict[int, Named | None] = {}

    def of(self, token: Token) -> Named | None:
        """(name, kind) of the phrase whose head is `token`, or None where it names nothing."""
        if token.i not in self._known:
            self._known[token.i] = self._build(token)
        return self._known[token.i]

    def named(self, span: Span) -> Iterator[tuple[Token, Named]]:
        """Named entities and codes of a sentence, whether or not a triplet holds them."""
        for entity in span.ents:
            name = _strip(entity)
            if name and entity.root.i in self._entity_at:
                yield entity.root, (name, _kind(name, entity.label_))
        for start, end in find_codes(span.text):
            code = span.char_span(start, end)
            if code is not None and code.root.i not in self._entity_at:
                yield code.root, (code.text, CODE)

    def _build(self, token: Token) -> Named | None:
        if token.pos_ == "PRON" or token.is_punct:
            return None
        if token.lower_ in TRANSPARENT and (inner := _of_what(token)) is not None:
            return self.of(inner)
        entity = self._entity_at.get(token.i)
        if entity is not None and token == entity.root:
            start = min(entity.start, _first(token).i) if token.pos_ != "NUM" else entity.start
            span = self._doc[start : max(entity.end, token.i + 1)]
            return _named(_strip(span) or _strip(entity), entity.label_)
        if token.pos_ == "NOUN" or token.pos_ == "PROPN":
            reference = REFERENCE.match(self._text, token.idx)
            if reference:
                return reference.group(), REFERENCE_KIND
        if token.pos_ == "NUM" and not is_code(token.text):
            return None
        span = self._doc[_first(token).i : _last(token).i + 1]
        return _named(_strip(span) or _strip(self._doc[token.i : token.i + 1]), TERM)


def find_names(doc: Doc) -> Iterator[Named]:
    """Everything a text is about, for questions, headings and captions: references, named
    entities and codes, then noun phrases."""
    phrases = Phrases(doc)
    spans = [match.span() for match in REFERENCE.finditer(doc.text)]
    for start, end in spans:
        yield doc.text[start:end], REFERENCE_KIND

    def is_free(token: Token) -> bool:
        return not any(start <= token.idx < end for start, end in spans)

    for sentence in doc.sents:
        yield from (named for token, named in phrases.named(sentence) if is_free(token))
    for chunk in doc.noun_chunks:
        phrase = phrases.of(chunk.root)
        if phrase is not None and not is_vague(phrase[0]) and is_free(chunk[0]):
            yield phrase


def is_vague(name: str) -> bool:
    """No word of it names anything."""
    return all(word in FUNCTION_WORDS or word in VAGUE for word in name.casefold().split())


def _named(name: str, label: str) -> Named | None:
    return (name, _kind(name, label)) if name else None


def _kind(name: str, label: str) -> str:
    if is_code(name):
        return CODE
    if (NUMBER_WITH_UNIT.match(name) or MEASURE.match(name)) and label not in MEASURES:
        return QUANTITY
    return label if label in KINDS else TERM


def _is_sound(entity: Span) -> bool:
    """Labels the small model gives to debris: no letter, or a lower-case word called a name."""
    if entity.label_ not in KINDS or not _strip(entity):
        return False
    return entity.label_ in MEASURES or any(token.text[0].isupper() for token in entity)


def _of_what(token: Token) -> Token | None:
    """«kinds of nuts» are nuts."""
    after = next((c for c in token.rights if c.lower_ == "of" and c.i == token.i + 1), None)
    inner = (c for c in after.children if c.dep_ == "pobj") if after is not None else iter(())
    return next(inner, None)


def _first(head: Token) -> Token:
    """The leftmost token of the unbroken modifiers before a head; possessors stay outside."""
    first = head
    for child in sorted(head.lefts, key=lambda token: -token.i):
        if child.dep_ not in INSIDE or child.right_edge.i + 1 != first.i:
            break
        if child.dep_ == "punct" and child.text not in "-–/'’":
            break
        first = child.left_edge
    return first


def _last(head: Token) -> Token:
    """A number right after its noun belongs to it («Figure 7», «Windows 11»), and so does the rest
    of a title («Center of Excellence»)."""
    following = next(iter(head.rights), None)
    if following is None or following.i != head.i + 1:
        return head
    if following.dep_ == "nummod" and len(head) > 3:
        return following
    if head.text[0].isupper() and following.lower_ in ("of", "for"):
        inner = next((c for c in following.children if c.dep_ == "pobj"), head)
        titled = inner.pos_ == "PROPN" and inner.text[0].isupper() and not inner.ent_type_
        return inner if titled else head
    return head


def _strip(span: Span) -> str:
    """The span's text without leading function words; "" where nothing is left."""
    start, end = span.start, span.end
    while start < end and (span.doc[start].lower_ in FUNCTION_WORDS or span.doc[start].is_punct):
        start += 1
    while end > start and (
        span.doc[end - 1].lower_ in FUNCTION_WORDS or span.doc[end - 1].is_punct
    ):
        end -= 1
    if end - start > MAX_WORDS * 2:
        return ""
    closing = span.doc[end].text if end < len(span.doc) else ""
    text = span.doc[start:end].text
    return clean_name(text + ")" if closing == ")" and "(" in text else text)
