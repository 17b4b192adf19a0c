"""What the model of a benchmark may cost in one call of `make` or `run`."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

from brit.config import Budget
from brit.errors import BudgetSpent, InputError
from brit.lmm.prices import read_prices
from brit.models import LanguageModel, Message
from brit.pipeline.spending import spent_of, told
from brit.types import Completion, ModelUsage

ROLE = "benchmark"


class CappedModel:
    """A `LanguageModel` that is asked no more once it has cost the cap, from here on."""

    def __init__(self, model: LanguageModel, cap: Budget, workspace: Path) -> None:
        """Raises InputError where a cap in money cannot be kept."""
        self._model, self._cap = model, cap
        self._prices, self._before = read_prices(workspace), dict(model.usage)
        if cap.unit == "money" and self._prices.price(model.name) is None:
            raise InputError(
                f"The cap is in money, and the price table does not know “{model.name}”: add it to "
                "prices.toml in the workspace folder, or give the cap in tokens."
            )

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def accepts_images(self) -> bool:
        return self._model.accepts_images

    @property
    def image_limit(self) -> int | None:
        return self._model.image_limit

    @property
    def prompt_limit(self) -> int | None:
        return self._model.prompt_limit

    @property
    def usage(self) -> dict[str, int]:
        return self._model.usage

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        """Raises BudgetSpent, ModelError."""
        self._check()
        return self._model.complete(messages, schema)

    def stream(self, messages: list[Message]) -> Generator[str, None, None]:
        """Raises BudgetSpent, ModelError."""
        self._check()
        return self._model.stream(messages)

    def _check(self) -> None:
        now = {name: n - self._before.get(name, 0) for name, n in self._model.usage.items()}
        usage = ModelUsage(ROLE, self.name, 0, now["prompt_tokens"], now["completion_tokens"])
        if spent_of(self._cap, [usage], self._prices) >= self._cap.amount:
            raise BudgetSpent(
                f"The cap of {told(self._cap, self._prices)} is reached. What there is stays: go "
                "on with what is missing, at the same cap once more."
            )


def capped(model: LanguageModel, cap: Budget | None, workspace: Path) -> LanguageModel:
    """Raises InputError where a cap in money cannot be kept."""
    return CappedModel(model, cap, workspace) if cap else model
