"""What the model of a benchmark would cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence

from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.written import PROMPTS, REVISIONS, SECTION_WORDS
from brit.evaluation.metrics import WORD_BUDGET
from brit.lmm.metering import IMAGE_TOKENS, estimate_prompt
from brit.lmm.prices import read_prices
from brit.models import LanguageModel
from brit.pipeline.benchmark import seeing
from brit.pipeline.benchmark_answers import MOST_PICTURES, is_free, prompt_for
from brit.pipeline.benchmark_cap import ROLE
from brit.pipeline.estimate import DocumentEstimate, Estimate
from brit.pipeline.models import Models
from brit.prompts import fill_prompt
from brit.storage import Workspace
from brit.types import ModelUsage

WORD_TOKENS = 3  # an upper estimate, as `estimate_tokens` makes it of words of nine letters
ANSWER_TOKENS, QUESTION_TOKENS = 60, 200
EXAMINED = 2
"""Times: without the documents, and from the gold."""


def estimate_making(workspace: Workspace, models: Models, count: int) -> Estimate:
    """What `count` drafts would cost at most. How many are dropped nobody knows before. Raises
    InputError where no model is configured that sees pictures."""
    model = seeing(models)
    prompts = [
        fill_prompt(name, text="", what="") if name != PROMPTS["image-image"][0]
        else fill_prompt(name) for name, _, _ in PROMPTS.values()
    ]  # fmt: skip
    each = max(map(estimate_prompt, prompts)) + SECTION_WORDS * WORD_TOKENS + IMAGE_TOKENS
    calls = count * (1 + REVISIONS + EXAMINED)
    dropped = (
        "That is one draft a question; each that is dropped costs as much again, so set a cap."
    )
    return _estimate(workspace, model, calls, calls * each, calls * QUESTION_TOKENS, dropped)


def estimate_answers(
    workspace: Workspace, questions: Sequence[BenchmarkQuestion], methods: int, models: Models
) -> Estimate:
    """What answering them once a method would cost at most: prompts with all the words that count
    and as many pictures as are shown."""
    model = models.language_model
    wanted = [each for each in questions if each.choices or is_free(each)] if model else []
    limit = None if model is None else model.image_limit
    shown = MOST_PICTURES if limit is None else min(limit, MOST_PICTURES)
    evidence = WORD_BUDGET * WORD_TOKENS + shown * IMAGE_TOKENS
    tokens = sum(estimate_prompt(prompt_for(each, "")) + evidence for each in wanted) * methods
    calls = len(wanted) * methods
    return _estimate(workspace, model, calls, tokens, calls * ANSWER_TOKENS)


def _estimate(
    workspace: Workspace,
    model: LanguageModel | None,
    calls: int,
    prompt: int,
    reply: int,
    caveat: str = "",
) -> Estimate:
    prices = read_prices(workspace.folder)
    planned = ModelUsage(ROLE, model.name if model else "", calls, prompt, reply, calls)
    if not calls:
        return Estimate((), 0.0, prices.currency)
    said = " ".join(filter(None, (caveat, prices.caveat([planned]))))
    rows = (DocumentEstimate("", (planned,)),)
    return Estimate(rows, prices.cost([planned]), prices.currency, caveat=said)
