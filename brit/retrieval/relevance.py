"""Whether the documents seem to know anything about a question at all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

# A question about something else leaves the best passage close to all the others.
STANDS_OUT = 2.5


def is_low(dense: Mapping[str, float], lexical: Mapping[str, float]) -> bool:
    """True when no passage stands out: the best cosine is less than `STANDS_OUT` standard
    deviations above the mean of the candidates, and no passage shares a word with the question."""
    if not dense:
        return True
    values = np.array([*dense.values()])
    spread = float(values.std())
    stands_out = spread > 0 and (float(values.max()) - float(values.mean())) / spread
    return not lexical and stands_out < STANDS_OUT
