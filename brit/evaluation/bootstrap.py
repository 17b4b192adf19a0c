"""How far a mean over a few questions can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    mean = sum(sum(group) / len(group) for group in groups) / len(groups)
    return Interval(mean, float(low), float(high), sum(map(len, groups)))
