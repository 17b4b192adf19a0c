"""A text → claims, each with the aspects to look at: by a model, or by sentence and clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from brit.errors import MalformedReply
from brit.models import LanguageModel
from brit.prompts import fill_prompt
from brit.types import Aspect, Claim, Mode, NamedObject, stable_id
from brit.verification.colours import COLOURS
from brit.verification.quantities import MEASURE_WORDS, spelled_number
from brit.verification.wording import (
    cut_sentences,
    names,
    one_line,
    states_something,
    stem,
    words,
)

MAX_CLAIMS = 60
NamePhrases = Callable[[str], list[str]]
"""The noun phrases and names of a text: `TripletExtractor.extract_entities`."""

_MARKERS = re.compile(r"\s*[\[【]\s*\d[\d\s,;–-]*[\]】]")
_BULLET = re.compile(r"^\s*(?:[•●○■▪*·–—-]|\d{1,2}[.)])\s+")
# «Picture: “…” (file.pdf, page 3) – Ostrel burns Tellune»: where a quotation is from, and the
# way there, are no claims.
_PICTURE_LABEL = re.compile(
    r"^(?:picture|bild|figure|abbildung|image|imagen)\s?\d{0,3}:\s*", re.IGNORECASE
)
_SOURCE = re.compile(r"\s*\([^()]{1,300}\)(?: – [^\n]{1,600})?$")
_OPENING = tuple('“„"«')
# «“…” (file.pdf, page 3)»: where a quotation, or a row of a table, is from.
_QUOTED_FROM = re.compile(r"(?<=[”“»\"])\s*\([^()]{1,300}\)$")
_PLACE = re.compile(r"\s*\([^()]{1,300}, (?:page|Seite|página) \d{1,6}\)$")
_CLAUSE = re.compile(r";\s+|,?\s+(?:and|but|und|aber)\s+(?=(?:it|he|she|they|es|er|sie|the|der)\s)")
_QUOTED = re.compile(r"[“„«\"‘]([^“”„«»\"]{1,120}?)[”“»\"’]|(?<!\w)'([^']{1,120}?)'(?!\w)")
_WRITTEN = re.compile(
    r"\b(?:reads?|says?|saying|written|printed|text|word|words|letters?|lettering|label(?:led|ed)?"
    r"|sign|inscription|title|liest|steht|aufschrift|beschriftet|schild)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:left|right|top|bottom|above|below|under|beneath|behind|beside|between|next to"
    r"|in front of|on the|links|rechts|oben|unten|über|unter|neben|hinter|vor)\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:picture|image|photo\w*|figure|fig|drawing|diagram|shows?|shown|depict\w*|see[ns]?"
    r"|bild\w*|foto|abbildung|abb|zeigt|zeichnung)\b",
    re.IGNORECASE,
)
_ACTING = re.compile(r"\b(?:is|are|was|were)\s+(?:\w+\s+)?\w{2,}ing\b", re.IGNORECASE)
_PLAIN_FRAME = frozenset(("picture", "image", "photo", "photograph", "figure", "side", "scene"))

_OBJECT_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": ["integer", "null"]},
        "colour": {"type": "string"},
    },
    "required": ["name", "count", "colour"],
    "additionalProperties": False,
}
CLAIMS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "integer"},
                    "claim": {"type": "string"},
                    "aspects": {
                        "type": "array",
                        "items": {"enum": ["object", "attribute", "scene-text", "fact"]},
                    },
                    "objects": {"type": "array", "items": _OBJECT_SCHEMA},
                    "quotes": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["sentence", "claim", "aspects", "objects", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


def cut_claims(text: str, name_phrases: NamePhrases, *, of_picture: bool) -> list[Claim]:
    """Claims by sentence and clause, at most MAX_CLAIMS. `of_picture`: the whole text is about a
    picture; else only what says so is."""
    claims = []
    for start, end in _statements(text):
        for clause in _CLAUSE.split(_bare(text[start:end])):
            if len(words(clause)) > 1:
                claims.append(replace(read_claim(clause, name_phrases, of_picture=of_picture),
                                      start=start, end=end))  # fmt: skip
    return claims[:MAX_CLAIMS]


def read_claim(text: str, name_phrases: NamePhrases, *, of_picture: bool) -> Claim:
    """One claim with the aspects its words call for."""
    quotes = _written_quotes(text)
    visual = of_picture or bool(_SHOWN.search(_unquoted(text)))
    objects = _objects(_unquoted(text), name_phrases) if visual else ()
    if quotes:  # the sign is there where its letters are read
        objects = tuple(each for each in objects if not _WRITTEN.search(each.name))
    coloured = any(each.colour for each in objects)
    attribute = coloured or bool(_PLACED.search(text)) or bool(_ACTING.search(text))
    fact = not of_picture or bool(names(_unquoted(text))) or not (objects or quotes)
    wanted: dict[Aspect, bool] = {
        "object": bool(objects),
        "attribute": visual and attribute,
        "scene-text": bool(quotes),
        "fact": fact,
    }
    aspects = tuple(aspect for aspect, called in wanted.items() if called)
    return Claim(text, 0, len(text), aspects, objects, quotes)


def ask_claims(text: str, model: LanguageModel, mode: Mode) -> list[Claim]:
    """Claims by a model, one request. What names no sentence of the text is dropped.

    Raises ModelError; MalformedReply where nothing usable came.
    """
    spans = list(_statements(text))
    if not spans:
        return []
    lines = [f"{n}. {one_line(text[a:b])}" for n, (a, b) in enumerate(spans, start=1)]
    fence = f"text {stable_id(*lines)}"
    reply = model.complete(
        fill_prompt("claims", fence=fence, mode=mode, text="\n".join(lines)), CLAIMS_SCHEMA
    )
    claims = [_told(item, spans) for item in reply.data["claims"]]
    kept = [claim for claim in claims if claim]
    if not kept:
        raise MalformedReply(f"«{model.name}» found no claims in the answer.")
    return kept[:MAX_CLAIMS]


def _told(item: dict[str, Any], spans: Sequence[tuple[int, int]]) -> Claim | None:
    text, number = one_line(item["claim"]), item["sentence"]
    if not text or not 1 <= number <= len(spans):
        return None
    start, end = spans[number - 1]
    return Claim(
        text,
        start,
        end,
        tuple(dict.fromkeys(item["aspects"])) or ("fact",),
        tuple(
            NamedObject(one_line(each["name"]), each["count"], each["colour"].casefold())
            for each in item["objects"]
            if each["name"].strip()
        ),
        tuple(one_line(quote) for quote in item["quotes"] if quote.strip()),
    )


def _statements(text: str) -> Iterator[tuple[int, int]]:
    return ((a, b) for a, b in cut_sentences(text) if states_something(_bare(text[a:b])))


def _bare(sentence: str) -> str:
    """Without citation markers, bullet, the label of a picture, the source, and the marks of a
    quotation that is the whole sentence."""
    text = _BULLET.sub("", _MARKERS.sub("", sentence)).strip()
    if label := _PICTURE_LABEL.match(text):
        text = _SOURCE.sub("", text[label.end() :])
    text = _PLACE.sub("", text)
    if text[:1] in _OPENING:
        text = _QUOTED_FROM.sub("", text)
    whole = len(text) > 2 and text[0] in _OPENING and not any(c in text[1:-1] for c in "“„«")
    return text.strip('“”„"«» ') if whole else text


def _written_quotes(text: str) -> tuple[str, ...]:
    """Quoted text that the claim says stands somewhere to be read."""
    if not _WRITTEN.search(_unquoted(text)):
        return ()
    found = (one_line(a or b) for a, b in _QUOTED.findall(text))
    return tuple(dict.fromkeys(quote for quote in found if quote))


def _unquoted(text: str) -> str:
    return _QUOTED.sub(" ", text)


def _objects(text: str, name_phrases: NamePhrases) -> tuple[NamedObject, ...]:
    found = (_object(phrase, text) for phrase in name_phrases(text))
    kept = {each.name: each for each in found if each and each.name not in _PLAIN_FRAME}
    return tuple(kept.values())


def _object(phrase: str, text: str) -> NamedObject | None:
    """«two black cats» → cats, 2, black; None for what is no thing («12 kg», «1987»)."""
    parts = words(phrase)
    count = spelled_number(parts[0]) if parts else None
    bare = [part for part in parts if spelled_number(part) is None and part.casefold() != "no"]
    if re.search(rf"\bno {re.escape(' '.join(bare))}\b", text, re.IGNORECASE):
        count = 0
    colour = next((part.casefold() for part in bare if part.casefold() in COLOURS), "")
    name = [part for part in bare if part.casefold() not in COLOURS]
    if not name or any(c.isdigit() for part in name for c in part):
        return None
    if count is not None and all(stem(part) in MEASURE_WORDS for part in name):
        return None
    noun = " ".join(name)
    return NamedObject(noun.casefold(), count, colour or _said_colour(noun, text))


def _said_colour(noun: str, text: str) -> str:
    """«The umbrella is green» → green."""
    said = re.search(rf"\b{re.escape(noun)}\s+(?:is|are|was|were)\s+(\w+)", text, re.IGNORECASE)
    return said[1].casefold() if said and said[1].casefold() in COLOURS else ""
