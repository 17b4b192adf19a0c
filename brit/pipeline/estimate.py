"""What reading documents with a language model will cost, before any of it is spent.

Files are read into the workspace first, which costs nothing and is not done again; then exactly
the calls are counted that building would make and the workspace does not hold yet. Tokens are
upper estimates: prompts by their bytes, replies as long as the text they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from brit.extraction.lmm import TRIPLETS_SCHEMA, ask_for_triplets, cut_chunks
from brit.lmm import CachedModel
from brit.lmm.metering import IMAGE_TOKENS, estimate_prompt, estimate_tokens
from brit.lmm.prices import Prices, read_prices
from brit.models import LanguageModel
from brit.pipeline.build import read_triplets
from brit.pipeline.descriptions import DESCRIPTION_SCHEMA, REPLY_TOKENS, files_to_describe
from brit.pipeline.ingestion import read_files
from brit.pipeline.models import Models
from brit.pipeline.spending import READING, money, spent_of, told
from brit.prompts import fill_prompt
from brit.storage import Workspace
from brit.types import (
    Extraction,
    Image,
    ModelUsage,
    OnPart,
    OnProgress,
    StoredBlock,
    no_part,
    no_progress,
)


@dataclass(frozen=True)
class DocumentEstimate:
    """`planned` is what is still to be spent on a document, by role and model."""

    document: str
    planned: tuple[ModelUsage, ...]

    @property
    def calls(self) -> int:
        return sum(each.calls for each in self.planned)


@dataclass(frozen=True)
class Estimate:
    """`money` is None where the price table does not know a model. `budget` says in words how the
    estimate stands to the budget, "" without one; `caveat` how far prices can be relied on."""

    documents: tuple[DocumentEstimate, ...]
    money: float | None
    currency: str
    budget: str = ""
    caveat: str = ""

    @property
    def planned(self) -> tuple[ModelUsage, ...]:
        return tuple(each for document in self.documents for each in document.planned)

    @property
    def calls(self) -> int:
        return sum(each.calls for each in self.planned)

    @property
    def prompt_tokens(self) -> int:
        return sum(each.prompt_tokens for each in self.planned)

    @property
    def completion_tokens(self) -> int:
        return sum(each.completion_tokens for each in self.planned)

    def in_words(self) -> str:
        """One sentence, and one each on the budget and on the prices where there is a word."""
        if not self.calls:
            return "No call of a language model is needed."
        models = ", ".join(dict.fromkeys(each.model for each in self.planned))
        price = "price unknown" if self.money is None else money(self.money, self.currency)
        cost = (
            f"At most about {self.calls:,} calls of {models}, {self.prompt_tokens:,} tokens to "
            f"read and {self.completion_tokens:,} to write: {price}."
        )
        return " ".join(filter(None, (cost, self.budget, self.caveat)))


def estimate_ingestion(
    workspace: Workspace,
    paths: Sequence[Path],
    collection: str,
    *,
    models: Models,
    password: str | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Estimate:
    """Read files into the workspace and say what building them would cost. Raises as `ingest`."""
    found = read_files(
        workspace, paths, collection,
        models=models, password=password, on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip
    rows = tuple(
        DocumentEstimate(each.name, _plan(workspace, each.id, models))
        for each in found
        if each.id and not each.ready
    )
    prices = read_prices(workspace.folder)
    planned = [usage for row in rows for usage in row.planned]
    said = _against_budget(workspace, models, planned, prices)
    return Estimate(rows, prices.cost(planned), prices.currency, said, prices.caveat(planned))


def _plan(workspace: Workspace, document: str, models: Models) -> tuple[ModelUsage, ...]:
    planner = _Planner(models.extraction_model)
    images = read_triplets(workspace, document, models, planner)
    seeing = _plan_descriptions(workspace, images, models)
    return tuple(each for each in (planner.planned, seeing) if each.calls)


def _plan_descriptions(workspace: Workspace, images: Sequence[Image], models: Models) -> ModelUsage:
    model = models.describer
    count = len(files_to_describe(workspace, images, models.settings.describe)) if model else 0
    rules = estimate_prompt(fill_prompt("description"), DESCRIPTION_SCHEMA) + IMAGE_TOKENS
    name = model.name if model else ""
    return ModelUsage("description", name, count, count * rules, count * REPLY_TOKENS, count)


class _Planner:
    """A TripletExtractor that finds nothing, and counts what asking would cost."""

    def __init__(self, model: LanguageModel | None) -> None:
        self.name = "planner"
        self.planned = ModelUsage("extraction", model.name if model else "", calls=0)
        self._model = model

    def extract(self, blocks: Sequence[StoredBlock], _on_part: OnPart = no_part) -> Extraction:
        for chunk in cut_chunks(blocks) if self._model else ():
            asked = ask_for_triplets(chunk)
            held = isinstance(self._model, CachedModel) and self._model.holds(
                asked, TRIPLETS_SCHEMA
            )
            if not held:
                text = " ".join(text for _, text in chunk)
                self._add(estimate_prompt(asked, TRIPLETS_SCHEMA), estimate_tokens(text))
        return Extraction((), ())

    def extract_entities(self, _: str) -> list[str]:
        return []

    def _add(self, prompt: int, completion: int) -> None:
        so_far = self.planned
        self.planned = ModelUsage(
            so_far.role,
            so_far.model,
            so_far.calls + 1,
            so_far.prompt_tokens + prompt,
            so_far.completion_tokens + completion,
            so_far.estimated + 1,
        )


def _against_budget(
    workspace: Workspace, models: Models, planned: Sequence[ModelUsage], prices: Prices
) -> str:
    budget = models.settings.budget
    if budget is None or not planned:
        return ""
    if budget.unit == "money" and prices.cost(planned) is None:
        return "The budget is in money, so the price table must know the model first."
    spent = spent_of(budget, workspace.calls.spent(READING), prices)
    left = budget.amount - spent
    fits = "It fits" if spent_of(budget, planned, prices) <= left else "It may not fit"
    share = max(left / budget.amount, 0.0) if budget.amount else 0.0
    return f"{fits} into the budget of {told(budget, prices)} ({share:.0%} left)."
