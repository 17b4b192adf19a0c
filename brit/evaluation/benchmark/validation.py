"""What makes a question no good (§4.2), and the reason each dropped one is counted under."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from brit.evaluation.benchmark.material import written_words
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.sampling import Slot
from brit.models import TextEncoder
from brit.types import stable_id

Reason = Literal[
    "nothing to ask",
    "too close to its source",
    "gives the answer away",
    "several right",
    "not answerable from the gold",
    "answered without the documents",
    "cannot be pointed at",
    "asked already",
    "reply not usable",
]
MAX_CHOICES = 6
_WORD = re.compile(r"\w+")


def question_for(
    slot: Slot,
    question: str,
    answer: str,
    facts: tuple[str, ...] = (),
    *,
    evidence: str = "",
    blocks: tuple[str, ...] = (),
) -> BenchmarkQuestion:
    """A draft with the gold of its slot."""
    image = slot.image
    return BenchmarkQuestion(
        id=stable_id(slot.document.id, image.id, slot.type, slot.source, question),
        doc=slot.document.name, type=slot.type, source=slot.source, question=question,
        answer=answer, made_by="embedded", image=image.id, image_hash=image.file, facts=facts,
        page=image.page, bbox=image.bbox, image_name=image.name or "", evidence_text=evidence,
        blocks=blocks,
    )  # fmt: skip


def max_similarity(encoder: TextEncoder) -> float:
    """Halfway between the cosine from which two names mean one thing, and 1: cosines of encoders
    differ, so one number would not serve all."""
    return round((1 + encoder.same_entity) / 2, 4)


def find_fault(
    draft: BenchmarkQuestion, caption: str, encoder: TextEncoder, threshold: float
) -> Reason | None:
    """What is wrong that needs no model to see it.

    The source that a question may not be close to is the text that tells where its evidence is: the
    caption of the gold image, or the evidence text.
    """
    if draft.type != "image-text" and not draft.image_name and not (draft.page and draft.bbox):
        return "cannot be pointed at"
    if fault := _fault_of_choices(draft) if draft.choices else _fault_of_answer(draft, caption):
        return fault
    if draft.type == "image-text" and not draft.choices and not _holds(draft):
        return "not answerable from the gold"
    source = draft.evidence_text if draft.type == "image-text" else caption
    if similarity(encoder, draft.question, source) > threshold:
        return "too close to its source"
    return None


def similarity(encoder: TextEncoder, question: str, source: str) -> float:
    """Cosine; 0 where there is no source."""
    if not source.strip():
        return 0.0
    rows = encoder.encode_texts([question, source])
    return float(np.dot(rows[0], rows[1]))


def _fault_of_choices(draft: BenchmarkQuestion) -> Reason | None:
    choices = [_plain(choice) for choice in draft.choices]
    if len(choices) < 2 or len(choices) > MAX_CHOICES or "" in choices:
        return "reply not usable"
    if len(set(choices)) < len(choices):
        return "several right"
    if draft.answer not in draft.choices:
        return "reply not usable"
    return "gives the answer away" if _is_said(draft.answer, draft.question) else None


def _fault_of_answer(draft: BenchmarkQuestion, caption: str) -> Reason | None:
    """An image-image question names what is to be seen; of the others the question may say neither
    the answer nor the whole caption, and no word of an answer that is in the text."""
    if draft.type == "image-image":
        return None
    asked = set(written_words(draft.question))
    said = _is_said(draft.answer, draft.question) or _is_said(caption, draft.question)
    shared = draft.type == "image-text" and asked & set(written_words(draft.answer))
    return "gives the answer away" if said or shared else None


def _holds(draft: BenchmarkQuestion) -> bool:
    return _is_said(draft.answer, draft.evidence_text)


def _is_said(answer: str, text: str) -> bool:
    words = _plain(answer)
    return bool(words) and f" {words} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def with_id(draft: BenchmarkQuestion, question: str) -> BenchmarkQuestion:
    """The draft, asked otherwise."""
    return replace(draft, question=question, id=stable_id(draft.id, question))
