"""The paper preset: §3.2 step by step, with the parameters of §5.3 and nothing added.

1. query entities → cosines with the textual nodes → components above the threshold stay;
2. PCST on each of them, whole → the retrieved textual nodes and their triplets;
3. text → image: of the images linked to retrieved nodes the one whose node is most like the
   question;
4. image → text: the images most like the question, then their linked nodes and their triplets;
5. with more rounds (the paper's iterative extension) step 3 again from the nodes so reached, as
   long as one of them is no less like the question than the least similar prized node; a model
   that decides may choose another of them, or have steps 1 to 3 done for a further query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from brit.config import RetrievalConfig
from brit.models import GraphIndex
from brit.retrieval.clock import Clock
from brit.retrieval.fusion import search_scores
from brit.retrieval.places import PageKey, page_key, read_places
from brit.retrieval.prune import judge_components, match_entities, shown_matches, shown_verdicts
from brit.retrieval.query import Query
from brit.retrieval.rank import Findings, FoundImage, best_per_page
from brit.retrieval.rounds import MOST_NAMES, Rounds, tell_finds
from brit.retrieval.scope import Scope
from brit.retrieval.subgraph import (
    SubGraph,
    edge_similarity,
    node_similarity,
    paper_subgraph,
    trace_edges,
    trace_nodes,
)
from brit.retrieval.traverse import (
    SHOWN_HOPS,
    Step,
    best_links_to_images,
    edges_of_nodes,
    hop,
    links_of_image,
)
from brit.types import Hop, IntArray, RetrievalTrace

PAGES_WANTED = 10


def find_by_paper(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    config: RetrievalConfig,
    clock: Clock,
    rounds: Rounds,
) -> Findings:
    """What the paper's method finds for a question."""
    threshold = index.text_encoder.same_entity if config.threshold is None else config.threshold
    with clock("search"):
        matches = match_entities(index, scope, query, threshold)
        verdicts = judge_components(scope, matches, threshold)
    kept = [verdict.component for verdict in verdicts if verdict.kept]
    with clock("pcst"):
        found = paper_subgraph(index, scope, query, kept, config.k, config.edge_cost)
    with clock("traverse"):
        by_text, text_hops = text_to_image(index, scope, query, config, found)
        by_image, image_hops, linked = image_to_text(index, scope, query, config)
        images = list({image.id: image for image in reversed([*by_text, *by_image])}.values())[::-1]
        found, images, further_hops, linked, round = iterate(
            index, scope, query, config, found, images, linked, rounds
        )
        merged = _with_linked(found, linked)
        edges = np.union1d(found.edges, edges_of_nodes(scope, linked)).astype(np.int32)
        triplets = _ranked_edges(index, scope, query, edges, found.edges)
    passages = dict.fromkeys(_passages_of(index, scope, triplets), 0.0)
    trace = RetrievalTrace(
        matches=shown_matches(scope, [match for match in matches if match.score > threshold]),
        components=shown_verdicts(verdicts),
        node_prizes=found.node_prizes,
        edge_prizes=found.edge_prizes,
        edge_cost=found.edge_cost if kept else config.edge_cost,
        nodes=trace_nodes(index, scope, query, merged),
        edges=trace_edges(index, scope, query, found),
        hops=(*text_hops, *image_hops, *further_hops),
        rounds=round,
        fallbacks=() if query.entities else ("No entity in the question: it was compared whole.",),
    )
    return Findings(
        images=images,
        edges=triplets,
        passages=passages,
        pages=_pages(index, scope, query, triplets, images),
        low_relevance=not kept,
        trace=trace,
    )


def text_to_image(
    index: GraphIndex, scope: Scope, query: Query, config: RetrievalConfig, found: SubGraph
) -> tuple[list[FoundImage], list[Hop]]:
    """Of the images linked to retrieved nodes the one whose node is most like the question."""
    scores = node_similarity(index, scope, query, found.nodes)
    steps = best_links_to_images(scope, found.nodes, scores, config.links)
    hops = [
        hop(scope, "text-to-image", step, kept=at == 0, reason=_text_reason(scope, steps, at))
        for at, step in enumerate(steps[: SHOWN_HOPS + 1])
    ]
    return [_over(scope, step) for step in steps[:1]], hops


def _text_reason(scope: Scope, steps: Sequence[Step], at: int) -> str:
    label = scope.graph.node_labels[steps[at].node]
    if at == 0:
        return f"«{label}» is the linked node most like the question ({steps[0].score:.2f})"
    best = scope.graph.node_labels[steps[0].node]
    if steps[at].node == steps[0].node:
        return f"another image of «{label}» has the stronger link"
    return f"«{label}» ({steps[at].score:.2f}) is less like the question than «{best}»"


def image_to_text(
    index: GraphIndex, scope: Scope, query: Query, config: RetrievalConfig
) -> tuple[list[FoundImage], list[Hop], IntArray]:
    """The images most like the question, and the nodes linked to them."""
    ranked = search_scores(
        index.images, query.image_vector, config.top_images + SHOWN_HOPS // 2, scope.image_ids
    )
    images: list[FoundImage] = []
    hops: list[Hop] = []
    linked: list[int] = []
    for place, (id, score) in enumerate(ranked.items()):
        kept = place < config.top_images
        steps = links_of_image(scope, scope.image_at[id], config.links) if kept else []
        reason = f"similarity to the question {score:.2f}, rank {place + 1}"
        hops.append(Hop("similarity", 1, None, id, None, score, kept, reason))
        if kept:
            linked += [step.node for step in steps]
            first = steps[0] if steps else None
            images.append(
                FoundImage(
                    id,
                    score,
                    "image-to-text" if first else "similarity",
                    first.node if first else None,
                    first.link if first else None,
                )
            )
            hops += [
                hop(scope, "image-to-text", step, kept=True, reason="linked to this image")
                for step in steps[:SHOWN_HOPS]
            ]
    return images, hops, np.unique(np.array(linked, np.int32))


def iterate(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    config: RetrievalConfig,
    found: SubGraph,
    images: Sequence[FoundImage],
    linked: IntArray,
    rounds: Rounds,
) -> tuple[SubGraph, list[FoundImage], list[Hop], IntArray, int]:
    """Text → image again from the nodes that images led to, and from what a further query finds →
    (the sub-graph, all images, new hops, all nodes that images led to, rounds)."""
    images, hops, round = list(images), list[Hop](), 1
    while round < config.max_rounds:
        known = {image.id for image in images}
        steps = _steps_ahead(index, scope, query, config, linked, known)
        step, further = _next(index, scope, query, found, images, steps, rounds, round + 1)
        new: list[FoundImage] = []
        if further:
            other = rounds.read(further)
            more = _find_nodes(index, scope, other, config)
            found = SubGraph.merge([found, more])
            new, their_hops = text_to_image(index, scope, other, config, more)
            hops += [replace(each, round=round + 1) for each in their_hops]
        if step is not None:
            reason = "reached from a node another image led to"
            new.append(_over(scope, step))
            hops.append(
                hop(scope, "text-to-image", step, kept=True, reason=reason, round=round + 1)
            )
        if step is None and not further:
            break
        round += 1
        images += [image for image in new if image.id not in known]
        onward = [
            each.node
            for image in new
            for each in links_of_image(scope, scope.image_at[image.id], config.links)
        ]
        linked = np.union1d(linked, np.array(onward, np.int32)).astype(np.int32)
    return found, images, hops, linked, round


def _steps_ahead(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    config: RetrievalConfig,
    linked: IntArray,
    known: Collection[str],
) -> list[Step]:
    """From nodes that images led to on to other images, the node most like the question first."""
    scores = node_similarity(index, scope, query, linked)
    steps = best_links_to_images(scope, linked, scores, config.links)
    return [step for step in steps if scope.graph.image_ids[step.image] not in known]


def _next(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    found: SubGraph,
    images: Sequence[FoundImage],
    steps: Sequence[Step],
    rounds: Rounds,
    round: int,
) -> tuple[Step | None, str]:
    """The step to take next and the further query, as the model or the scores decide."""
    labels = scope.graph.node_labels
    nodes = [*dict.fromkeys(step.node for step in steps)][:MOST_NAMES]
    if rounds.by_model:
        edges = _ranked_edges(index, scope, query, found.edges, found.edges)
        told = tell_finds(
            index, scope, _passages_of(index, scope, edges), (i.id for i in images), edges
        )
        choice = rounds.choose(round, query.text, told, [labels[at] for at in nodes])
        if choice is not None:
            first = {nodes[at]: rank for rank, at in reversed([*enumerate(choice.names)])}
            chosen = [step for step in steps if step.node in first]
            return min(chosen, key=lambda step: first[step.node], default=None), choice.query
    prized = np.array([scope.node_at[prize.id] for prize in found.node_prizes], np.int32)
    bar = node_similarity(index, scope, query, prized).min(initial=1.0) if len(prized) else 0.0
    step = next((step for step in steps if step.score >= bar), None)
    rounds.score(round, [labels[step.node]] if step else [])
    return step, ""


def _find_nodes(index: GraphIndex, scope: Scope, query: Query, config: RetrievalConfig) -> SubGraph:
    """Steps 1 and 2 for a further query."""
    threshold = index.text_encoder.same_entity if config.threshold is None else config.threshold
    matches = match_entities(index, scope, query, threshold)
    kept = [each.component for each in judge_components(scope, matches, threshold) if each.kept]
    return paper_subgraph(index, scope, query, kept, config.k, config.edge_cost)


def _passages_of(index: GraphIndex, scope: Scope, edges: Iterable[int]) -> list[str]:
    """The passages that triplets were read in."""
    blocks = [index.edge(scope.graph.edge_ids[at]).block for at in edges]
    return read_places(index).passages_of_blocks(blocks)


def _over(scope: Scope, step: Step) -> FoundImage:
    """The image a step leads to."""
    id = scope.graph.image_ids[step.image]
    return FoundImage(id, step.score, "text-to-image", step.node, step.link)


def _with_linked(found: SubGraph, linked: IntArray) -> SubGraph:
    origin = dict.fromkeys(linked.tolist(), "image") | dict(found.origin)
    return replace(found, nodes=np.union1d(found.nodes, linked).astype(np.int32), origin=origin)


def _ranked_edges(
    index: GraphIndex, scope: Scope, query: Query, edges: IntArray, chosen: IntArray
) -> dict[int, float]:
    """Triplets of the sub-graph first, then those at nodes linked to images, each by similarity."""
    scores = edge_similarity(index, scope, query, edges)
    of_tree = np.isin(edges, chosen)
    order = np.lexsort((edges, -scores, ~of_tree))
    return {int(edges[at]): float(scores[at]) for at in order[:200]}


def _pages(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    triplets: dict[int, float],
    images: Sequence[FoundImage],
) -> dict[PageKey, float]:
    """Pages of what was found, then, to reach ten, those of the passages most like the question."""
    pages: dict[PageKey, float] = {}
    for image in images:
        key = page_key(index.image(image.id))
        if key is not None:
            pages.setdefault(key, 2.0 + image.score)
    for at, score in triplets.items():
        block = index.block(index.edge(scope.graph.edge_ids[at]).block)
        if block.page is not None:
            pages.setdefault((block.document, block.page), 2.0 + score)
    if len(pages) < PAGES_WANTED:
        allowed = index.passage_ids(scope.documents) if scope.documents else None
        near = search_scores(index.passages, query.vector, 10 * PAGES_WANTED, allowed)
        for key, scores in best_per_page(index, near).items():
            pages.setdefault(key, scores[0])
    return pages
