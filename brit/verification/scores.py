"""How good verdicts and grades are beside labels given by people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from brit.types import LABELS, Label

Pair = tuple[Label, Label]
"""(given, found)"""


def classification(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Precision, recall and F1 of both classes, their mean F1 and the share that is right.

    None where there is nothing to divide by.
    """
    classes: dict[str, Any] = {label: _class_scores(pairs, label) for label in LABELS}
    f1 = [scores["f1"] for scores in classes.values() if scores["f1"] is not None]
    right = sum(given == found for given, found in pairs)
    return {
        "claims": len(pairs),
        "accuracy": _share(right, len(pairs)),
        "macro_f1": round(sum(f1) / len(f1), 4) if f1 else None,
        **classes,
    }


def _class_scores(pairs: Sequence[Pair], label: Label) -> dict[str, float | None]:
    hits = sum(given == found == label for given, found in pairs)
    found_all = sum(found == label for _, found in pairs)
    given_all = sum(given == label for given, _ in pairs)
    return {
        "precision": _share(hits, found_all),
        "recall": _share(hits, given_all),
        "f1": _share(2 * hits, found_all + given_all),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def agreement(given: Sequence[int], found: Sequence[int]) -> dict[str, Any]:
    """Pearson's r, Spearman's ρ, Kendall's τ-b, share of equal scores and of those within one.

    A correlation is None with fewer than two pairs or where one side never varies.
    """
    from scipy import stats

    pairs = list(zip(given, found, strict=True))
    varied = len(set(given)) > 1 and len(set(found)) > 1

    def correlate(measure: Any) -> float | None:
        value = float(measure(given, found).statistic) if varied else math.nan
        return None if math.isnan(value) else round(value, 4)

    return {
        "pairs": len(pairs),
        "pearson": correlate(stats.pearsonr),
        "spearman": correlate(stats.spearmanr),
        "kendall": correlate(stats.kendalltau),
        "exact": _share(sum(one == two for one, two in pairs), len(pairs)),
        "within_one": _share(sum(abs(one - two) <= 1 for one, two in pairs), len(pairs)),
    }
