"""Questions by a model that sees the picture, and its part in checking them (§4.1, §4.2)."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from brit.errors import MalformedReply
from brit.evaluation.benchmark.making import Draft
from brit.evaluation.benchmark.material import written_words
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.sampling import Slot
from brit.evaluation.benchmark.validation import (
    Reason,
    find_fault,
    question_for,
    similarity,
    with_id,
)
from brit.models import LanguageModel, Message, TextEncoder
from brit.prompts import fill_prompt
from brit.types import Image

SECTION_WORDS = 300
REVISIONS = 3
HELD = 0.8
"""Share of the words of a fact that must stand in the text it is said to be copied from."""
See = Callable[[Image], str]
"""An image → a data URL."""
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
PROMPTS = {
    "text-image": ("benchmark_text_image", "facts", _TEXTS),
    "image-text": ("benchmark_image_text", "facts", _TEXTS),
    "image-image": ("benchmark_image_image", "phrase", _TEXT),
}


def _schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


REVISED = _schema(question=_TEXT)
LETTERS = _schema(letters=_TEXTS)


class WrittenGenerator:
    """Slot → the draft a model writes for it. Raises ModelError for what the next would suffer."""

    def __init__(self, model: LanguageModel, see: See) -> None:
        self._model, self._see = model, see

    def __call__(self, slot: Slot) -> Iterator[Draft]:
        prompt, extra, form = PROMPTS[slot.type]
        text, blocks = source_text(slot)
        if slot.type != "image-image" and not text:
            return
        values = {} if slot.type == "image-image" else {"text": text, "what": _WHAT[slot.source]}
        messages = show_picture(fill_prompt(prompt, **values), self._see(slot.image))
        schema = _schema(question=_TEXT, choices=_TEXTS, answer=_TEXT, **{extra: form})
        try:
            reply = self._model.complete(messages, schema).data
        except MalformedReply:
            yield "reply not usable"
            return
        facts = () if slot.type == "image-image" else tuple(_clean(reply["facts"]))
        draft = question_for(slot, " ".join(reply["question"].split()), reply["answer"].strip(),
                             facts, blocks=blocks)  # fmt: skip
        draft = replace(draft, choices=tuple(_clean(reply["choices"])), made_by="model")
        if slot.type == "image-image":
            yield replace(draft, phrase=" ".join(reply["phrase"].split()))
        elif not facts or not all(_is_copied(fact, text) for fact in facts):
            yield "not answerable from the gold"
        elif slot.type == "image-text":
            yield replace(draft, evidence_text=" ".join(facts))
        else:
            yield draft


_WHAT = {"caption": "its caption", "section": "the section it stands in", "picture": ""}


def source_text(slot: Slot) -> tuple[str, tuple[str, ...]]:
    """What the question is made from, and its blocks: the caption, or the first words of the prose
    of its section."""
    if slot.source == "caption":
        return slot.image.caption, (slot.image.block,)
    prose = slot.document.prose
    texts, blocks, words = [], [], 0
    for stored in slot.document.sections.get(slot.image.section, ()):
        if stored.id in prose and words < SECTION_WORDS:
            texts.append(prose[stored.id])
            blocks.append(stored.id)
            words += len(prose[stored.id].split())
    return "\n".join(texts), tuple(blocks)


@dataclass(frozen=True)
class Examiner:
    """Checks drafts: the rules, then a model that asks otherwise what is too close to its source,
    and answers without documents and from the gold."""

    model: LanguageModel
    see: See
    encoder: TextEncoder
    threshold: float

    def __call__(self, draft: BenchmarkQuestion, slot: Slot) -> Draft:
        try:
            draft = self._revised(draft)
            if fault := find_fault(draft, _source(draft), self.encoder, self.threshold):
                return fault
            return self._fault(draft, slot) or draft
        except MalformedReply:
            return "reply not usable"

    def _revised(self, draft: BenchmarkQuestion) -> BenchmarkQuestion:
        for _ in range(REVISIONS):
            if similarity(self.encoder, draft.question, _source(draft)) <= self.threshold:
                break
            messages = fill_prompt(
                "benchmark_revise",
                text=_source(draft), question=draft.question, answer=draft.answer,
            )  # fmt: skip
            question = self.model.complete(messages, REVISED).data["question"]
            draft = with_id(draft, " ".join(question.split()))
        return draft

    def _fault(self, draft: BenchmarkQuestion, slot: Slot) -> Reason | None:
        right = letter_of(draft)
        if right in self._letters(draft, "(none)", ""):
            return "answered without the documents"
        seen = "" if draft.type == "image-text" else self.see(slot.image)
        letters = self._letters(draft, "\n".join(draft.facts) or "(the picture)", seen)
        if right not in letters:
            return "not answerable from the gold"
        return "several right" if len(letters) > 1 else None

    def _letters(self, draft: BenchmarkQuestion, evidence: str, picture: str) -> set[str]:
        messages = fill_prompt(
            "benchmark_examine",
            question=draft.question, choices=lettered(draft.choices), evidence=evidence,
        )  # fmt: skip
        messages = show_picture(messages, picture) if picture else messages
        reply = self.model.complete(messages, LETTERS).data["letters"]
        return {each.strip(" ().").upper()[:1] for each in reply} - {""}


def _source(draft: BenchmarkQuestion) -> str:
    return " ".join(draft.facts)


def lettered(choices: Sequence[str]) -> str:
    """One choice a line: (A) first."""
    rows = zip(string.ascii_uppercase, choices, strict=False)
    return "\n".join(f"({letter}) {choice}" for letter, choice in rows)


def letter_of(question: BenchmarkQuestion) -> str:
    """Of the right choice."""
    return string.ascii_uppercase[question.choices.index(question.answer)]


def show_picture(messages: list[Message], *pictures: str) -> list[Message]:
    """The last turn with pictures (data URLs) behind its text."""
    *before, last = messages
    parts = [{"type": "text", "text": last["content"]}] + [
        {"type": "image_url", "image_url": {"url": url}} for url in pictures
    ]
    return [*before, {**last, "content": parts}]


def _clean(texts: Sequence[str]) -> list[str]:
    return [" ".join(each.split()) for each in texts if each.strip()]


def _is_copied(fact: str, text: str) -> bool:
    words, there = written_words(fact), set(written_words(text))
    return not words or sum(word in there for word in words) >= HELD * len(words)
