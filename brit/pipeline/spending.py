"""What language models may cost, and what they did.

The budget bounds what reading documents costs in a workspace altogether: triplets and descriptions
of pictures. Questions are asked one at a time by a person, and are counted only.
"""

from __future__ import annotations

from collections.abc import Sequence

from brit.config import Budget, Settings
from brit.errors import BudgetSpent, InputError
from brit.lmm.prices import Prices, read_prices
from brit.storage.calls import CallStore
from brit.types import ModelUsage

READING = ("extraction", "description")
"""The roles whose calls are bounded by the budget."""


class RoleMeter:
    """The `Meter` of one role: each call is kept in the workspace's ledger, and none is made once
    the budget is used up."""

    def __init__(self, calls: CallStore, settings: Settings, role: str, model: str) -> None:
        self._calls = calls
        self._role = role
        self._model = model
        self._budget = settings.budget if role in READING else None
        self._prices = read_prices(settings.workspace) if self._budget else None

    def check(self) -> None:
        """Raises BudgetSpent; InputError where a budget in money meets a model without a price."""
        if self._budget is None or self._prices is None:
            return
        if self._budget.unit == "money" and self._prices.price(self._model) is None:
            raise InputError(
                f"BRIT_BUDGET is in money, and the price table does not know «{self._model}»: add "
                "it to prices.toml in the workspace folder, or set BRIT_BUDGET in tokens."
            )
        if spent_of(self._budget, self._calls.spent(READING), self._prices) >= self._budget.amount:
            raise BudgetSpent(
                f"The budget of {told(self._budget, self._prices)} is used up. What was finished "
                "stays: raise BRIT_BUDGET, then resume or add the files again."
            )

    def record(self, prompt_tokens: int, completion_tokens: int, *, estimated: bool) -> None:
        self._calls.record(
            ModelUsage(self._role, self._model, 1, prompt_tokens, completion_tokens, int(estimated))
        )


def spent_of(budget: Budget, spent: Sequence[ModelUsage], prices: Prices) -> float:
    """In the unit of the budget; models without a price, from earlier days, cost nothing."""
    if budget.unit == "tokens":
        return sum(usage.tokens for usage in spent)
    return sum(prices.cost([usage]) or 0.0 for usage in spent)


def told(budget: Budget, prices: Prices) -> str:
    """«2.50 USD», «200,000 tokens»."""
    if budget.unit == "tokens":
        return f"{budget.amount:,.0f} tokens"
    return money(budget.amount, prices.currency)


def money(amount: float, currency: str) -> str:
    """Small amounts with as many places as they need: «2.50 USD», «0.0004 USD»."""
    return f"{amount:.2f} {currency}" if amount >= 0.1 or not amount else f"{amount:.4f} {currency}"
