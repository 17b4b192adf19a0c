"""Triplets and query entities by a language model (§3.1, §3.2).

Text goes to the model in chunks of consecutive blocks, at most `CHUNK_WORDS` words; every triplet
comes back to the block its names stand in. What names nothing of the chunk is an invention, or an
order out of the text that was obeyed, and is dropped.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from brit.errors import MalformedReply, ModelError, TooLong
from brit.models import LanguageModel, Message, TripletExtractor
from brit.prompts import fill_prompt
from brit.types import (
    Entity,
    Extraction,
    ImageBlock,
    OnPart,
    StoredBlock,
    TextBlock,
    Triplet,
    no_part,
)

CHUNK_WORDS = 300
MAX_NAME = 80
_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])|\n+")
_KIND = re.compile(r"[^A-Z]")
_log = logging.getLogger(__name__)

Chunk = list[tuple[str, str]]  # (block id, text)

_FIELDS = ("subject", "subject_kind", "relation", "object", "object_kind")
TRIPLETS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "triplets": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {field: {"type": "string"} for field in _FIELDS},
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": ["triplets"],
    "additionalProperties": False,
}
ENTITIES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"entities": {"type": "array", "items": {"type": "string"}}},
    "required": ["entities"],
    "additionalProperties": False,
}


class LmmExtractor:
    """A TripletExtractor that asks `model`; `fallback` names a question's entities without it."""

    def __init__(self, model: LanguageModel, fallback: TripletExtractor) -> None:
        self._model = model
        self._fallback = fallback
        self.name = f"lmm/{model.name}"

    def extract(self, blocks: Sequence[StoredBlock], on_part: OnPart = no_part) -> Extraction:
        """One call a chunk; one that the model's context is too short for is asked for in halves.
        A chunk whose reply is unusable is skipped and counted.

        Raises ModelError for what the next chunk would suffer too: no server, a wrong key.
        """
        triplets: list[Triplet] = []
        skipped = 0
        chunks = list(cut_chunks(blocks))
        for done, chunk in enumerate(chunks):
            on_part(done, len(chunks))
            try:
                triplets += self._extract_chunk(chunk)
            except (MalformedReply, TooLong) as error:
                _log.warning("a chunk was skipped: %s", error)
                skipped += 1
        ends = (end for triplet in triplets for end in (triplet.subject, triplet.object))
        return Extraction(tuple(dict.fromkeys(triplets)), tuple(dict.fromkeys(ends)), skipped)

    def extract_entities(self, text: str) -> list[str]:
        """By the 1-shot prompt of §3.2; by `fallback` where the model fails or names nothing."""
        try:
            reply = self._model.complete(
                fill_prompt("query_entities", question=text), ENTITIES_SCHEMA
            )
        except ModelError as error:
            _log.warning("the question's entities come from %s: %s", self._fallback.name, error)
            return self._fallback.extract_entities(text)
        names = [_clean(name) for name in reply.data["entities"]]
        return list(dict.fromkeys(filter(None, names))) or self._fallback.extract_entities(text)

    def _extract_chunk(self, chunk: Chunk) -> list[Triplet]:
        try:
            reply = self._model.complete(ask_for_triplets(chunk), TRIPLETS_SCHEMA)
        except TooLong:
            if not (half := len(chunk) // 2):
                raise
            return [*self._extract_chunk(chunk[:half]), *self._extract_chunk(chunk[half:])]
        placed = (_place(found, chunk) for found in reply.data["triplets"])
        return [triplet for triplet in placed if triplet]


def ask_for_triplets(chunk: Chunk) -> list[Message]:
    """The call that is made for a chunk."""
    return fill_prompt("extraction", text="\n\n".join(text for _, text in chunk))


def cut_chunks(blocks: Sequence[StoredBlock]) -> list[Chunk]:
    """Consecutive pieces of text with the block each stands in, at most CHUNK_WORDS a chunk."""
    chunks: list[Chunk] = [[]]
    words = 0
    for id, text in _pieces(blocks):
        length = len(text.split())
        if chunks[-1] and words + length > CHUNK_WORDS:
            chunks.append([])
            words = 0
        chunks[-1].append((id, text))
        words += length
    return [chunk for chunk in chunks if chunk]


def _pieces(blocks: Sequence[StoredBlock]) -> Iterator[tuple[str, str]]:
    """(block id, text), a block longer than a chunk cut at sentence ends."""
    for stored in blocks:
        text = _text_of(stored)
        if len(text.split()) <= CHUNK_WORDS:
            yield from [(stored.id, text)] if text.strip() else []
            continue
        piece = ""
        for sentence in split_sentences(text):
            if piece and len(f"{piece} {sentence}".split()) > CHUNK_WORDS:
                yield stored.id, piece
                piece = ""
            piece = f"{piece} {sentence}".strip()
        yield stored.id, piece


def _text_of(stored: StoredBlock) -> str:
    """Running titles repeat on every page and state nothing; a picture has its caption."""
    block = stored.block
    if isinstance(block, ImageBlock):
        return block.caption
    if isinstance(block, TextBlock) and block.kind in ("header", "footer"):
        return ""
    return block.text


def split_sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def _place(found: dict[str, str], chunk: Chunk) -> Triplet | None:
    """The triplet in the sentence that holds most of its two names; None where none is held."""
    subject, relation, object_ = (_clean(found[end]) for end in ("subject", "relation", "object"))
    if not (subject and relation and object_) or subject.casefold() == object_.casefold():
        return None
    names = (subject.casefold(), object_.casefold())
    held, _, block, sentence = max(
        (sum(name in sentence.casefold() for name in names), -position, block, sentence)
        for position, (block, sentence) in enumerate(
            (block, sentence) for block, text in chunk for sentence in split_sentences(text)
        )
    )
    if not held:
        return None
    ends = (
        Entity(subject, _kind(found["subject_kind"]), block),
        Entity(object_, _kind(found["object_kind"]), block),
    )
    return Triplet(ends[0], relation, ends[1], block, sentence)


def _clean(name: str) -> str:
    return " ".join(name.split())[:MAX_NAME]


def _kind(kind: str) -> str:
    return _KIND.sub("", kind.upper())[:20] or "TERM"
