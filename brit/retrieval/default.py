"""The default preset: the paper's graph retrieval, fused with all else that finds passages.

1. passages by vector and by words; images by caption, scene text and pixels;
2. entities and names word for word → components → PCST near the prizes → the sub-graph;
3. text → image: links from the sub-graph, pages and sections of good passages, captions, pixels;
4. image → text: passages beside the images found, and those of the nodes linked to them;
5. with more rounds (`onward.py`) the search goes on from the nodes that images lead to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from brit.config import RetrievalConfig
from brit.models import GraphIndex
from brit.retrieval.account import (
    IMAGES_RETURNED,
    fallbacks,
    found_image,
    ranked_passages,
    with_ways,
)
from brit.retrieval.channels import (
    ImageChannels,
    PassageChannels,
    images_of_nodes,
    node_relevance,
    search_images,
    search_passages,
)
from brit.retrieval.clock import Clock
from brit.retrieval.fusion import as_relevance
from brit.retrieval.mixing import (
    TOP_PASSAGES,
    Context,
    MixedImages,
    MixedPassages,
    add_image_passages,
    mix_images,
    mix_passages,
    passages_of_edges,
)
from brit.retrieval.onward import Found, go_on, linked_nodes, named_in_passages, ranked_edges
from brit.retrieval.pages import mix_pages
from brit.retrieval.places import read_places
from brit.retrieval.prune import (
    Match,
    judge_components,
    match_entities,
    shown_matches,
    shown_verdicts,
)
from brit.retrieval.query import Query
from brit.retrieval.rank import Findings
from brit.retrieval.relevance import is_low
from brit.retrieval.rounds import Rounds
from brit.retrieval.scope import Scope
from brit.retrieval.subgraph import SubGraph, default_subgraph, trace_edges, trace_nodes
from brit.retrieval.traverse import edges_of_nodes
from brit.types import ComponentVerdict, RetrievalTrace

RRF_OFFSET = 60
LEXICAL_WEIGHT = 2.0


@dataclass(frozen=True, eq=False)
class Look:
    """What lies near a query, before the graph is walked."""

    near: PassageChannels
    pictures: ImageChannels
    matches: Sequence[Match]
    verdicts: Sequence[ComponentVerdict]


def find_by_default(
    index: GraphIndex,
    scope: Scope,
    query: Query,
    config: RetrievalConfig,
    clock: Clock,
    rounds: Rounds,
) -> Findings:
    """What the default preset finds for a question."""
    threshold = index.text_encoder.same_entity if config.threshold is None else config.threshold
    with clock("search"):
        context = Context(index, scope, query, config, threshold, read_places(index))
        look = _look(context)
    first = _first_round(context, look, clock)
    with clock("traverse"):
        found, hops = go_on(
            context, first, rounds, lambda other: _first_round(other, _look(other), clock)
        )
        graph, images = found.graph, found.images
        linked = linked_nodes(context, images)
        edges = np.union1d(graph.edges, edges_of_nodes(scope, linked)).astype(np.int32)
        triplets = ranked_edges(context, edges)
        of_links = passages_of_edges(context, [at for at in triplets if at not in graph.edges], 0.5)
        passages = add_image_passages(context, found.passages, images, of_links)
    trace = RetrievalTrace(
        matches=shown_matches(scope, [each for each in look.matches if each.score > threshold]),
        components=shown_verdicts(look.verdicts),
        node_prizes=graph.node_prizes,
        edge_prizes=graph.edge_prizes,
        edge_cost=graph.edge_cost,
        nodes=trace_nodes(index, scope, query, with_ways(graph, images, linked)),
        edges=trace_edges(index, scope, query, graph),
        hops=tuple(hops),
        passages=ranked_passages(passages),
        rounds=found.rounds,
        fallbacks=fallbacks(query, look.verdicts),
    )
    with clock("search"):
        pages = mix_pages(context, passages, images)
    return Findings(
        images=[found_image(context, images, id) for id in [*images.fused][:IMAGES_RETURNED]],
        edges=triplets,
        passages={id: as_relevance(score) for id, score in passages.fused.items()},
        pages={page: as_relevance(score) for page, score in pages.items()},
        low_relevance=_is_low(context, passages, images, look),
        beside=passages.beside,
        trace=trace,
    )


def _look(context: Context) -> Look:
    index, scope, query = context.index, context.scope, context.query
    near, pictures = search_passages(index, scope, query), search_images(index, scope, query)
    matches = [*context.by_name, *match_entities(index, scope, query, context.threshold)]
    verdicts = judge_components(scope, matches, context.threshold)
    return Look(near, pictures, matches, verdicts)


def _first_round(context: Context, look: Look, clock: Clock) -> Found:
    """The sub-graph, the passages, and text → image over the links of what both name."""
    with clock("pcst"):
        graph = _subgraph(context, look.matches, look.verdicts)
    with clock("traverse"):
        relevance = node_relevance(graph.nodes.tolist(), look.matches, context.threshold)
        of_graph = passages_of_edges(context, graph.edges.tolist())
        passages = mix_passages(context, look.near, of_graph)
        for node, named in named_in_passages(context, passages).items():
            relevance[node] = max(named, relevance.get(node, 0.0))
        flow = images_of_nodes(context.scope, relevance, context.config.links)
        images = mix_images(context, look.pictures, flow, passages)
    return Found(graph, passages, images, look.pictures, flow)


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


def _is_low(context: Context, passages: MixedPassages, images: MixedImages, look: Look) -> bool:
    """Nothing found is about the question, nor does it name a node, a place or a document."""
    index, query = context.index, context.query
    named = any(match.distinctive for match in context.by_name)
    if named or query.references or query.clearly_named:
        return False
    pictures = (index.image(id) for id in [*images.fused][:IMAGES_RETURNED])
    texts = [index.passage(id).text for id in [*passages.fused][:TOP_PASSAGES]]
    texts += [f"{image.caption} {image.section_title} {image.text}" for image in pictures]
    return is_low(query.text, texts, look.near.dense)
