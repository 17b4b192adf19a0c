"""The default preset's further rounds: on from the nodes that images and passages lead to, and to
what a further query finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from brit.retrieval.account import FOLLOWED_NODES, hops_of_round
from brit.retrieval.channels import WEAK_NODE, Flow, ImageChannels, images_of_nodes
from brit.retrieval.fusion import Scores
from brit.retrieval.mixing import (
    FOLLOWED_IMAGES,
    Context,
    MixedImages,
    MixedPassages,
    mix_images,
    passages_of_edges,
)
from brit.retrieval.prune import match_names
from brit.retrieval.rounds import MOST_NAMES, Rounds, tell_finds
from brit.retrieval.stopwords import keywords
from brit.retrieval.subgraph import SubGraph, default_subgraph, edge_similarity, node_similarity
from brit.retrieval.traverse import edges_of_nodes, links_of_image
from brit.types import Hop, IntArray

TOP_EDGES = 60
NAMING_PASSAGES = 2
TOLD_NAME = 0.5  # of a name in the question, what one that the best passage tells of counts
ROUND_FALL = 0.5  # what a node reached in the next round counts, of one in this round
JUST_BEHIND = 0.99
FURTHER = 10


@dataclass(frozen=True, eq=False)
class Found:
    """What was found after so many `rounds`; `further` are the images of further queries."""

    graph: SubGraph
    passages: MixedPassages
    images: MixedImages
    pictures: ImageChannels
    flow: Flow
    further: tuple[MixedImages, ...] = ()
    rounds: int = 1


@dataclass(frozen=True)
class Next:
    """Where a round starts: nodes (position → likeness, best first), and a further query. `chosen`
    by a model, whose choice puts the text about these nodes first."""

    seeds: dict[int, float]
    query: str = ""
    chosen: bool = False


def go_on(
    context: Context, found: Found, rounds: Rounds, search: Callable[[Context], Found]
) -> tuple[Found, list[Hop]]:
    """Round after round, while something new passes or a model wants more. `search` is the first
    round of another query."""
    hops = hops_of_round(context, found.images, 1, set())
    while found.rounds < context.config.max_rounds:
        step = _next(context, found, rounds)
        if not step.seeds and not step.query:
            break
        found = replace(found, rounds=found.rounds + 1)
        if step.seeds:
            found = _follow(context, found, step)
        if step.query:
            more = search(replace(context, query=rounds.read(step.query)))
            found = _join(found, more)
        found = _rank_images(context, found)
        seen = {(hop.image, hop.node) for hop in hops}
        hops += hops_of_round(context, found.images, found.rounds, seen)
    return found, hops


def _next(context: Context, found: Found, rounds: Rounds) -> Next:
    labels = context.scope.graph.node_labels
    ahead = _nodes_ahead(context, found, linked_nodes(context, found.images))
    if rounds.by_model:
        named = np.array([*named_in_passages(context, found.passages)], np.int32)
        offered = ahead | _nodes_ahead(context, found, named)
        nodes = [*offered][:MOST_NAMES]
        told = tell_finds(
            context.index,
            context.scope,
            found.passages.fused,
            found.images.fused,
            ranked_edges(context, found.graph.edges),
        )
        names = [labels[at] for at in nodes]
        choice = rounds.choose(found.rounds + 1, context.query.text, told, names)
        if choice is not None:
            chosen = {nodes[at]: offered[nodes[at]] for at in choice.names}
            return Next(chosen, choice.query, chosen=True)
    seeds = _passing(context, found, ahead)
    rounds.score(found.rounds + 1, [labels[at] for at in seeds])
    return Next(seeds)


def _nodes_ahead(context: Context, found: Found, nodes: IntArray) -> dict[int, float]:
    """Those of `nodes` that are new, with their likeness to the question; best first."""
    new = np.setdiff1d(nodes, found.graph.nodes).astype(np.int32)
    scores = node_similarity(context.index, context.scope, context.query, new)
    best = np.lexsort((new, -scores))
    return {int(new[at]): float(scores[at]) for at in best}


def _passing(context: Context, found: Found, ahead: dict[int, float]) -> dict[int, float]:
    """As many as get prizes, no less like the question than the least similar prized node."""
    prized = [context.scope.node_at[prize.id] for prize in found.graph.node_prizes]
    before = node_similarity(
        context.index, context.scope, context.query, np.array(prized, np.int32)
    )
    bar = float(before.min()) if len(before) else 0.0
    best = [*ahead.items()][: context.config.k]
    return {at: score for at, score in best if score >= bar}


def _follow(context: Context, found: Found, step: Next) -> Found:
    """From nodes over their surroundings and links to images; with `chosen` also to their text."""
    scope, config = context.scope, context.config
    wider = default_subgraph(
        context.index, scope, context.query, step.seeds, config.k, config.edge_cost
    )
    fall = ROUND_FALL ** (found.rounds - 1)
    reached = dict.fromkeys(wider.nodes.tolist(), fall * WEAK_NODE)
    reached |= {at: fall / rank for rank, at in enumerate(step.seeds, 1)}
    onward = images_of_nodes(scope, reached, config.links)
    passages = found.passages
    if step.chosen:
        edges = edges_of_nodes(scope, np.array([*step.seeds], np.int32))
        passages = _behind_passages(
            passages, passages_of_edges(context, ranked_edges(context, edges))
        )
    return replace(
        found,
        graph=SubGraph.merge([found.graph, wider]),
        passages=passages,
        flow=found.flow.add(onward, without=[*found.images.fused][:FOLLOWED_IMAGES]),
    )


def _join(found: Found, more: Found) -> Found:
    """Also what a further query found, in its own order behind the best of what there was."""
    return replace(
        found,
        graph=SubGraph.merge([found.graph, more.graph]),
        passages=_behind_passages(found.passages, more.passages.fused),
        further=(*found.further, more.images),
    )


def _behind_passages(passages: MixedPassages, further: Iterable[str]) -> MixedPassages:
    ids = [*further][:FURTHER]
    known = passages.channels.get("further", {})
    new = {id: 1 / rank for rank, id in enumerate(ids, 1)}
    channels = {**passages.channels, "further": new | dict(known)}
    return replace(passages, fused=behind(passages.fused, ids), channels=channels)


def _rank_images(context: Context, found: Found) -> Found:
    images = mix_images(context, found.pictures, found.flow, found.passages)
    for more in found.further:
        fused = behind(images.fused, [*more.fused][:FURTHER])
        images = MixedImages(fused, {**more.steps, **images.steps})
    return replace(found, images=images)


def behind(fused: Scores, further: Iterable[str]) -> Scores:
    """Two rankings in one: the first of `further` comes right behind the first of `fused`, the
    others count a half of it, a third, where they did not count more already."""
    first = next(iter(fused), None)
    best = JUST_BEHIND * fused[first] if first is not None else 1.0
    scores = dict(fused)
    for rank, id in enumerate((id for id in further if id != first), 1):
        scores[id] = max(best / rank, scores.get(id, 0.0))
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def named_in_passages(context: Context, passages: MixedPassages) -> dict[int, float]:
    """Text → image over what the best passages name: a question that never says the name of the
    thing in the picture finds it through the passage that tells of it."""
    relevance: dict[int, float] = {}
    for rank, id in enumerate([*passages.fused][:NAMING_PASSAGES], 1):
        words = keywords(context.index.passage(id).text)
        for match in match_names(context.index, context.scope, words, words):
            if match.distinctive:
                relevance.setdefault(match.node, TOLD_NAME / rank)
    return relevance


def linked_nodes(context: Context, images: MixedImages) -> IntArray:
    """Image → text: the nodes most strongly linked to the best images."""
    scope, kinds = context.scope, context.config.links
    linked = [
        step.node
        for id in [*images.fused][:FOLLOWED_IMAGES]
        for step in links_of_image(scope, scope.image_at[id], kinds, FOLLOWED_NODES)
    ]
    return np.unique(np.array(linked, np.int32))


def ranked_edges(context: Context, edges: IntArray) -> dict[int, float]:
    """The edges most like the question, best first."""
    scores = edge_similarity(context.index, context.scope, context.query, edges)
    order = np.lexsort((edges, -scores))[:TOP_EDGES]
    return {int(edges[at]): float(scores[at]) for at in order}
