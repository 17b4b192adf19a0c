"""Channels and how they are fused: each channel is standardised for the question, then weighted.

Raw cosines of different encoders have different ranges and never meet; z-scores within one question
do. Sparse channels (graph, links, references) give shares between 0 and 1 instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from brit.models import VectorIndex
from brit.types import FloatArray

Scores = dict[str, float]  # id → score


@dataclass(frozen=True)
class FusionWeights:
    """What each channel counts for.

    `page_words` and `page_image` were chosen on one half of the documents of the page questions and
    reported on the other, both ways round (`benchmarks/README.md`); both halves chose the same.
    Vectors to words as 1.5 to 1 follows the best fusion of the development data's own baselines.
    The weights of passages and images were set while looking at questions of both halves.

    Passages: `dense` and `lexical` z-scores, `graph` for standing behind a retrieved triplet,
    `image` for standing by a retrieved image, `place` for a reference that is met, `document` for
    a document the question names.
    Images: z-scores of the caption's vector, its words, and the pixels; `node` for what comes over
    links (1: from a name word for word over its only caption), `beside` for the best passage near
    it (z-scores).
    Pages: the best passage, `page_image` for the best image, `page_words` for the z-score of all
    its words, `page_place` for being named, which puts it first.
    """

    dense: float = 1.5
    lexical: float = 1.0
    graph: float = 0.3
    image: float = 0.5
    place: float = 4.0
    document: float = 2.0
    caption: float = 1.0
    caption_words: float = 1.0
    pixels: float = 0.6
    node: float = 7.0
    beside: float = 1.2
    page_image: float = 3.0
    page_words: float = 3.0
    page_place: float = 20.0


WEIGHTS = FusionWeights()
MOST_BESIDE = 1.5
"""Standing by the best passage is worth no more than half a name in one's caption. Set on the
sample brochure, of few pictures; no rank of the cross-modal questions changed with it."""
LEAST_BM25 = 0.5  # below this BM25 scores come from words that nearly every text holds


def standardise(
    scores: Mapping[str, float],
    ids: Iterable[str],
    missing: float | None,
    least: float = 0.0,
    most: float = math.inf,
) -> Scores:
    """z-scores of `scores` over `ids`, `most` at most; `missing` stands in for absent ones (None:
    the lowest).

    A deviation below `least` counts as `least`: among few candidates trifles would look large.
    """
    names = list(ids)
    if not names or not scores:
        return dict.fromkeys(names, 0.0)
    absent = min(scores.values()) if missing is None else missing
    values = np.array([scores.get(id, absent) for id in names], dtype=np.float64)
    values = np.where(np.isfinite(values), values, absent)
    spread = max(float(values.std()), least)
    if spread < 1e-9:
        return dict.fromkeys(names, 0.0)
    found = np.minimum((values - values.mean()) / spread, most)
    return dict(zip(names, found.tolist(), strict=True))


def shares(scores: Mapping[str, float]) -> Scores:
    """Scores relative to the best: it gets 1, nothing gets less than 0."""
    best = max(scores.values(), default=0.0)
    return {id: max(score, 0.0) / best for id, score in scores.items()} if best > 0 else {}


def weighted_sum(
    ids: Iterable[str], channels: Iterable[tuple[float, Mapping[str, float]]]
) -> Scores:
    """The fused score of each id, best first; equal ones in the order of their ids."""
    parts = [(weight, channel) for weight, channel in channels if weight]
    fused = {id: sum(weight * channel.get(id, 0.0) for weight, channel in parts) for id in ids}
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))


def as_relevance(score: float) -> float:
    """A fused score as a number between 0 and 1 that people can read; the order stays.

    0.5 is a candidate like any other; 4, the weight of a reference that is met, gives 0.73.
    """
    return 1.0 / (1.0 + math.exp(-score / 4.0))


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """1 for the best."""
    return {id: at for at, id in enumerate(sorted(scores, key=lambda id: (-scores[id], id)), 1)}


def search_scores(
    vectors: VectorIndex, query: FloatArray, k: int, allowed: list[str] | None
) -> Scores:
    """The k nearest of one query vector → id → cosine; a vector of zeros is near to nothing."""
    if not query.any():
        return {}
    return dict(vectors.search(query[None, :], k, allowed)[0])


def exact_scores(vectors: VectorIndex, query: FloatArray, ids: Iterable[str]) -> Scores:
    """The cosines of exactly these ids, as far as they have a vector."""
    wanted = list(ids)
    return search_scores(vectors, query, len(wanted), wanted) if wanted else {}
