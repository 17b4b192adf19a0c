"""The channels of the default preset: each gives scores to passages or images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from brit.models import GraphIndex
from brit.retrieval.fusion import Scores, exact_scores, search_scores
from brit.retrieval.places import PageKey, Places, page_key
from brit.retrieval.prune import Match
from brit.retrieval.query import Query, Reference, names_place
from brit.retrieval.scope import Scope
from brit.retrieval.traverse import LINK_STRENGTH, Step
from brit.types import (
    LINK_KINDS,
    Image,
    ImageBlock,
    LinkKind,
    Passage,
    TableBlock,
    TextBlock,
)

PlaceKey = PageKey | str  # a page, or the id of a section

POOL = 200
IMAGE_POOL = 60
REFERENCE_POOL = 50
REFERENCE_DOCUMENTS = 5
NEAR_POOL = 60
FAR = 300.0
SAME_DOCUMENT = 2.0
NEAR = 0.9  # of what holds the caption of an image counts what touches it
UNNAMED = 0.5  # what all else counts beside a distinctive name that the question says
COMMON_NAME = 0.5  # relevance of a common word that is a node's whole name
WEAK_NODE = 0.1  # relevance of a node that is in the sub-graph but matched nothing


@dataclass(frozen=True, eq=False)
class PassageChannels:
    """Cosines of all candidates, BM25 scores of those that share words with the question."""

    dense: Scores
    lexical: Scores


@dataclass(frozen=True, eq=False)
class ImageChannels:
    """Cosines of captions and pixels, BM25 scores of captions, section titles and scene text."""

    caption: Scores
    words: Scores
    pixels: Scores


@dataclass(frozen=True, eq=False)
class Flow:
    """What links bring to each image from the nodes, and the best link to each."""

    scores: Scores
    steps: Mapping[str, Step]

    def add(self, other: Flow, without: Sequence[str]) -> Flow:
        """Also what `other` brings, except to the images `without`, where it came from."""
        onward = {id: score for id, score in other.scores.items() if id not in without}
        scores = {id: self.scores.get(id, 0.0) + onward.get(id, 0.0) for id in self.scores | onward}
        steps = {id: other.steps[id] for id in onward} | dict(self.steps)
        return Flow(scores, steps)


def search_passages(index: GraphIndex, scope: Scope, query: Query) -> PassageChannels:
    """The nearest passages by vector and by words, each with its exact cosine."""
    documents = scope.documents
    allowed = None if documents is None else index.passage_ids(documents)
    dense = search_scores(index.passages, query.vector, POOL, allowed)
    lexical = dict(index.lexical("passage", query.keywords, POOL, documents))
    unseen = lexical.keys() - dense.keys()
    return PassageChannels(dense | exact_scores(index.passages, query.vector, unseen), lexical)


def search_images(index: GraphIndex, scope: Scope, query: Query) -> ImageChannels:
    """The nearest images by caption vector, by words and by pixels."""
    return ImageChannels(
        caption=search_scores(index.captions, query.vector, IMAGE_POOL, scope.image_ids),
        words=dict(index.lexical("image", query.keywords, IMAGE_POOL, scope.documents)),
        pixels=search_scores(index.images, query.image_vector, IMAGE_POOL, scope.image_ids),
    )


def complete_images(
    index: GraphIndex, query: Query, channels: ImageChannels, ids: Iterable[str]
) -> ImageChannels:
    """The same channels with the exact cosines of `ids`."""
    wanted = set(ids)
    captions = exact_scores(index.captions, query.vector, wanted - channels.caption.keys())
    pixels = exact_scores(index.images, query.image_vector, wanted - channels.pixels.keys())
    return ImageChannels(channels.caption | captions, channels.words, channels.pixels | pixels)


def node_relevance(
    nodes: Iterable[int], matches: Sequence[Match], threshold: float
) -> dict[int, float]:
    """How much each node is asked about, 0 to 1: 1 for its name word for word, half for a common
    word, by nearness for a name like it, little for a node that only connects others; all but the
    first half as much where the question says a distinctive name, which it then is about."""
    relevance = dict.fromkeys(nodes, WEAK_NODE)
    named = {match.node for match in matches if match.lexical and match.distinctive}
    for match in matches:
        if match.score > threshold:
            above = (match.score - threshold) / max(1 - threshold, 1e-6)
            score = 0.2 + 0.7 * min(above, 1.0)
            if match.lexical:
                score = 1.0 if match.distinctive else COMMON_NAME
            relevance[match.node] = max(score, relevance.get(match.node, 0.0))
    if not named:
        return relevance
    return {node: each if node in named else UNNAMED * each for node, each in relevance.items()}


def images_of_nodes(
    scope: Scope, relevance: Mapping[int, float], kinds: Sequence[LinkKind]
) -> Flow:
    """Text → image: what flows over the links from nodes to each image, and its best step.

    A node shares its relevance among the images that it reaches by one kind of link (by the root
    of their number): a name in one caption says more than one that stands in every section. What
    comes in adds up by squares, so that many weak links do not outweigh a strong one.
    """
    graph = scope.graph
    nodes = np.array([*relevance], dtype=np.int32)
    owner, links = scope.node_links.gather(nodes)
    chosen = scope.of_kinds(links, kinds)
    owner, links = owner[chosen], links[chosen]
    if not len(links):
        return Flow({}, {})
    kind = graph.link_kind[links]
    _, place, fan_out = np.unique(
        owner * len(LINK_KINDS) + kind, return_inverse=True, return_counts=True
    )
    strength = np.array([LINK_STRENGTH[name] for name in LINK_KINDS])[kind]
    strength = strength * graph.link_score[links]
    flow = np.array([*relevance.values()])[owner] * strength / np.sqrt(fan_out[place])
    images, at = np.unique(graph.link_image[links], return_inverse=True)
    total = np.sqrt(np.bincount(at, weights=flow**2))
    order = np.lexsort((links, -flow))
    _, first = np.unique(at[order], return_index=True)
    ids = [graph.image_ids[image] for image in images.tolist()]
    steps = {
        id: Step(
            node=int(nodes[owner[best]]),
            image=int(graph.link_image[links[best]]),
            link=LINK_KINDS[kind[best]],
            score=float(flow[best]),
        )
        for id, best in zip(ids, order[first].tolist(), strict=True)
    }
    return Flow(dict(zip(ids, total.tolist(), strict=True)), steps)


def referred_images(index: GraphIndex, scope: Scope, query: Query) -> set[str]:
    """The images whose caption begins with a figure or table the question names."""
    return {
        id
        for reference in query.references
        if reference.kind != "page"
        for id, _ in index.lexical("image", _spoken(reference), REFERENCE_POOL, scope.documents)
        if names_place(reference, index.image(id).caption)
    }


def referred_passages(index: GraphIndex, scope: Scope, query: Query) -> set[str]:
    """The passages that hold the caption of a figure or table the question names."""
    return {
        id
        for reference in query.references
        if reference.kind != "page"
        for id, _ in index.lexical("passage", _spoken(reference), REFERENCE_POOL, scope.documents)
        if any(names_place(reference, _caption(index, block)) for block in index.passage(id).blocks)
    }


def group_by_place(
    index: GraphIndex, passages: Mapping[str, float]
) -> dict[PlaceKey, list[tuple[float, Passage]]]:
    """The best `NEAR_POOL` passages with their scores, by page, by section and by document."""
    groups: dict[PlaceKey, list[tuple[float, Passage]]] = {}
    for id, score in [*passages.items()][:NEAR_POOL]:
        passage = index.passage(id)
        for key in (page_key(passage), passage.section or None, passage.document):
            if key is not None:
                groups.setdefault(key, []).append((score, passage))
    return groups


def score_beside(
    image: Image,
    groups: Mapping[PlaceKey, Sequence[tuple[float, Passage]]],
    kinds: Sequence[LinkKind],
) -> float | None:
    """Text → image by layout: the best score of a passage on the image's page (LP) or in its
    section (LS), less the farther it stands from the image; anywhere in its document much less."""
    keys = [page_key(image) if "LP" in kinds else None, image.section if "LS" in kinds else None]
    near = [pair for key in keys if key for pair in groups.get(key, ())]
    scores = [score - distance(image, passage) for score, passage in near]
    scores += [score - SAME_DOCUMENT for score, _ in groups.get(image.document, ())]
    return max(scores, default=None)


def passages_beside(
    index: GraphIndex, places: Places, image: Image, kinds: Sequence[LinkKind]
) -> dict[str, float]:
    """Image → text by layout: passages that hold the image's caption, share its page (LP) or its
    section (LS), with how close that is, 0 to 1."""
    ids: list[str] = []
    if "LS" in kinds:
        ids += places.passages_in_section.get(image.section, ())
    if "LP" in kinds and image.page is not None:
        ids += places.passages_on_page.get((image.document, image.page), ())
    close = {id: NEAR / (1 + distance(image, index.passage(id))) for id in ids}
    if "CA" in kinds:
        close |= dict.fromkeys(places.passages_of_block.get(image.block, ()), 1.0)
    return close


def distance(image: Image, passage: Passage) -> float:
    """0 where they touch, 1 at `FAR` points or on another page, at most 1.5; 0.5 where there are
    no boxes."""
    if image.page != passage.page:
        return 1.0
    if image.bbox is None or passage.bbox is None:
        return 0.5
    (x0, y0, x1, y1), (u0, v0, u1, v1) = image.bbox, passage.bbox
    gap = hypot(max(x0 - u1, u0 - x1, 0.0), max(y0 - v1, v0 - y1, 0.0))
    return min(gap / FAR, 1.5)


def _spoken(reference: Reference) -> str:
    return f"{reference.kind} {reference.number}"


def _caption(index: GraphIndex, block: str) -> str:
    content = index.block(block).block
    if isinstance(content, ImageBlock | TableBlock):
        return content.caption
    return content.text if isinstance(content, TextBlock) and content.kind == "caption" else ""
