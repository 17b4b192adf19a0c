"""Fusing the channels of the default preset into ranked passages, images and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from brit.config import RetrievalConfig
from brit.models import GraphIndex
from brit.retrieval.channels import (
    REFERENCE_DOCUMENTS,
    Flow,
    ImageChannels,
    PassageChannels,
    complete_images,
    group_by_place,
    passages_beside,
    referred_images,
    referred_passages,
    score_beside,
)
from brit.retrieval.fusion import (
    LEAST_BM25,
    MOST_BESIDE,
    WEIGHTS,
    FusionWeights,
    Scores,
    shares,
    standardise,
    weighted_sum,
)
from brit.retrieval.numbering import referred_pages
from brit.retrieval.places import PageKey, Places, page_key
from brit.retrieval.prune import Match, match_names, sole_holders
from brit.retrieval.query import Query
from brit.retrieval.scope import Scope
from brit.retrieval.traverse import Step
from brit.types import Image, Passage

FOLLOWED_IMAGES = 2
BESIDE = 2  # passages shown for each of them, whatever else was found
TOP_PASSAGES = 20


@dataclass(frozen=True, eq=False)
class Context:
    """One question in one scope: what every step of the default preset needs."""

    index: GraphIndex
    scope: Scope
    query: Query
    config: RetrievalConfig
    threshold: float
    places: Places
    weights: FusionWeights = WEIGHTS

    @cached_property
    def by_name(self) -> list[Match]:
        """The nodes whose names stand in the question."""
        return match_names(self.index, self.scope, self.query.text, self.query.keywords)

    @cached_property
    def documents(self) -> dict[str, float]:
        """The documents the question is about, by id: those that alone hold a name it says, and
        those it names, as far as it does."""
        return sole_holders(self.scope, self.by_name) | dict(self.query.named_documents)


@dataclass(frozen=True, eq=False)
class MixedPassages:
    """Passages in fused order with the channels they came from, the pages the question names with
    how surely each is meant, 0 to 1, and the passages nearest to the best images."""

    fused: Scores
    channels: Mapping[str, Mapping[str, float]]
    pages: Mapping[PageKey, float]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MixedImages:
    """Images in fused order, and the best link to each from the sub-graph."""

    fused: Scores
    steps: Mapping[str, Step]


def mix_passages(
    context: Context, found: PassageChannels, of_graph: Mapping[str, float]
) -> MixedPassages:
    """Vectors, words, the graph (`of_graph`: passages behind retrieved triplets), places and
    documents the question names."""
    index, query, weights = context.index, context.query, context.weights
    ids = sorted(found.dense.keys() | found.lexical.keys() | of_graph.keys())
    passages = {id: index.passage(id) for id in ids}
    pages = referred_pages(index, query, context.places, _likely_documents(context, found.dense))
    captions = referred_passages(index, context.scope, query)
    channels: dict[str, Mapping[str, float]] = {
        "dense": found.dense,
        "lexical": found.lexical,
        "graph": of_graph,
        "place": {
            id: share
            for id in ids
            if (share := 1.0 if id in captions else _share(pages, passages[id]))
        },
        "document": {id: context.documents.get(passages[id].document, 0.0) for id in ids},
    }
    fused = weighted_sum(
        ids,
        [
            (weights.dense, standardise(found.dense, ids, None)),
            (weights.lexical, standardise(found.lexical, ids, 0.0)),
            (weights.graph, shares(of_graph)),
            (weights.place, channels["place"]),
            (weights.document, channels["document"]),
        ],
    )
    return MixedPassages(fused, channels, pages)


def mix_images(
    context: Context,
    found: ImageChannels,
    flow: Flow,
    passages: MixedPassages,
) -> MixedImages:
    """Captions, words, pixels, links from the sub-graph, and the passages beside each image."""
    index, query, weights = context.index, context.query, context.weights
    named = referred_images(index, context.scope, query)
    near = _images_near(context, passages)
    known = set(context.scope.image_at)
    ids = sorted(
        (
            found.caption.keys()
            | found.words.keys()
            | found.pixels.keys()
            | flow.scores.keys()
            | near
            | named
        )
        & known
    )
    found = complete_images(index, query, found, ids)
    images = {id: index.image(id) for id in ids}
    groups = group_by_place(index, passages.fused)
    beside = {
        id: score
        for id, image in images.items()
        if (score := score_beside(image, groups, context.config.links)) is not None
    }
    place = {id: 1.0 if id in named else _share(passages.pages, images[id]) for id in ids}
    document = {id: context.documents.get(images[id].document, 0.0) for id in ids}
    usual = float(np.std([*passages.channels["dense"].values()] or [0.0]))
    fused = weighted_sum(
        ids,
        [
            (weights.caption, standardise(found.caption, ids, None, usual)),
            (weights.caption_words, standardise(found.words, ids, 0.0, LEAST_BM25)),
            (weights.pixels, standardise(found.pixels, ids, None)),
            (weights.node, flow.scores),
            (weights.beside, standardise(beside, ids, None, most=MOST_BESIDE)),
            (weights.place, place),
            (weights.document, document),
        ],
    )
    return MixedImages(fused, flow.steps)


def add_image_passages(
    context: Context, passages: MixedPassages, images: MixedImages, of_links: Mapping[str, float]
) -> MixedPassages:
    """Image → text: passages beside the best images, and those of the nodes linked to them.

    The nearest to each image are shown even if they share no word with the question, which then
    is about what the picture shows."""
    close: dict[str, float] = {}
    nearest: dict[str, None] = {}
    least = min(passages.fused.values(), default=0.0)
    for place, id in enumerate([*images.fused][:FOLLOWED_IMAGES], 1):
        image = context.index.image(id)
        beside = passages_beside(context.index, context.places, image, context.config.links)
        for passage, nearness in (beside | dict(of_links)).items():
            close[passage] = max(nearness / place, close.get(passage, 0.0))
        best = sorted(beside, key=lambda id: (-beside[id], -passages.fused.get(id, least), id))
        nearest |= dict.fromkeys(best[:BESIDE])
    scores = dict.fromkeys(nearest, least) | passages.fused
    fused = weighted_sum(scores, [(1.0, scores), (context.weights.image, close)])
    channels = {**passages.channels, "image": close}
    return replace(passages, fused=fused, channels=channels, beside=tuple(nearest))


def _share(pages: Mapping[PageKey, float], thing: Passage | Image) -> float:
    key = page_key(thing)
    return 0.0 if key is None else pages.get(key, 0.0)


def _likely_documents(context: Context, dense: Mapping[str, float]) -> list[str]:
    """In which documents a page the question names is meant: the named ones, those of the scope
    when they are few, else those of the nearest passages."""
    if context.query.clearly_named:
        return list(context.query.clearly_named)
    if context.scope.documents and len(context.scope.documents) <= REFERENCE_DOCUMENTS:
        return list(context.scope.documents)
    nearest = sorted(dense, key=lambda id: -dense[id])[:TOP_PASSAGES]
    found = dict.fromkeys(context.index.passage(id).document for id in nearest)
    return list(found)[:REFERENCE_DOCUMENTS]


def _images_near(context: Context, passages: MixedPassages) -> set[str]:
    """Text → image by layout: images on the page (LP) or in the section (LS) of good passages."""
    places, kinds = context.places, context.config.links
    near: set[str] = set()
    for id in [*passages.fused][:TOP_PASSAGES]:
        passage = context.index.passage(id)
        key = page_key(passage)
        if "LP" in kinds and key is not None:
            near.update(places.images_on_page.get(key, ()))
        if "LS" in kinds and passage.section:
            near.update(places.images_in_section.get(passage.section, ()))
    return near


def passages_of_edges(context: Context, edges: Iterable[int], score: float = 1.0) -> Scores:
    """The passages triplets were read in."""
    blocks = [context.index.edge(context.scope.graph.edge_ids[at]).block for at in edges]
    return dict.fromkeys(context.places.passages_of_blocks(blocks), score)
