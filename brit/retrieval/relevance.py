"""Whether the documents seem to know anything about a question at all.

Calibrated on 113 development questions with evidence, each asked of its own document and of two
others: the share of the question's words in its best passage tells the two apart better than any
cosine (area under the curve 0.83), since cosines of small encoders lie close together for all
texts. Questions that are about the document but not answered in it cannot be told this way, nor by
any of 20 scores tried (`benchmarks/README.md`); saying so is left to the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from brit.retrieval.terms import terms

COVERED = 0.25  # of the question's words, in one passage
STANDS_OUT = 2.5  # standard deviations of the best cosine above the mean of the candidates


def is_low(question: str, texts: Iterable[str], dense: Mapping[str, float]) -> bool:
    """True when no text found holds `COVERED` of the question's words, and no passage stands out
    by its cosine either (`dense`: of all candidates)."""
    return coverage(question, texts) < COVERED and standing_out(dense) < STANDS_OUT


def coverage(question: str, texts: Iterable[str]) -> float:
    """The highest share of the question's words that stand in one of the texts."""
    asked = set(terms(question))
    shared = (len(asked.intersection(terms(text))) for text in texts)
    return max(shared, default=0) / len(asked) if asked else 0.0


def standing_out(cosines: Mapping[str, float]) -> float:
    """How many standard deviations the best cosine lies above the mean."""
    values = np.array([*cosines.values()])
    spread = float(values.std()) if len(values) else 0.0
    return (float(values.max()) - float(values.mean())) / spread if spread > 1e-9 else 0.0
