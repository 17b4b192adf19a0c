"""Passages and images → ranked pages: what was found on a page, then all its words at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from brit.retrieval.fusion import shares
from brit.retrieval.mixing import Context, MixedImages, MixedPassages
from brit.retrieval.places import PageKey, page_key
from brit.retrieval.rank import MAX_PAGES, best_per_page
from brit.retrieval.terms import terms

SATURATION, LENGTH = 1.2, 0.75  # k1 and b of BM25, as usual


def mix_pages(
    context: Context, passages: MixedPassages, images: MixedImages
) -> dict[PageKey, float]:
    """A page is as good as its best passage, its best image and its words; one that the question
    names comes first. The words of the best `MAX_PAGES` are read, and no other page is returned."""
    weights = context.weights
    first = _by_what_was_found(context, passages, images)
    read = sorted(first, key=lambda key: (-first[key], key))[:MAX_PAGES]
    words = word_scores(context.query.text, [_text(context, key) for key in read])
    words = (words - words.mean()) / max(float(words.std()), 1e-9) if read else words
    return {
        key: first[key] + weights.page_words * score
        for key, score in zip(read, words.tolist(), strict=True)
    }


def _by_what_was_found(
    context: Context, passages: MixedPassages, images: MixedImages
) -> dict[PageKey, float]:
    index, weights, named = context.index, context.weights, passages.pages
    best = {key: scores[0] for key, scores in best_per_page(index, passages.fused).items()}
    lowest = min(best.values(), default=0.0)
    pictures: dict[PageKey, float] = {}
    for id, share in shares(images.fused).items():
        if (key := page_key(index.image(id))) is not None:
            pictures.setdefault(key, share)
    return {
        key: best.get(key, lowest)
        + weights.page_image * pictures.get(key, 0.0)
        + weights.page_place * named.get(key, 0.0)
        for key in best.keys() | pictures.keys() | named.keys()
    }


def _text(context: Context, key: PageKey) -> str:
    """All that is known of a page in words: its passages, captions, and text in its pictures."""
    index, places = context.index, context.places
    texts = [index.passage(id).text for id in places.passages_on_page.get(key, ())]
    for id in places.images_on_page.get(key, ()):
        image = index.image(id)
        texts += [image.caption, image.text]
    return "\n".join(texts)


def word_scores(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """BM25 (n,) of each text for the question's words and pairs of neighbouring words, with the
    statistics of these texts alone: what stands on every page of a document says nothing."""
    asked = terms(question)
    wanted: dict[str | tuple[str, str], None] = dict.fromkeys([*asked, *pairwise(asked)])
    counts: list[Counter[str | tuple[str, str]]] = []
    sizes = np.ones(len(texts))
    for at, text in enumerate(texts):
        found = terms(text)
        sizes[at] = max(len(found), 1)
        counts.append(Counter(filter(wanted.__contains__, chain(found, pairwise(found)))))
    scores = np.zeros(len(texts))
    norm = SATURATION * (1 - LENGTH + LENGTH * sizes / sizes.mean()) if len(texts) else sizes
    for term in wanted:
        count = np.array([each[term] for each in counts], dtype=np.float64)
        holders = int(np.count_nonzero(count))
        rarity = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        scores += rarity * count * (SATURATION + 1) / (count + norm)
    return scores
