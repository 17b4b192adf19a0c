"""Triplets with spaCy's small English model, and by co-occurrence in other languages (§3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Literal

from brit.extraction.coreference import Antecedents
from brit.extraction.dependency import RELATES, Arc, find_arcs
from brit.extraction.entities import MEASURES, TERM, Named, Phrases, find_names, is_vague
from brit.extraction.fallback import extract_sentences, find_terms, split_sentences
from brit.extraction.language import SAMPLE, guess_language, language_of, tell_unparsed
from brit.extraction.loading import load_english
from brit.extraction.names import (
    QUOTED,
    REFERENCE,
    clean_name,
    clean_prose,
    cut,
    find_codes,
    split_lines,
    words,
)
from brit.extraction.tables import extract_label_value, extract_table
from brit.types import (
    Entity,
    Extraction,
    OnPart,
    StoredBlock,
    TableBlock,
    TextBlock,
    Triplet,
    no_part,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

CHUNK = 3_000
BATCH = 64
MAX_SENTENCE = 400
MAX_RELATION_WORDS = 6
WORDY = re.compile(r"[^\W\d_]{3}")
FURNITURE = frozenset({"header", "footer"})
# A list of works cited is no prose: its names are kept, nothing is said of them.
REFERENCES = frozenset({"references", "bibliography", "works cited", "literature cited", "sources"})
# What questions call the thing they ask for, or the page itself: no node is meant.
ASKING = words(
    "photo photograph photos picture pictures image images figure illustration document question "
    "answer name color colour"
)


@dataclass(frozen=True)
class _Unit:
    """A piece of a block to be read one way."""

    stored: StoredBlock
    way: Literal["english", "terms", "table"]
    text: str = ""
    language: str = "en"


class SpacyExtractor:
    """A TripletExtractor that needs no network; the model is loaded at the first use.

    Safe to share between threads: one text is read at a time, since memory zones do not nest.
    """

    name = "spacy/en-core-web-sm-3.8"

    def __init__(self) -> None:
        self._lock = Lock()

    @cached_property
    def _nlp(self) -> Language:
        return load_english()

    def extract(self, blocks: Sequence[StoredBlock], on_part: OnPart = no_part) -> Extraction:
        """Blocks of one document in reading order → triplets, entities. Headers and footers are
        left out; a heading names its section and gives pronouns a fallback."""
        units = list(_plan(blocks))
        characters: Counter[str] = Counter()
        for unit in units:
            characters[unit.language] += len(unit.text)
        reader = _Reader()
        # The memory zone frees the strings of a document, so a worker does not grow.
        with self._lock, self._nlp.memory_zone():
            texts = (unit.text for unit in units if unit.way == "english")
            docs = self._nlp.pipe(texts, batch_size=BATCH)
            for done, unit in enumerate(units):
                if done % BATCH == 0:
                    on_part(done, len(units))
                reader.read(unit, docs)
        notes = tell_unparsed(characters)
        return Extraction(tuple(reader.triplets), tuple(reader.entities), notes=notes)

    def extract_entities(self, text: str) -> list[str]:
        """Names, noun phrases, codes, quoted words and references of a question or caption."""
        text = clean_prose(text)[:CHUNK]
        names = [match.strip() for match in (*QUOTED.findall(text), *REFERENCE.findall(text))]
        language = guess_language(text) or "en"
        if language == "en":
            with self._lock, self._nlp.memory_zone():
                names += [name for name, _ in find_names(self._nlp(text))]
        else:
            for sentence in split_sentences(REFERENCE.sub(" ", text)):
                names += find_terms(sentence, language)
        kept = (n for n in map(clean_name, names) if n and n.casefold() not in ASKING)
        return _longest(kept)


def _plan(blocks: Sequence[StoredBlock]) -> Iterator[_Unit]:
    texts = [(s, clean_prose(s.block.text)) for s in blocks if isinstance(s.block, TextBlock)]
    document = guess_language(" ".join(text for _, text in texts)[:SAMPLE])
    cleaned = {stored.id: text for stored, text in texts}
    for stored in blocks:
        block = stored.block
        if isinstance(block, TableBlock):
            yield _Unit(stored, "table")
        elif isinstance(block, TextBlock) and block.kind not in FURNITURE:
            language = language_of(cleaned[stored.id], document)
            way: Literal["english", "terms"] = "english" if language == "en" else "terms"
            for piece in (p for line in split_lines(block.text) for p in cut(line, CHUNK)):
                if way == "terms" or WORDY.search(piece) or find_codes(piece):
                    yield _Unit(stored, way, piece, language)


class _Reader:
    """Reads units in order and remembers the section they stand in."""

    def __init__(self) -> None:
        self.triplets: dict[Triplet, None] = {}
        self.entities: dict[Entity, None] = {}
        self._antecedents = Antecedents()
        self._section = ""
        self._in_references = False

    def read(self, unit: _Unit, docs: Iterator[Doc]) -> None:
        stored = unit.stored
        if stored.block.section != self._section:
            self._section = stored.block.section
            self._antecedents.leave_section()
        if unit.way == "table" and isinstance(stored.block, TableBlock):
            self._add(*extract_table(stored.block, stored.id))
        elif unit.way == "terms":
            self._add(*extract_sentences(unit.text, stored.id, unit.language))
        elif isinstance(stored.block, TextBlock) and stored.block.kind == "heading":
            self._read_heading(next(docs), stored.id, stored.block.level)
        else:
            self._read_prose(next(docs), stored.id)

    def _read_heading(self, doc: Doc, block: str, level: int) -> None:
        names = [named for named in find_names(doc) if named[1] not in MEASURES]
        self._antecedents.enter_section(level, _title(names))
        self._in_references = doc.text.casefold().strip(" .:0123456789") in REFERENCES
        self._add((), (Entity(name, kind, block) for name, kind in names))

    def _read_prose(self, doc: Doc, block: str) -> None:
        phrases = Phrases(doc)
        for sentence in doc.sents:
            if not self._in_references:
                names = self._antecedents.read(sentence, phrases)
                self._add(_sentence_triplets(sentence, names, block))
            self._add((), (Entity(*named, block) for _, named in phrases.named(sentence)))

    def _add(self, triplets: Iterable[Triplet], entities: Iterable[Entity] = ()) -> None:
        for triplet in triplets:
            self.triplets[triplet] = None
            self.entities[triplet.subject] = None
            self.entities[triplet.object] = None
        for entity in entities:
            self.entities[entity] = None


def _title(names: list[Named]) -> Named | None:
    """What a heading names, with the words around it: «Tarn X40 drill» rather than «X40»."""
    named = next((n for n in names if n[1] != TERM), None)
    if named is None:
        return names[0] if names else None
    longer = [n for n, _ in names if named[0] in n and len(n.split()) <= 5]
    return max([named[0], *longer], key=len), named[1]


def _sentence_triplets(sentence: Span, names: dict[int, Named], block: str) -> Iterable[Triplet]:
    pair = None if _has_verb(sentence) else extract_label_value(sentence.text.strip(), block)
    return [pair] if pair else _triplets(sentence, names, block)


def _has_verb(sentence: Span) -> bool:
    return any(token.tag_ in ("VB", "VBZ", "VBP", "VBD", "MD") for token in sentence)


def _triplets(sentence: Span, names: dict[int, Named], block: str) -> Iterator[Triplet]:
    text = " ".join(sentence.text.split())[:MAX_SENTENCE]
    for arc in find_arcs(sentence):
        subject, target = names.get(arc.subject.i), names.get(arc.object.i)
        if subject is None or target is None or subject[0] == target[0]:
            continue
        # «DB2 consultant» relates to «DB2»; but «Conference on World Wide Web» is one name.
        inside = " ".join(target[0].split()[:2]) in subject[0]
        if inside != (arc.relation == RELATES):
            continue
        if is_vague(subject[0]) or is_vague(target[0]) or subject[1] in MEASURES:
            continue
        relation = _relation(arc, names)
        if len(relation.split()) <= MAX_RELATION_WORDS:
            yield Triplet(Entity(*subject, block), relation, Entity(*target, block), block, text)


def _relation(arc: Arc, names: dict[int, Named]) -> str:
    """The words of an arc, what stands between verb and preposition by the name it has."""
    if arc.through is None:
        return arc.relation
    name = names.get(arc.through.i, (arc.through.text, ""))[0]
    short = name if len(name.split()) <= 3 else arc.through.text
    return f"{arc.relation} {short} {arc.preposition}"


def _longest(names: Iterable[str]) -> list[str]:
    """Each name once, whatever its case, in order of first sight."""
    seen: dict[str, str] = {}
    for name in names:
        seen.setdefault(name.casefold(), name)
    return list(seen.values())
