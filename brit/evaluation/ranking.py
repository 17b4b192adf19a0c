"""Rankings of the images, passages and pages of a collection, for the baselines."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np

from brit.models import GraphIndex, TextEncoder
from brit.types import FloatArray

RANK_CONSTANT = 60
SCOPES_KEPT = 16
TextsOf = Literal["image", "passage", "page"]
PageKey = tuple[str, int]
K = TypeVar("K", bound=Hashable)


class Searchable(Protocol):
    """What is asked of a vector index here."""

    def search(
        self, queries: FloatArray, k: int, allowed: Sequence[str] | None = None
    ) -> list[list[tuple[str, float]]]: ...


class RowIndex:
    """Vectors (n, rows × dim) searched exhaustively: the score of an id is that of its best row.

    One row an id gives the inner product; the query tokens of BLIP-2 are many (Li et al. 2023).
    """

    def __init__(self, ids: Sequence[str], vectors: FloatArray) -> None:
        self._ids = list(ids)
        self._vectors = vectors

    def search(
        self, queries: FloatArray, k: int, allowed: Sequence[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each row of `queries` (q, dim) at most k (id, score), best first."""
        wanted = None if allowed is None else set(allowed)
        kept = [at for at, id in enumerate(self._ids) if wanted is None or id in wanted]
        if not kept:
            return [[] for _ in queries]
        rows = self._vectors[kept].reshape(len(kept), -1, queries.shape[1])
        scores = (rows @ queries.T).max(axis=1)
        best = np.argsort(-scores, axis=0, kind="stable")[:k].T
        return [
            [(self._ids[kept[at]], float(scores[at, query])) for at in line]
            for query, line in enumerate(best)
        ]


class WordIndex(Generic[K]):
    """BM25 over some texts, with the word statistics of these texts."""

    def __init__(self, texts: Mapping[K, str]) -> None:
        import bm25s

        self._keys = list(texts)
        self._bm25 = bm25s.BM25()
        self._vocabulary: Mapping[str, int] = {}
        if any(texts.values()):
            tokens = bm25s.tokenize(list(texts.values()), stopwords="en", show_progress=False)
            self._vocabulary = tokens.vocab
            if self._vocabulary:
                self._bm25.index(tokens, show_progress=False)

    def ranked(self, question: str) -> list[tuple[K, float]]:
        """Every key that shares a word with the question, best first."""
        import bm25s

        words = bm25s.tokenize(question, stopwords="en", return_ids=False, show_progress=False)[0]
        known = [word for word in words if word in self._vocabulary]
        if not known:
            return []
        scores = self._bm25.get_scores(known)
        order = np.argsort(-scores, kind="stable")
        return [(self._keys[at], float(scores[at])) for at in order if scores[at] > 0]


def fuse_ranks(rankings: Iterable[Sequence[K]]) -> list[tuple[K, float]]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank), best first."""
    scores: dict[K, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


class Ranker:
    """Ranks the images, passages and pages of a collection, or of some of its documents.

    A ranking is (key, score) pairs, best first; `documents` are ids (none: all of them).
    """

    def __init__(self, index: GraphIndex) -> None:
        self.index = index
        self._words = lru_cache(maxsize=3 * SCOPES_KEPT)(self._word_index)

    def dense(
        self,
        kind: Literal["image", "passage"],
        encoder: TextEncoder,
        vectors: Searchable,
        question: str,
        documents: Sequence[str],
    ) -> list[tuple[str, float]]:
        """Passages or images (`kind`) by cosine."""
        allowed = self.ids(kind, documents)
        query = encoder.encode_texts([question], "query")
        return vectors.search(query, len(allowed), allowed)[0]

    def bm25(
        self, kind: TextsOf, question: str, documents: Sequence[str]
    ) -> list[tuple[Any, float]]:
        """Passages, images or pages by BM25; pages have keys (document, page)."""
        return self._words(kind, tuple(documents)).ranked(question)

    def ids(self, kind: Literal["image", "passage"], documents: Sequence[str]) -> list[str]:
        if kind == "passage":
            return self.index.passage_ids(documents or None)
        wanted, graph = set(documents) or set(self.index.documents), self.index.graph
        owners = (graph.documents[at] for at in graph.image_document)
        return [id for id, owner in zip(graph.image_ids, owners, strict=True) if owner in wanted]

    def best_pages(self, passages: Iterable[tuple[str, float]]) -> list[tuple[PageKey, float]]:
        """Pages by their best passage."""
        best: dict[PageKey, float] = {}
        for id, score in passages:
            passage = self.index.passage(id)
            if passage.page is not None:
                best.setdefault((passage.document, passage.page), score)
        return list(best.items())

    def page_texts(self, documents: Sequence[str]) -> dict[PageKey, str]:
        """(document id, page) → the text of its passages."""
        texts: dict[PageKey, list[str]] = {}
        for id in self.index.passage_ids(documents or None):
            passage = self.index.passage(id)
            if passage.page is not None:
                texts.setdefault((passage.document, passage.page), []).append(passage.text)
        return {key: "\n".join(parts) for key, parts in texts.items()}

    def _word_index(self, kind: TextsOf, documents: tuple[str, ...]) -> WordIndex[Any]:
        if kind == "page":
            return WordIndex(self.page_texts(documents))
        ids = self.ids(kind, documents)
        if kind == "passage":
            return WordIndex({id: self.index.passage(id).text for id in ids})
        images = {id: self.index.image(id) for id in ids}
        return WordIndex(
            {id: f"{one.caption} {one.section_title} {one.text}" for id, one in images.items()}
        )
