"""Answers to the questions of a test set: by the model, which costs, or by quoting."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brit.config import Budget
from brit.errors import InputError
from brit.evaluation.answers import NOT_ANSWERABLE, grade, short_answer
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.written import letter_of, lettered, show_picture
from brit.evaluation.methods import Found
from brit.generation import EXTRACTIVE, gather_evidence
from brit.generation.evidence import to_data_url
from brit.generation.extractive import quote_evidence
from brit.generation.language import found_nothing
from brit.models import LanguageModel, Message, TextEncoder
from brit.pipeline.benchmark_cap import capped
from brit.pipeline.models import Models
from brit.prompts import fill_prompt

MOST_PICTURES = 4
_LETTER = re.compile(r"\(([A-Z])\)|(?<![A-Za-z])([A-Z])(?![A-Za-z])")


@dataclass(frozen=True)
class Answering:
    """The `Answer` of a run. Without a `model` questions without choices are answered by quoting
    what BRIT found."""

    model: LanguageModel | None
    encoder: TextEncoder

    @classmethod
    def of(
        cls, models: Models, questions: Sequence[BenchmarkQuestion], cap: Budget | None
    ) -> Answering:
        """Raises InputError where nothing here can answer, or a cap in money cannot be kept."""
        model = models.language_model
        if model is None:
            if not any(is_free(each) for each in questions):
                raise InputError(
                    "No model is configured that answers: set one, or leave out the answers."
                )
            return cls(None, models.text_encoder)
        return cls(capped(model, cap, models.settings.workspace), models.text_encoder)

    @property
    def name(self) -> str:
        return self.model.name if self.model else EXTRACTIVE

    def __call__(self, question: BenchmarkQuestion, found: Found) -> tuple[str, dict[str, float]]:
        if question.choices:
            reply = self._ask(question, found)
            right = parse_letter(reply, question.choices) == letter_of(question) if reply else False
            return reply, {"answer": float(right)} if self.model else {}
        if not is_free(question):
            return "", {}
        reply = self._ask(question, found) if self.model else self._quote(question, found)
        if not reply:
            return "", {}
        graded = grade(question.answer, reply, question.answer_format)
        return reply, {"score": graded.score, "declined": float(graded.declined)}

    def _ask(self, question: BenchmarkQuestion, found: Found) -> str:
        if self.model is None:
            return ""
        messages = prompt_for(question, "\n".join(found.texts or ()) or "(none)")
        pictures = [image.path for image in found.images or () if image.path]
        shown = pictures[: self.model.image_limit][:MOST_PICTURES]
        urls = [to_data_url(Path(path).read_bytes()) for path in shown]
        messages = show_picture(messages, *urls) if urls else messages
        return self.model.complete(messages).text.strip() or NOT_ANSWERABLE

    def _quote(self, question: BenchmarkQuestion, found: Found) -> str:
        """ "" for a method that leaves no retrieval to be quoted from."""
        if found.retrieval is None:
            return ""
        said = "".join(quote_evidence(gather_evidence(found.retrieval), self.encoder))
        return NOT_ANSWERABLE if found_nothing(said) else short_answer(question.question, said)


def is_free(question: BenchmarkQuestion) -> bool:
    """Whether it has an answer, and of a form that can be graded, but no choices."""
    return bool(question.answer and question.answer_format and not question.choices)


def prompt_for(question: BenchmarkQuestion, texts: str) -> list[Message]:
    asked = question.question
    if not question.choices:
        return fill_prompt("benchmark_short", texts=texts, question=asked)
    choices = lettered(question.choices)
    return fill_prompt("benchmark_choose", texts=texts, question=asked, choices=choices)


def parse_letter(reply: str, choices: Sequence[str]) -> str:
    """The letter a model chose: the first in brackets, else the first that stands alone, else that
    of the choice it wrote out; "" where it chose none."""
    letters = string.ascii_uppercase[: len(choices)]
    found = [match[1] or match[2] for match in _LETTER.finditer(reply)]
    bracketed = [match[1] for match in _LETTER.finditer(reply) if match[1]]
    for letter in (*bracketed, *found):
        if letter in letters:
            return letter
    said = reply.strip(" .").casefold()
    return next(
        (a for a, each in zip(letters, choices, strict=True) if each.casefold() == said), ""
    )
