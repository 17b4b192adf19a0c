"""What was found → what is returned: best first, within the words a model is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from brit.models import GraphIndex
from brit.retrieval.places import PageKey, page_key
from brit.retrieval.scope import Scope
from brit.types import (
    Edge,
    HopKind,
    LinkKind,
    RetrievalTrace,
    RetrievedImage,
    RetrievedPage,
    RetrievedPassage,
    RetrievedTriplet,
)

MAX_PAGES = 50
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class FoundImage:
    """`via` is the position of the node that led to the image, None if no link did."""

    id: str
    score: float
    reason: HopKind
    via: int | None = None
    link: LinkKind | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """What a preset found, best first; `edges` are positions in the graph, `beside` those of the
    passages that are shown because of the pictures they stand beside."""

    images: Sequence[FoundImage]
    edges: Mapping[int, float]
    passages: Mapping[str, float]
    pages: Mapping[PageKey, float]
    low_relevance: bool
    trace: RetrievalTrace
    beside: Sequence[str] = ()


def count_words(text: str) -> int:
    """Words between spaces; scripts without spaces count a word for every two signs."""
    unspaced = len(_UNSPACED.findall(text))
    return (
        len(_UNSPACED.sub(" ", text).split()) + (unspaced + 1) // 2
        if unspaced
        else len(text.split())
    )


def take_passages(
    index: GraphIndex,
    ranked: Iterable[str],
    *,
    most: int,
    words: int,
    surely: Sequence[str] = (),
) -> list[str]:
    """The first `most` passages that fit into `words`, each text once, in their order; the first
    always, if it fits at all, and those of `surely` before all others that follow it."""
    order = {id: at for at, id in enumerate(ranked)}
    taken: list[str] = []
    texts: set[str] = set()
    for id in dict.fromkeys([*[*order][:1], *surely, *order]):
        text = index.passage(id).text
        size = count_words(text)
        if text in texts or size > words:
            continue
        taken.append(id)
        texts.add(text)
        words -= size
        if len(taken) == most:
            break
    return sorted(taken, key=order.__getitem__)


def take_edges(
    index: GraphIndex, scope: Scope, ranked: Iterable[int], *, most: int, words: int
) -> list[int]:
    """The first `most` triplets whose sentences fit into `words`; a sentence counts once."""
    taken: list[int] = []
    sentences: set[str] = set()
    for at in ranked:
        text = triplet_text(index.edge(scope.graph.edge_ids[at]), scope, at)
        size = 0 if text in sentences else count_words(text)
        if size > words:
            continue
        words -= size
        taken.append(at)
        sentences.add(text)
        if len(taken) == most:
            break
    return taken


def triplet_text(edge: Edge, scope: Scope, at: int) -> str:
    """The sentence a triplet was read in, or subject, relation and object in a row."""
    graph = scope.graph
    source = graph.node_labels[graph.edge_source[at]]
    target = graph.node_labels[graph.edge_target[at]]
    return edge.sentence or f"{source} {edge.relation} {target}"


def show_triplet(index: GraphIndex, scope: Scope, at: int, score: float) -> RetrievedTriplet:
    """The triplet at a position of the graph, as it is returned."""
    graph = scope.graph
    edge = index.edge(graph.edge_ids[at])
    block = index.block(edge.block)
    return RetrievedTriplet(
        subject=graph.node_labels[graph.edge_source[at]],
        relation=edge.relation,
        object=graph.node_labels[graph.edge_target[at]],
        score=score,
        document=index.documents.get(block.document, block.document),
        page=block.page,
        text=triplet_text(edge, scope, at),
        edge=edge.id,
        bbox=block.block.bbox,
        document_id=block.document,
    )


def show_image(index: GraphIndex, scope: Scope, found: FoundImage) -> RetrievedImage:
    """A found image, as it is returned."""
    image = index.image(found.id)
    return RetrievedImage(
        id=image.id,
        name=image.name,
        document=index.documents.get(image.document, image.document),
        page=image.page,
        bbox=image.bbox,
        path=index.image_path(image),
        caption=image.caption,
        score=found.score,
        reason=found.reason,
        via=None if found.via is None else scope.graph.node_labels[found.via],
        link=found.link,
        section=image.section_title,
        text=image.text,
        description=image.description,
        document_id=image.document,
    )


def show_passage(index: GraphIndex, id: str, score: float) -> RetrievedPassage:
    """A passage, as it is returned."""
    passage = index.passage(id)
    return RetrievedPassage(
        document=index.documents.get(passage.document, passage.document),
        page=passage.page,
        bbox=passage.bbox,
        text=passage.text,
        score=score,
        id=id,
        section=passage.section,
        document_id=passage.document,
    )


def show_pages(index: GraphIndex, pages: Mapping[PageKey, float]) -> tuple[RetrievedPage, ...]:
    """Pages best first, as they are returned."""
    ranked = sorted(pages.items(), key=lambda item: (-item[1], item[0]))[:MAX_PAGES]
    return tuple(
        RetrievedPage(index.documents.get(document, document), page, score)
        for (document, page), score in ranked
    )


def best_per_page(index: GraphIndex, passages: Mapping[str, float]) -> dict[PageKey, list[float]]:
    """The scores of the passages on each page, best first."""
    found: dict[PageKey, list[float]] = {}
    for id, score in sorted(passages.items(), key=lambda item: -item[1]):
        key = page_key(index.passage(id))
        if key is not None:
            found.setdefault(key, []).append(score)
    return found
