"""What BRIT is measured against, with the same encoders and the same documents.

Every baseline is a `Find`: the top 2 images, the top 3 passages and the pages of a question.

- similarity-only (§5.2): images and passages by cosine, independently of each other;
- BM25 and dense: passages, and images by what is known of them in words; pages by BM25 over their
  whole text, or as their best passage;
- rank fusion: reciprocal ranks of both (Cormack et al. 2009), pages by BM25 passages as well;
- page images (PG alone, §3.1): the pictures of whole pages by cosine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brit.evaluation.methods import Find, Found
from brit.evaluation.ranking import K, PageKey, Ranker, RowIndex, Searchable, TextsOf, fuse_ranks
from brit.models import GraphIndex, TextEncoder
from brit.types import FloatArray, RetrievedImage, RetrievedPage

TOP_IMAGES = 2
TOP_PASSAGES = 3
WORDED: tuple[TextsOf, ...] = ("image", "passage", "page")


@dataclass(frozen=True)
class Space:
    """Images and passages of a collection in the space of one encoder (or a pair that shares it);
    keys are image and passage ids."""

    image_encoder: TextEncoder
    images: Searchable
    text_encoder: TextEncoder
    passages: Searchable


def similarity(ranker: Ranker, space: Space) -> Find:
    def find(question: str, documents: Sequence[str]) -> Found:
        images = ranker.dense("image", space.image_encoder, space.images, question, documents)
        passages = ranker.dense("passage", space.text_encoder, space.passages, question, documents)
        return _found(ranker.index, images, passages, ranker.best_pages(passages))

    return find


def bm25(ranker: Ranker) -> Find:
    def find(question: str, documents: Sequence[str]) -> Found:
        images, passages, pages = (ranker.bm25(kind, question, documents) for kind in WORDED)
        return _found(ranker.index, images, passages, pages)

    return find


def dense(ranker: Ranker) -> Find:
    index = ranker.index

    def find(question: str, documents: Sequence[str]) -> Found:
        encoder = index.text_encoder
        images = ranker.dense("image", encoder, index.captions, question, documents)
        passages = ranker.dense("passage", encoder, index.passages, question, documents)
        return _found(ranker.index, images, passages, ranker.best_pages(passages))

    return find


def rank_fusion(ranker: Ranker) -> Find:
    index = ranker.index

    def find(question: str, documents: Sequence[str]) -> Found:
        by_words = {kind: ranker.bm25(kind, question, documents) for kind in WORDED}
        encoder = index.text_encoder
        images = ranker.dense("image", encoder, index.captions, question, documents)
        near = ranker.dense("passage", encoder, index.passages, question, documents)
        passages = (near, by_words["passage"])
        return _found(
            ranker.index,
            fuse_ranks(map(_keys, (images, by_words["image"]))),
            fuse_ranks(map(_keys, passages)),
            fuse_ranks(map(_keys, (*map(ranker.best_pages, passages), by_words["page"]))),
        )

    return find


def page_images(
    ranker: Ranker, encoder: TextEncoder, keys: Sequence[PageKey], vectors: FloatArray
) -> Find:
    """`vectors` (n, rows × dim) are those of the pictures of the pages `keys`."""
    names = [f"{document}/{page}" for document, page in keys]
    by_name, rows = dict(zip(names, keys, strict=True)), RowIndex(names, vectors)

    def find(question: str, documents: Sequence[str]) -> Found:
        wanted = set(documents)
        allowed = [name for name, key in by_name.items() if not wanted or key[0] in wanted]
        query = encoder.encode_texts([question], "query")
        ranked = rows.search(query, len(allowed), allowed)[0]
        pages = [_page(ranker.index, by_name[name], score) for name, score in ranked]
        images = [_page_picture(page) for page in pages[:TOP_IMAGES]]
        return Found(images=images, pages=pages, whole_pages=True)

    return find


def _found(
    index: GraphIndex,
    images: Sequence[tuple[str, float]],
    passages: Sequence[tuple[str, float]],
    pages: Sequence[tuple[PageKey, float]],
) -> Found:
    """The first 2 images, the first 3 passages, all pages."""
    texts = [index.passage(id).text for id, _ in passages[:TOP_PASSAGES]]
    return Found(
        images=[_image(index, id, score) for id, score in images[:TOP_IMAGES]],
        texts=texts,
        pages=[_page(index, key, score) for key, score in pages],
        words=sum(len(text.split()) for text in texts),
    )


def _keys(ranking: Iterable[tuple[K, float]]) -> list[K]:
    return [key for key, _ in ranking]


def _page(index: GraphIndex, key: PageKey, score: float) -> RetrievedPage:
    return RetrievedPage(index.documents[key[0]], key[1], score)


def _page_picture(page: RetrievedPage) -> RetrievedImage:
    return RetrievedImage(
        id="", name=None, document=page.document, page=page.page, bbox=None, path="", caption="",
        score=page.score, reason="similarity", via=None, link=None,
    )  # fmt: skip


def _image(index: GraphIndex, id: str, score: float) -> RetrievedImage:
    image = index.image(id)
    return RetrievedImage(
        id=id, name=image.name, document=index.documents[image.document], page=image.page,
        bbox=image.bbox, path=index.image_path(image), caption=image.caption, score=score,
        reason="similarity", via=None, link=None,
    )  # fmt: skip
