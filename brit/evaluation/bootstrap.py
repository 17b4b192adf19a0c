"""How far a mean over a few questions can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 0
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over `questions` values and the bounds of its interval."""

    mean: float
    low: float
    high: float
    questions: int


def bootstrap(groups: Sequence[Sequence[float]]) -> Interval:
    """The mean of the groups' means with its percentile bootstrap interval (Efron and Tibshirani
    1993, ch. 13): 2,000 resamples of the questions of each group, the middle 95 % of their means.

    One group gives a plain mean; two give the paper's Overall, the mean of two types. Every group
    needs a value. The seed is fixed: a run repeats to the same bounds, and methods that answered
    the same questions are resampled alike. Questions count as independent though those of one
    document are not quite, and a group whose values are all equal has an interval of no width.
    """
    generator = np.random.default_rng(SEED)
    means = np.zeros(RESAMPLES)
    for group in groups:
        values = np.asarray(group, dtype=float)
        drawn = generator.integers(0, len(values), (RESAMPLES, len(values)))
        means += values[drawn].mean(axis=1) / len(groups)
    mean = sum(sum(group) / len(group) for group in groups) / len(groups)
    return _interval(mean, means, sum(map(len, groups)))


def bootstrap_ratio(over: Sequence[float], under: Sequence[float]) -> Interval:
    """The same of the sum of `over` by the sum of `under`, a value each a question; 0 by 0 is 0."""
    above, below = np.asarray(over, dtype=float), np.asarray(under, dtype=float)
    drawn = np.random.default_rng(SEED).integers(0, len(above), (RESAMPLES, len(above)))
    sums = below[drawn].sum(axis=1)
    ratios = np.divide(above[drawn].sum(axis=1), sums, out=np.zeros(RESAMPLES), where=sums > 0)
    whole = float(above.sum() / below.sum()) if below.sum() else 0.0
    return _interval(whole, ratios, len(above))


def _interval(value: float, drawn: NDArray[np.float64], questions: int) -> Interval:
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Interval(value, float(low), float(high), questions)
