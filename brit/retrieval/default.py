"""The default preset: the paper's graph retrieval, fused with all else that finds passages.

1. passages by vector and by words; images by caption, scene text and pixels;
2. entities and names word for word → components → PCST near the prizes → the sub-graph;
3. text → image: links from the sub-graph, pages and sections of good passages, captions, pixels;
4. image → text: passages beside the images found, and those of the nodes linked to them;
5. with more rounds, the nodes reached through images start the next hop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from brit.config import RetrievalConfig
from brit.models import GraphIndex
from brit.retrieval.account import (
    FOLLOWED_NODES,
    IMAGES_RETURNED,
    fallbacks,
    found_image,
    hops_of_round,
    ranked_passages,
    with_ways,
)
from brit.retrieval.channels import (
    WEAK_NODE,
    ImageChannels,
    images_of_nodes,
    node_relevance,
    search_images,
    search_passages,
)
from brit.retrieval.clock import Clock
from brit.retrieval.fusion import as_relevance
from brit.retrieval.mixing import (
    FOLLOWED_IMAGES,
    TOP_PASSAGES,
    Context,
    MixedImages,
    MixedPassages,
    add_image_passages,
    mix_images,
    mix_passages,
    passages_of_edges,
)
from brit.retrieval.pages import mix_pages
from brit.retrieval.places import read_places
from brit.retrieval.prune import (
    Match,
    judge_components,
    match_entities,
    match_names,
    shown_matches,
    shown_verdicts,
)
from brit.retrieval.query import Query
from brit.retrieval.rank import Findings
from brit.retrieval.relevance import is_low
from brit.retrieval.scope import Scope
from brit.retrieval.stopwords import keywords
from brit.retrieval.subgraph import (
    SubGraph,
    default_subgraph,
    edge_similarity,
    node_similarity,
    trace_edges,
    trace_nodes,
)
from brit.retrieval.traverse import edges_of_nodes, links_of_image
from brit.types import ComponentVerdict, Hop, IntArray, RetrievalTrace

TOP_EDGES = 60
NAMING_PASSAGES = 2
TOLD_NAME = 0.8  # of a name in the question, what one that the best passage tells of counts
ROUND_FALL = 0.5  # what a node reached in the next round counts, of one in this round
RRF_OFFSET = 60
LEXICAL_WEIGHT = 2.0


def find_by_default(
    index: GraphIndex, scope: Scope, query: Query, config: RetrievalConfig, clock: Clock
) -> Findings:
    """What the default preset finds for a question."""
    threshold = index.text_encoder.same_entity if config.threshold is None else config.threshold
    with clock("search"):
        context = Context(index, scope, query, config, threshold, read_places(index))
        near = search_passages(index, scope, query)
        pictures = search_images(index, scope, query)
        by_name = match_names(index, scope, query.text, query.keywords)
        matches = [*by_name, *match_entities(index, scope, query, threshold)]
        verdicts = judge_components(scope, matches, threshold)
    with clock("pcst"):
        found = _subgraph(context, matches, verdicts)
    with clock("traverse"):
        relevance = node_relevance(found.nodes.tolist(), matches, threshold)
        passages = mix_passages(context, near, passages_of_edges(context, found.edges.tolist()))
        for node, named in _named_in_passages(context, passages).items():
            relevance[node] = max(named, relevance.get(node, 0.0))
        images, found, hops, rounds = _traverse(context, pictures, relevance, passages, found)
        linked = _linked_nodes(context, images)
        edges = np.union1d(found.edges, edges_of_nodes(scope, linked)).astype(np.int32)
        triplets = _ranked_edges(context, edges)
        of_links = passages_of_edges(context, [at for at in triplets if at not in found.edges], 0.5)
        passages = add_image_passages(context, passages, images, of_links)
    merged = with_ways(found, images, linked)
    trace = RetrievalTrace(
        matches=shown_matches(scope, [match for match in matches if match.score > threshold]),
        components=shown_verdicts(verdicts),
        node_prizes=found.node_prizes,
        edge_prizes=found.edge_prizes,
        edge_cost=found.edge_cost,
        nodes=trace_nodes(index, scope, query, merged),
        edges=trace_edges(index, scope, query, found),
        hops=tuple(hops),
        passages=ranked_passages(passages),
        rounds=rounds,
        fallbacks=fallbacks(query, verdicts),
    )
    pages = mix_pages(context, passages, images)
    return Findings(
        images=[found_image(context, images, id) for id in [*images.fused][:IMAGES_RETURNED]],
        edges=triplets,
        passages={id: as_relevance(score) for id, score in passages.fused.items()},
        pages={page: as_relevance(score) for page, score in pages.items()},
        low_relevance=_is_low(context, passages, images, by_name, near.dense),
        trace=trace,
    )


def _subgraph(
    context: Context, matches: Sequence[Match], verdicts: Sequence[ComponentVerdict]
) -> SubGraph:
    kept = {verdict.component for verdict in verdicts if verdict.kept}
    if not kept:
        return SubGraph.merge([])
    scores = _prize_scores(context, matches, kept)
    config = context.config
    return default_subgraph(
        context.index, context.scope, context.query, scores, config.k, config.edge_cost
    )


def _prize_scores(context: Context, matches: Sequence[Match], kept: set[int]) -> dict[int, float]:
    """Which nodes deserve prizes: rank fusion of the nodes near each entity, of names word for
    word, and of the nodes near the whole question, all inside kept components."""
    index, scope = context.index, context.scope
    lists: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for match in matches:
        if match.score > context.threshold:
            lists["" if match.lexical else match.entity, match.lexical].append(match.node)
    hits = index.nodes.search(context.query.vector[None, :], 4 * context.config.k, scope.node_ids)
    lists["", False] = [
        at for id, _ in hits[0] if int(scope.component[at := scope.node_at[id]]) in kept
    ]
    scores: dict[int, float] = defaultdict(float)
    for (_, lexical), nodes in lists.items():
        for rank, node in enumerate(nodes):
            weight, place = (LEXICAL_WEIGHT, 0) if lexical else (1.0, rank)
            scores[node] += weight / (RRF_OFFSET + place)
    return dict(scores)


def _named_in_passages(context: Context, passages: MixedPassages) -> dict[int, float]:
    """Text → image over what the best passages name: a question that never says the name of the
    thing in the picture finds it through the passage that tells of it."""
    relevance: dict[int, float] = {}
    for rank, id in enumerate([*passages.fused][:NAMING_PASSAGES], 1):
        words = keywords(context.index.passage(id).text)
        for match in match_names(context.index, context.scope, words, words):
            if match.distinctive:
                relevance.setdefault(match.node, TOLD_NAME / rank)
    return relevance


def _traverse(
    context: Context,
    pictures: ImageChannels,
    relevance: dict[int, float],
    passages: MixedPassages,
    found: SubGraph,
) -> tuple[MixedImages, SubGraph, list[Hop], int]:
    """Text → image, and on from the nodes the images lead to while something new passes."""
    config, scope = context.config, context.scope
    flow = images_of_nodes(scope, relevance, config.links)
    images = mix_images(context, pictures, flow, passages)
    hops = hops_of_round(context, images, 1, set())
    rounds = 1
    while rounds < config.max_rounds:
        seeds = _next_seeds(context, images, found)
        if not seeds:
            break
        rounds += 1
        wider = default_subgraph(
            context.index, scope, context.query, seeds, config.k, config.edge_cost
        )
        found = SubGraph.merge([found, wider])
        fall = ROUND_FALL ** (rounds - 1)
        reached = dict.fromkeys(wider.nodes.tolist(), fall * WEAK_NODE)
        reached |= {at: fall / rank for rank, at in enumerate(seeds, 1)}
        onward = images_of_nodes(scope, reached, config.links)
        flow = flow.add(onward, without=[*images.fused][:FOLLOWED_IMAGES])
        images = mix_images(context, pictures, flow, passages)
        hops += hops_of_round(context, images, rounds, {(hop.image, hop.node) for hop in hops})
    return images, found, hops, rounds


def _next_seeds(context: Context, images: MixedImages, found: SubGraph) -> dict[int, float]:
    """Where the next hop starts: new nodes the best images lead to, as many as get prizes, that
    are no less like the question than the least similar prized node; best first."""
    linked = np.setdiff1d(_linked_nodes(context, images), found.nodes).astype(np.int32)
    scores = node_similarity(context.index, context.scope, context.query, linked)
    prized = [context.scope.node_at[prize.id] for prize in found.node_prizes]
    before = node_similarity(
        context.index, context.scope, context.query, np.array(prized, np.int32)
    )
    bar = float(before.min()) if len(before) else 0.0
    best = np.lexsort((linked, -scores))[: context.config.k]
    return {int(linked[at]): float(scores[at]) for at in best if scores[at] >= bar}


def _linked_nodes(context: Context, images: MixedImages) -> IntArray:
    """Image → text: the nodes most strongly linked to the best images."""
    scope, kinds = context.scope, context.config.links
    linked = [
        step.node
        for id in [*images.fused][:FOLLOWED_IMAGES]
        for step in links_of_image(scope, scope.image_at[id], kinds, FOLLOWED_NODES)
    ]
    return np.unique(np.array(linked, np.int32))


def _ranked_edges(context: Context, edges: IntArray) -> dict[int, float]:
    scores = edge_similarity(context.index, context.scope, context.query, edges)
    order = np.lexsort((edges, -scores))[:TOP_EDGES]
    return {int(edges[at]): float(scores[at]) for at in order}


def _is_low(
    context: Context,
    passages: MixedPassages,
    images: MixedImages,
    names: Sequence[Match],
    dense: Mapping[str, float],
) -> bool:
    """Nothing found is about the question, nor does it name a node, a place or a document."""
    index, query = context.index, context.query
    named = any(match.distinctive for match in names)
    if named or query.references or query.clearly_named:
        return False
    pictures = (index.image(id) for id in [*images.fused][:IMAGES_RETURNED])
    texts = [index.passage(id).text for id in [*passages.fused][:TOP_PASSAGES]]
    texts += [f"{image.caption} {image.section_title} {image.text}" for image in pictures]
    return is_low(query.text, texts, dense)
