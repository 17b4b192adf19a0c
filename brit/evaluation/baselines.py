"""What BRIT is measured against, with the same encoders and the same documents.

Similarity-only (§5.2): the top images and passages by cosine, independently of each other.
BM25 and dense passages rank the pages of a document; a page counts as its best passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brit.models import GraphIndex
from brit.types import RetrievedImage, RetrievedPage, RetrievedPassage

TOP_IMAGES = 2
TOP_PASSAGES = 3


def similar_images(
    index: GraphIndex, question: str, documents: Sequence[str] | None = None
) -> list[RetrievedImage]:
    """The 2 images whose vectors are nearest to the question's."""
    allowed = _image_ids(index, documents)
    vectors = index.image_encoder.encode_texts([question], "query")
    found = index.images.search(vectors, TOP_IMAGES, allowed)[0]
    return [_retrieved_image(index, id, score) for id, score in found]


def similar_passages(
    index: GraphIndex, question: str, documents: Sequence[str] | None = None
) -> list[RetrievedPassage]:
    """The 3 passages whose vectors are nearest to the question's."""
    allowed = None if documents is None else index.passage_ids(documents)
    vectors = index.text_encoder.encode_texts([question], "query")
    found = index.passages.search(vectors, TOP_PASSAGES, allowed)[0]
    return [_retrieved_passage(index, id, score) for id, score in found]


def dense_pages(index: GraphIndex, question: str, documents: Sequence[str]) -> list[RetrievedPage]:
    """Pages by their best passage's cosine."""
    allowed = index.passage_ids(documents)
    vectors = index.text_encoder.encode_texts([question], "query")
    return best_pages(index, dict(index.passages.search(vectors, len(allowed), allowed)[0]))


def bm25_pages(index: GraphIndex, question: str, documents: Sequence[str]) -> list[RetrievedPage]:
    """Pages by BM25 over their whole text, with the document's own word statistics."""
    import bm25s

    texts = page_texts(index, documents)
    if not texts:
        return []
    tokens = bm25s.tokenize(list(texts.values()), stopwords="en", show_progress=False)
    words = bm25s.tokenize(question, stopwords="en", return_ids=False, show_progress=False)[0]
    scorer = bm25s.BM25()
    scorer.index(tokens, show_progress=False)
    known = [word for word in words if word in tokens.vocab]
    if not known:
        return []
    scores = scorer.get_scores(known)
    ranked = sorted(zip(texts, scores, strict=True), key=lambda each: -each[1])
    return [
        RetrievedPage(index.documents[document], page, float(score))
        for (document, page), score in ranked
    ]


def page_texts(index: GraphIndex, documents: Sequence[str]) -> dict[tuple[str, int], str]:
    """(document id, page) → the text of its passages."""
    texts: dict[tuple[str, int], list[str]] = {}
    for id in index.passage_ids(documents):
        passage = index.passage(id)
        if passage.page is not None:
            texts.setdefault((passage.document, passage.page), []).append(passage.text)
    return {key: "\n".join(parts) for key, parts in texts.items()}


def best_pages(index: GraphIndex, scores: Mapping[str, float]) -> list[RetrievedPage]:
    """Pages by the score of their best passage, best first."""
    best: dict[tuple[str, int], float] = {}
    for id, score in scores.items():
        passage = index.passage(id)
        if passage.page is not None:
            key = (passage.document, passage.page)
            best[key] = max(best.get(key, score), score)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [RetrievedPage(index.documents[doc], page, score) for (doc, page), score in ranked]


def _image_ids(index: GraphIndex, documents: Sequence[str] | None) -> list[str] | None:
    if documents is None:
        return None
    wanted, graph = set(documents), index.graph
    return [
        id
        for id, document in zip(graph.image_ids, graph.image_document, strict=True)
        if graph.documents[document] in wanted
    ]


def _retrieved_image(index: GraphIndex, id: str, score: float) -> RetrievedImage:
    image = index.image(id)
    return RetrievedImage(
        id=id,
        name=image.name,
        document=index.documents[image.document],
        page=image.page,
        bbox=image.bbox,
        path=index.image_path(image),
        caption=image.caption,
        score=score,
        reason="similarity",
        via=None,
        link=None,
    )


def _retrieved_passage(index: GraphIndex, id: str, score: float) -> RetrievedPassage:
    passage = index.passage(id)
    name = index.documents[passage.document]
    return RetrievedPassage(name, passage.page, passage.bbox, passage.text, score, id)
