"""Answers to the questions of a test set: by the model, which costs, or by quoting."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brit.config import Budget
from brit.errors import BudgetSpent, InputError
from brit.evaluation.answers import NOT_ANSWERABLE, grade, short_answer
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.written import letter_of, lettered, show_picture
from brit.evaluation.methods import Found
from brit.evaluation.metrics import WORD_BUDGET
from brit.generation import EXTRACTIVE, gather_evidence
from brit.generation.evidence import to_data_url
from brit.generation.extractive import quote_evidence
from brit.generation.language import found_nothing
from brit.lmm.metering import IMAGE_TOKENS, estimate_prompt
from brit.lmm.prices import Prices, read_prices
from brit.models import LanguageModel, Message, TextEncoder
from brit.pipeline.estimate import DocumentEstimate, Estimate
from brit.pipeline.models import Models
from brit.pipeline.spending import spent_of, told
from brit.prompts import fill_prompt
from brit.storage import Workspace
from brit.types import ModelUsage

ROLE = "benchmark"
WORD_TOKENS = 3  # an upper estimate, as `estimate_tokens` makes it of words of nine letters
MOST_PICTURES = 4
REPLY_TOKENS = 60
_LETTER = re.compile(r"\(([A-Z])\)|(?<![A-Za-z])([A-Z])(?![A-Za-z])")


@dataclass(frozen=True)
class Cap:
    """What answers may cost from `before` (the model's usage) on."""

    budget: Budget
    prices: Prices
    before: dict[str, int]

    def check(self, model: LanguageModel) -> None:
        """Raises BudgetSpent."""
        now = {name: count - self.before.get(name, 0) for name, count in model.usage.items()}
        usage = ModelUsage(ROLE, model.name, 0, now["prompt_tokens"], now["completion_tokens"])
        if spent_of(self.budget, [usage], self.prices) >= self.budget.amount:
            raise BudgetSpent(
                f"The cap of {told(self.budget, self.prices)} is reached. The results so far stay: "
                "the same command goes on with what is missing."
            )


@dataclass(frozen=True)
class Answering:
    """The `Answer` of a run. Without a `model` questions without choices are answered by quoting
    what BRIT found."""

    model: LanguageModel | None
    encoder: TextEncoder
    cap: Cap | None = None

    @classmethod
    def of(
        cls, models: Models, questions: Sequence[BenchmarkQuestion], cap: Budget | None
    ) -> Answering:
        """Raises InputError where nothing here can answer, or a cap in money cannot be kept."""
        model = models.language_model
        if model is None:
            if not any(_is_free(each) for each in questions):
                raise InputError(
                    "No model is configured that answers: set one, or leave out the answers."
                )
            return cls(None, models.text_encoder)
        if cap is None:
            return cls(model, models.text_encoder)
        prices = read_prices(models.settings.workspace)
        if cap.unit == "money" and prices.price(model.name) is None:
            raise InputError(
                f"The cap is in money, and the price table does not know “{model.name}”: add it to "
                "prices.toml in the workspace folder, or give the cap in tokens."
            )
        return cls(model, models.text_encoder, Cap(cap, prices, dict(model.usage)))

    @property
    def name(self) -> str:
        return self.model.name if self.model else EXTRACTIVE

    def __call__(self, question: BenchmarkQuestion, found: Found) -> tuple[str, dict[str, float]]:
        if question.choices:
            reply = self._ask(question, found)
            right = parse_letter(reply, question.choices) == letter_of(question) if reply else False
            return reply, {"answer": float(right)} if self.model else {}
        if not _is_free(question):
            return "", {}
        reply = self._ask(question, found) if self.model else self._quote(question, found)
        if not reply:
            return "", {}
        graded = grade(question.answer, reply, question.answer_format)
        return reply, {"score": graded.score, "declined": float(graded.declined)}

    def _ask(self, question: BenchmarkQuestion, found: Found) -> str:
        if self.model is None:
            return ""
        if self.cap:
            self.cap.check(self.model)
        messages = _prompt(question, "\n".join(found.texts or ()) or "(none)")
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


def _is_free(question: BenchmarkQuestion) -> bool:
    """Whether it has an answer, and of a form that can be graded, but no choices."""
    return bool(question.answer and question.answer_format and not question.choices)


def _prompt(question: BenchmarkQuestion, texts: str) -> list[Message]:
    asked = question.question
    if not question.choices:
        return fill_prompt("benchmark_short", texts=texts, question=asked)
    choices = lettered(question.choices)
    return fill_prompt("benchmark_choose", texts=texts, question=asked, choices=choices)


def estimate_answers(
    workspace: Workspace, questions: Sequence[BenchmarkQuestion], methods: int, models: Models
) -> Estimate:
    """What answering them once a method would cost at most, before anything is asked: prompts with
    all the words that count and as many pictures as are shown."""
    model = models.language_model
    prices = read_prices(workspace.folder)
    wanted = [each for each in questions if each.choices or _is_free(each)] if model else []
    shown = min(MOST_PICTURES if model is None or model.image_limit is None else model.image_limit,
                MOST_PICTURES)  # fmt: skip
    evidence = WORD_BUDGET * WORD_TOKENS + shown * IMAGE_TOKENS
    tokens = sum(estimate_prompt(_prompt(each, "")) + evidence for each in wanted) * methods
    calls = len(wanted) * methods
    planned = ModelUsage(
        ROLE, model.name if model else "", calls, tokens, calls * REPLY_TOKENS, calls
    )
    rows = (DocumentEstimate("", (planned,)),) if calls else ()
    money = prices.cost([planned]) if calls else 0.0
    return Estimate(rows, money, prices.currency, caveat=prices.caveat([planned]))


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
