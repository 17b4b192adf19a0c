"""Terms and co-occurrence where no parser knows the language.

A term is a capitalised run (German, French, …), a run of one character type (Chinese, Japanese), a
word without its particle (Korean) or a long word (Arabic and others). Terms of one sentence are
joined in their order: <term, is mentioned with, next term>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from brit.extraction.language import stop_words
from brit.extraction.names import clean_name, find_codes, is_code
from brit.types import Entity, Triplet

RELATION = "is mentioned with"
TERMS_A_SENTENCE = 8
MAX_SENTENCE = 400

SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")
HAN_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]{2,12}")
# Characters that join words in Chinese and stand in hardly any name.
HAN_JOINTS = re.compile(
    r"有?什么|怎么|如何|多少|哪些|哪个|为何|[的了是在和与及对为以而或被把将从到由等也都就并其这那之于個這與對為將從於並]"
)
KANA_RUN = re.compile(r"[\u30a0-\u30ff]{2,24}|[\u3400-\u9fff々]{2,12}")
LATIN_TERM = re.compile(r"[A-Z][\w&-]{1,40}(?:\s[A-Z][\w&-]{1,40}){0,4}")
HANGUL_WORD = re.compile(r"[\uac00-\ud7af]{2,20}")
HANGUL_PARTICLE = re.compile(
    r"(?<=..)(?:에서는|으로는|에서|에게|으로|부터|까지|처럼|보다|하고|이나|은|는|이|가|을|를|의|에|로|와|과|도)$"
)
WORD = re.compile(r"[^\W\d_][\w'’-]{0,40}")
CAPITALISED = re.compile(r"[^\W\d_][\w&'’-]{1,40}")


def split_sentences(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


def find_terms(text: str, language: str) -> list[str]:
    """The terms of one sentence in their order, each once."""
    finder = {"zh": _chinese, "ja": _japanese, "ko": _korean}.get(language)
    found = list(finder(text)) if finder else list(_spaced(text, language))
    found += [text[a:b] for a, b in find_codes(text)]
    names = (clean_name(term) for term in found)
    return list(dict.fromkeys(name for name in names if len(name) > 1))


def extract_sentences(text: str, block: str, language: str) -> tuple[list[Triplet], list[Entity]]:
    """Triplets and entities of a block by co-occurrence."""
    triplets: list[Triplet] = []
    entities: list[Entity] = []
    for sentence in split_sentences(text):
        terms = find_terms(sentence, language)[:TERMS_A_SENTENCE]
        found = [Entity(t, "CODE" if is_code(t) else "TERM", block) for t in terms]
        entities += found
        triplets += [
            Triplet(a, RELATION, b, block, sentence[:MAX_SENTENCE]) for a, b in pairwise(found)
        ]
    return triplets, entities


def _chinese(text: str) -> Iterable[str]:
    for run in HAN_RUN.findall(HAN_JOINTS.sub(" ", text)):
        yield run[:8]
    yield from LATIN_TERM.findall(text)


def _japanese(text: str) -> Iterable[str]:
    yield from KANA_RUN.findall(text)
    yield from LATIN_TERM.findall(text)


def _korean(text: str) -> Iterable[str]:
    stops = stop_words("ko")
    for word in HANGUL_WORD.findall(text):
        stem = HANGUL_PARTICLE.sub("", word)
        if len(stem) > 1 and word not in stops and stem not in stops:
            yield stem
    yield from LATIN_TERM.findall(text)


def _spaced(text: str, language: str) -> Iterable[str]:
    """Capitalised runs; where a script or a sentence has none, the long words."""
    known = language in {"de", "fr", "es", "it", "pt", "nl", "ar"}
    stops = stop_words(language) if known else frozenset()
    runs = list(_capitalised_runs(text, stops, join=language != "de"))
    yield from runs
    if language == "de":
        return
    inside = " ".join(runs)
    floor = 4 if language == "ar" else 5
    for word in WORD.findall(text):
        if len(word) >= floor and word.lower() not in stops and word not in inside:
            yield word


def _capitalised_runs(text: str, stops: frozenset[str], join: bool) -> Iterable[str]:
    """German writes every noun with a capital, so there only adjacent ones stand alone."""
    run: list[str] = []
    end = -1
    for match in CAPITALISED.finditer(text):
        word = match.group()
        keep = word[0].isupper() and len(word) > 2 and word.lower() not in stops
        if run and not (keep and join and match.start() == end + 1):
            yield " ".join(run)
            run = []
        if keep:
            run.append(word)
            end = match.end()
    if run:
        yield " ".join(run)
