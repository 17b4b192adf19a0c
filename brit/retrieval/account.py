"""The default preset's account of itself: hops, reasons, ranks, for the trace and the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from brit.retrieval.fusion import as_relevance, ranks
from brit.retrieval.mixing import FOLLOWED_IMAGES, Context, MixedImages, MixedPassages
from brit.retrieval.query import Query
from brit.retrieval.rank import FoundImage
from brit.retrieval.subgraph import SubGraph
from brit.retrieval.traverse import SHOWN_HOPS, hop, links_of_image
from brit.types import ComponentVerdict, Hop, IntArray, RankedPassage

FOLLOWED_NODES = 10
SHOWN_PASSAGES = 20
IMAGES_RETURNED = 4


def found_image(context: Context, images: MixedImages, id: str) -> FoundImage:
    """Why an image was found: over a link from a node, or by similarity, its text then followed."""
    score, step = as_relevance(images.fused[id]), images.steps.get(id)
    if step is not None:
        return FoundImage(id, score, "text-to-image", step.node, step.link)
    links = links_of_image(context.scope, context.scope.image_at[id], context.config.links, 1)
    if links:
        return FoundImage(id, score, "image-to-text", links[0].node, links[0].link)
    return FoundImage(id, score, "similarity")


def hops_of_round(
    context: Context, images: MixedImages, round: int, seen: set[tuple[str, str | None]]
) -> list[Hop]:
    """The steps of a round: the images that are returned, and the best of those that are not."""
    scope = context.scope
    hops: list[Hop] = []
    for place, id in enumerate([*images.fused][:SHOWN_HOPS]):
        step = images.steps.get(id)
        if (id, step and scope.graph.node_ids[step.node]) in seen:
            continue
        kept = place < IMAGES_RETURNED
        reason = f"rank {place + 1} among the images"
        reason += "" if kept else f": only {IMAGES_RETURNED} are returned"
        score = as_relevance(images.fused[id])
        if step is not None:
            reason += f"; «{scope.graph.node_labels[step.node]}» leads to it"
            step = replace(step, score=score)
            hops.append(hop(scope, "text-to-image", step, kept=kept, reason=reason, round=round))
        else:
            hops.append(Hop("similarity", round, None, id, None, score, kept, reason))
        if place < FOLLOWED_IMAGES:
            links = links_of_image(scope, scope.image_at[id], context.config.links, FOLLOWED_NODES)
            hops += [
                hop(
                    scope,
                    "image-to-text",
                    link,
                    kept=True,
                    reason="its text is followed",
                    round=round,
                )
                for link in links
            ]
    return hops


def with_ways(found: SubGraph, images: MixedImages, linked: IntArray) -> SubGraph:
    """The sub-graph with the nodes that images were reached by or lead to, for the trace."""
    ways = [images.steps[id].node for id in [*images.fused][:SHOWN_HOPS] if id in images.steps]
    origin = (
        dict.fromkeys(linked.tolist(), "image") | dict.fromkeys(ways, "match") | dict(found.origin)
    )
    return replace(found, nodes=np.array(sorted(origin), np.int32), origin=origin)


def ranked_passages(passages: MixedPassages) -> tuple[RankedPassage, ...]:
    """The best passages with their rank in each channel."""
    by_channel = {name: ranks(scores) for name, scores in passages.channels.items()}
    return tuple(
        RankedPassage(
            passage=id,
            score=as_relevance(score),
            ranks={name: places[id] for name, places in by_channel.items() if id in places},
            kept=False,
        )
        for id, score in [*passages.fused.items()][:SHOWN_PASSAGES]
    )


def fallbacks(query: Query, verdicts: Sequence[ComponentVerdict]) -> tuple[str, ...]:
    """What fell back, in words for the page."""
    notes = []
    if not query.entities:
        notes.append("No entity in the question: it was compared whole.")
    if not any(verdict.kept for verdict in verdicts):
        notes.append("No part of the graph passed the threshold: passages and captions alone.")
    return tuple(notes)
