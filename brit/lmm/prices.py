"""What tokens cost, from a table that can be edited."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brit.errors import InputError
from brit.types import ModelUsage

PRICES_FILE = "prices.toml"
_SHIPPED = Path(__file__).parent / PRICES_FILE
_CAVEAT = (
    "The price is BRIT's own, of 2025 and checked by nobody: look at the maker's list, or set "
    "yours in prices.toml in the workspace folder."
)


@dataclass(frozen=True)
class Prices:
    """`models`: the beginning of a model's name → (input, output), money for a million tokens.
    `unchecked` are the names whose prices nobody compared with the makers' lists."""

    currency: str
    models: Mapping[str, tuple[float, float]]
    unchecked: frozenset[str] = frozenset()

    def price(self, model: str) -> tuple[float, float] | None:
        """Of the longest beginning that fits; None where the table does not know the model."""
        row = self._row(model)
        return None if row is None else self.models[row]

    def caveat(self, spent: Sequence[ModelUsage]) -> str:
        """What is to be said beside the cost of all of it, "" for nothing."""
        return _CAVEAT if any(self._row(each.model) in self.unchecked for each in spent) else ""

    def _row(self, model: str) -> str | None:
        name = model.rsplit("/", 1)[-1]
        known = [start for start in self.models if name.startswith(start)]
        return max(known, key=len) if known else None

    def cost(self, spent: Sequence[ModelUsage]) -> float | None:
        """Money for all of it; None where the price of one of the models is not known."""
        total = 0.0
        for usage in spent:
            if (price := self.price(usage.model)) is None:
                return None
            total += usage.prompt_tokens * price[0] + usage.completion_tokens * price[1]
        return total / 1_000_000


def read_prices(workspace: Path) -> Prices:
    """The table that ships with BRIT, under the workspace's own. Raises InputError."""
    shipped = _read(_SHIPPED)
    path = workspace / PRICES_FILE
    own = _read(path) if path.exists() else Prices("", {})
    unchecked = frozenset(shipped.models) - frozenset(own.models)
    return Prices(own.currency or shipped.currency, {**shipped.models, **own.models}, unchecked)


def _read(path: Path) -> Prices:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        models = {name: _pair(row) for name, row in table.get("models", {}).items()}
        return Prices(str(table.get("currency", ""))[:8], models)
    except (
        OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise InputError(
            f"The price table {path} cannot be used ({error}). Each model needs a line such as "
            '"my-model" = { input = 0.5, output = 1.5 } under [models].'
        ) from error


def _pair(row: dict[str, Any]) -> tuple[float, float]:
    prices = float(row["input"]), float(row["output"])
    if not all(0 <= price < math.inf for price in prices):
        raise ValueError("a price is below 0, or no number")
    return prices
