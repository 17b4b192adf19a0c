"""Whether two methods that answered the same questions differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from brit.evaluation.bootstrap import SEED

FLIPS = 10_000


def paired_p(groups: Sequence[Sequence[float]]) -> float:
    """Two-sided p of a paired permutation test on the mean of the groups' mean differences.

    `groups` holds a difference a question. Under the null hypothesis each could as well have the
    other sign (Fisher 1935); of 10,000 random signs, with a fixed seed, the share that gives a mean
    at least as far from 0, the observed one counted among them (Phipson and Smyth 2010).
    """
    generator = np.random.default_rng(SEED)
    observed, drawn = 0.0, np.zeros(FLIPS)
    for group in groups:
        values = np.asarray(group, dtype=float)
        signs = generator.choice((-1.0, 1.0), (FLIPS, len(values)))
        observed += values.mean() / len(groups)
        drawn += (signs * values).mean(axis=1) / len(groups)
    further = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    return (further + 1) / (FLIPS + 1)
