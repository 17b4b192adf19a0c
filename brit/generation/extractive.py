"""An answer without a model: the best sentences of the evidence, quoted, each with its source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brit.generation.evidence import Evidence, fact, plain, where
from brit.models import TextEncoder

MOST = 4
FEWEST = 2
MAX_WORDS = 50
ENCODED = 24  # sentences compared by meaning: at 10 ms each, a quarter of a second
STEM = 6
RANK_WEIGHT = 0.2

_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+(?=[^a-z])|(?<=[。！？])|\n+|\s[•·]\s")
_BULLETS = "•●○■▪◦·*–—- "
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_VISUAL = re.compile(
    r"\b(?:picture|image|photo|figure|fig|diagram|chart|graph|map|drawing|logo|colou?r|shown?|look"
    r"|bild|foto|abbildung|abb|diagramm|grafik|karte|zeichnung|farbe|farbig|zeig\w*|aussehen"
    r"|sieht|gezeigt)s?\b",
    re.IGNORECASE,
)
# Words a question is built with, not about: they tell its language and count for nothing else.
_ENGLISH = """the a an what who whom whose where when why how which is are was were be been do does
did has have had of and or in on at to for from by with about into can could will would should there
this that these those it its i me my you your we our they their many much any some used use tell"""
_GERMAN = """der die das den dem des ein eine einen einem einer eines wer wen wem was wo wann warum
wie welche welcher welches welchen wieviel wieviele viel viele ist sind war waren wird werden wurde
wurden hat haben hatte kann können soll und oder nicht in im an am auf aus bei mit nach von vom zu
zum zur für über unter um es er sie ich man wir ihr gibt"""
_FUNCTION_WORDS = {"en": frozenset(_ENGLISH.split()), "de": frozenset(_GERMAN.split())}
_GERMAN_LETTERS = re.compile("[äöüß]", re.IGNORECASE)


@dataclass(frozen=True)
class Framing:
    """The few sentences of ours around the quotes."""

    intro: str
    nothing: str
    far: str
    picture: str
    page: str
    quotes: str


_FRAMINGS = {
    "en": Framing(
        "The documents say:",
        "Not found in these documents.",
        "Not found in these documents. The nearest that was found:",
        "Picture",
        "page",
        "“”",
    ),
    "de": Framing(
        "In den Dokumenten steht:",
        "In diesen Dokumenten nicht gefunden.",
        "In diesen Dokumenten nicht gefunden. Am nächsten kommt:",
        "Bild",
        "Seite",
        "„“",
    ),
}


@dataclass(frozen=True)
class Sentence:
    """`number` is what it is cited by; 0 for a fact, whose `source` is told in words instead."""

    text: str
    number: int
    rank: int
    source: str = ""


def quote_evidence(evidence: Evidence, encoder: TextEncoder | None = None) -> Iterator[str]:
    """The lines of an extractive answer, in the question's language (English, German)."""
    retrieval = evidence.retrieval
    framing = _FRAMINGS[detect_language(retrieval.question)]
    sentences = best_sentences(retrieval.question, _sentences(evidence), encoder)
    picture = _picture_line(evidence, framing)
    if not sentences and not picture:
        yield framing.nothing
        return
    if retrieval.low_relevance:
        sentences = sentences[:FEWEST]
    yield f"{framing.far if retrieval.low_relevance else framing.intro}\n\n"
    for sentence in sentences:
        yield f"- {_quoted(sentence.text, framing)} {_source(sentence)}\n"
    if picture:
        yield f"- {picture}\n"


def detect_language(question: str) -> str:
    """«de» or «en», by function words and umlauts; «en» for everything else."""
    words = _WORD.findall(question.casefold())
    count = {
        language: sum(word in known for word in words)
        for language, known in _FUNCTION_WORDS.items()
    }
    german = count["de"] + len(_GERMAN_LETTERS.findall(question))
    return "de" if german > count["en"] else "en"


def best_sentences(
    question: str, sentences: Sequence[Sentence], encoder: TextEncoder | None = None
) -> list[Sentence]:
    """Two to four sentences, best first: words of the question they hold, weighted by rarity, the
    rank of their passage, and, with an encoder, nearness of meaning."""
    scores = _word_scores(question, sentences)
    order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))[:ENCODED]
    if encoder and len(order) > 1:
        near = _meaning_scores(question, [sentences[i].text for i in order], encoder)
        scores = {i: scores[i] + near[position] for position, i in enumerate(order)}
        order.sort(key=lambda i: (-scores[i], i))
    floor = 0.5 * scores[order[0]] if order else 0.0
    chosen = [i for n, i in enumerate(order[:MOST]) if n < FEWEST or scores[i] >= floor]
    return [sentences[i] for i in chosen]


def _word_scores(question: str, sentences: Sequence[Sentence]) -> dict[int, float]:
    function_words = {word[:STEM] for word in _FUNCTION_WORDS[detect_language(question)]}
    asked = sorted(_terms(question) - function_words)
    held = [_terms(sentence.text) for sentence in sentences]
    frequency = Counter(term for terms in held for term in terms)
    rarity = {t: math.log(1 + len(sentences) / frequency[t]) for t in asked if t in frequency}
    total = sum(rarity.values()) or 1.0
    return {
        index: sum(weight for term, weight in rarity.items() if term in terms) / total
        + RANK_WEIGHT / (1 + sentences[index].rank)
        for index, terms in enumerate(held)
    }


def _meaning_scores(question: str, texts: list[str], encoder: TextEncoder) -> list[float]:
    """Cosines stretched to 0–1 over these texts: encoders differ in where theirs lie."""
    cosines = encoder.encode_texts(texts) @ encoder.encode_texts([question], role="query")[0]
    low, high = float(cosines.min()), float(cosines.max())
    return [(float(cosine) - low) / (high - low or 1.0) for cosine in cosines]


def _terms(text: str) -> set[str]:
    """Words by their first six letters, which joins most inflections in most languages; pairs of
    characters where words are not spaced."""
    pairs = {run[i : i + 2] for run in _UNSPACED.findall(text) for i in range(max(1, len(run) - 1))}
    words = _WORD.findall(_UNSPACED.sub(" ", text).casefold())
    return pairs | {word[:STEM] for word in words}


def _sentences(evidence: Evidence) -> list[Sentence]:
    """Of all passages; of the facts where a retrieval holds no passage. Each text once."""
    found = evidence.retrieval
    sentences = [
        Sentence(text, rank + 1, rank)
        for rank, passage in enumerate(found.passages[: evidence.passages])
        for text in _split(passage.text)
    ]
    if not sentences:
        sentences = [
            Sentence(fact(triplet), 0, rank, where(triplet.document, triplet.page))
            for rank, triplet in enumerate(found.triplets[: evidence.triplets])
        ]
    unique = {sentence.text.casefold(): sentence for sentence in reversed(sentences)}
    return list(reversed(unique.values()))


def _split(text: str) -> list[str]:
    parts = (plain(part).lstrip(_BULLETS) for part in _SENTENCE_END.split(text))
    return [part for part in parts if len(part.split()) > 2 or _UNSPACED.search(part)]


def _picture_line(evidence: Evidence, framing: Framing) -> str:
    """The first picture, when the question is about something seen or a link led to it."""
    found = evidence.retrieval
    if not evidence.images or found.low_relevance:
        return ""
    image = found.images[0]
    if image.reason == "similarity" and not _VISUAL.search(found.question):
        return ""
    caption = f" {_quoted(plain(image.caption), framing)}" if image.caption else ""
    page = f", {framing.page} {image.page}" if image.page is not None else ""
    number = evidence.image_number(0)
    return f"{framing.picture}:{caption} ({plain(image.document)}{page}) [{number}]"


def _source(sentence: Sentence) -> str:
    return f"[{sentence.number}]" if sentence.number else f"({sentence.source})"


def _quoted(text: str, framing: Framing) -> str:
    words = text.split()
    short = " ".join(words[:MAX_WORDS]) + (" …" if len(words) > MAX_WORDS else "")
    return f"{framing.quotes[0]}{short}{framing.quotes[1]}"
