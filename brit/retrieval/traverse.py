"""Linked-context retrieval (§3.2): over the links between textual nodes and images, both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from brit.retrieval.pcst import Prizes
from brit.retrieval.scope import Scope
from brit.types import LINK_KINDS, Hop, HopKind, IntArray, LinkKind

LINK_STRENGTH: dict[LinkKind, float] = {"CA": 1.0, "SI": 0.4, "LS": 0.5, "LP": 0.3, "PG": 0.2}
_STRENGTHS = np.array([LINK_STRENGTH[kind] for kind in LINK_KINDS])
SHOWN_HOPS = 20


@dataclass(frozen=True)
class Step:
    """A way between a node and an image (positions in the graph) over one link."""

    node: int
    image: int
    link: LinkKind
    score: float


def best_links_to_images(
    scope: Scope, nodes: IntArray, scores: Prizes, kinds: Sequence[LinkKind]
) -> list[Step]:
    """For each image linked to `nodes` (n,) its most similar node, by `scores` (n,); best first.

    Equal nodes are told apart by the kind of their link (a caption says more than a page), then
    by the link's own score.
    """
    owner, links = scope.node_links.gather(nodes)
    chosen = scope.of_kinds(links, kinds)
    owner, links = owner[chosen], links[chosen]
    graph = scope.graph
    strength = _STRENGTHS[graph.link_kind[links]]
    order = np.lexsort((links, -graph.link_score[links], -strength, -scores[owner]))
    _, first = np.unique(graph.link_image[links[order]], return_index=True)
    best = order[np.sort(first)]
    return [_step(scope, int(links[at]), float(scores[owner[at]])) for at in best]


def links_of_image(
    scope: Scope, image: int, kinds: Sequence[LinkKind], most: int | None = None
) -> list[Step]:
    """The nodes linked to an image, strongest link first, each node once."""
    graph = scope.graph
    links = scope.image_links.row(image)
    links = links[scope.of_kinds(links, kinds)]
    strength = _STRENGTHS[graph.link_kind[links]]
    nodes = graph.link_node[links]
    order = np.lexsort((nodes, -graph.link_score[links], -strength))
    _, first = np.unique(nodes[order], return_index=True)
    chosen = links[order[np.sort(first)]][:most].tolist()
    return [_step(scope, at, float(graph.link_score[at])) for at in chosen]


def edges_of_nodes(scope: Scope, nodes: IntArray) -> IntArray:
    """Every edge at one of the nodes, once."""
    return np.unique(scope.incident.gather(nodes)[1]).astype(np.int32)


def hop(scope: Scope, kind: HopKind, step: Step, *, kept: bool, reason: str, round: int = 1) -> Hop:
    """A step for the trace; it says where a person confirmed the link."""
    confirmed = (step.image, step.node) in scope.graph.reviewed.confirmed
    return Hop(
        kind=kind,
        round=round,
        node=scope.graph.node_ids[step.node],
        image=scope.graph.image_ids[step.image],
        link=step.link,
        score=step.score,
        kept=kept,
        reason=f"{reason}; a person confirmed the link" if confirmed else reason,
        reviewed="confirmed" if confirmed else None,
    )


def rejected_hops(scope: Scope, hops: Sequence[Hop]) -> list[Hop]:
    """The links of the images of `hops` that are not there because a person rejected them."""
    graph = scope.graph
    return [
        Hop(
            kind="text-to-image",
            round=1,
            node=graph.node_ids[node],
            image=image,
            link=None,
            score=0.0,
            kept=False,
            reason=f"a person rejected the link from «{graph.node_labels[node]}»",
            reviewed="rejected",
        )
        for image in dict.fromkeys(hop.image for hop in hops)
        for node in graph.reviewed.rejected.get(scope.image_at[image], ())
        if scope.inside[node]
    ]


def _step(scope: Scope, link: int, score: float) -> Step:
    graph = scope.graph
    kind = LINK_KINDS[graph.link_kind[link]]
    return Step(int(graph.link_node[link]), int(graph.link_image[link]), kind, score)
