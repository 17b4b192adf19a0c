"""A collection's graph as it was read, and a patch of corrections → the graph as corrected.

What corrections name is looked up; arrays are copied whole, and only those of them that change.
Nothing is sorted again but the links, and components are found again only where nodes changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from brit.index.arrays import join_components
from brit.types import LINK_KINDS, BoolArray, CollectionGraph, IntArray, Patch, Reviewed, Rows


def patch_graph(graph: CollectionGraph, patch: Patch) -> CollectionGraph:
    """`graph` with its corrections; `graph` stays as it is. What a patch names and the graph lacks
    is left out; links that a person confirmed have a score of 1."""
    if patch == Patch():
        return graph
    changed = _patch_nodes(graph, patch) if patch.nodes or patch.merged else graph
    images = np.array([id not in patch.furniture for id in graph.image_ids], np.bool_)
    patched = _patch_links(graph, changed, patch, images)
    if not images.all():
        patched = _without_images(patched, images)
    _group_links(patched)
    patched.reviewed = _reviewed(patched, patch)
    return patched


# --- nodes, their edges and mentions ---


@dataclass(frozen=True, eq=False)
class _Places:
    """`now` (n,) says where each node as read, and each split off, stands once some are merged."""

    at: Mapping[str, int]
    ids: list[str]
    now: IntArray
    stays: BoolArray


def _places(graph: CollectionGraph, patch: Patch) -> _Places:
    at = dict(graph.node_at)
    ids = list(graph.node_ids)
    for id in [*patch.split.values()]:
        if at.setdefault(id, len(ids)) == len(ids):
            ids.append(id)
    whole = np.arange(len(ids), dtype=np.int32)
    stays = np.ones(len(ids), np.bool_)
    for part, into in patch.merged.items():
        if part in at and into in at:
            whole[at[part]] = at[into]
            stays[at[part]] = False
    place = (np.cumsum(stays) - 1).astype(np.int32)
    return _Places(at, ids, place[whole], stays)


def _patch_nodes(graph: CollectionGraph, patch: Patch) -> CollectionGraph:
    places = _places(graph, patch)
    labels, kinds = _names(graph, patch, places)
    source, target, edges = _ends(graph, patch, places)
    pairs = _mentions(graph, patch, places)
    ids = [id for id, stays in zip(places.ids, places.stays, strict=True) if stays]
    edge_ids = graph.edge_ids
    if not edges.all():
        edge_ids = [id for id, stays in zip(edge_ids, edges, strict=True) if stays]
    numbers = np.arange(len(edge_ids), dtype=np.int32)
    return replace(
        graph,
        node_ids=ids,
        node_labels=labels,
        node_kinds=kinds,
        edge_ids=edge_ids,
        edge_source=source[edges],
        edge_target=target[edges],
        edge_relation=graph.edge_relation[edges],
        edge_document=graph.edge_document[edges],
        mention_node=pairs[0],
        mention_document=pairs[1],
        component=join_components(np.zeros(0, np.int32), len(ids), source[edges], target[edges]),
        incident=Rows.group(
            np.concatenate([2 * source[edges], 2 * target[edges] + 1]),
            2 * len(ids),
            np.tile(numbers, 2),
        ),
        derived={},
    )


def _names(graph: CollectionGraph, patch: Patch, places: _Places) -> tuple[list[str], list[str]]:
    more = len(places.ids) - len(graph.node_ids)
    labels, kinds = [*graph.node_labels, *[""] * more], [*graph.node_kinds, *[""] * more]
    for id, node in patch.nodes.items():
        if id in places.at:
            labels[places.at[id]], kinds[places.at[id]] = node.label, node.kind
    kept = [place for place, stays in enumerate(places.stays.tolist()) if stays]
    return [labels[place] for place in kept], [kinds[place] for place in kept]


def _ends(
    graph: CollectionGraph, patch: Patch, places: _Places
) -> tuple[IntArray, IntArray, BoolArray]:
    """Where edges lead now, and which of them stay: none that merging would bend upon itself."""
    source, target = graph.edge_source.copy(), graph.edge_target.copy()
    if patch.ends:
        known = {graph.node_at[node] for node, _ in patch.split if node in graph.node_at}
        rows = np.array([2 * node + end for node in known for end in (0, 1)], np.int32)
        for edge in np.unique(graph.incident.gather(rows)[1]).tolist():
            if new := patch.ends.get(graph.edge_ids[edge]):
                source[edge], target[edge] = (places.at[end] for end in new)
    one, other = places.now[source], places.now[target]
    return one, other, (one != other) | (source == target)


def _mentions(graph: CollectionGraph, patch: Patch, places: _Places) -> tuple[IntArray, IntArray]:
    """The pairs (node, document), each once."""
    document_at = {id: at for at, id in enumerate(graph.documents)}
    count = max(len(graph.documents), 1)
    keys = graph.mention_node.astype(np.int64) * count + graph.mention_document

    def of(pairs: frozenset[tuple[str, str]]) -> Any:
        return np.array(
            [places.at[node] * count + document_at[document] for node, document in sorted(pairs)
             if node in places.at and document in document_at], np.int64,
        )  # fmt: skip

    keys = np.concatenate([keys[~np.isin(keys, of(patch.unmentioned))], of(patch.mentions)])
    nodes, documents = places.now[keys // count], (keys % count).astype(np.int32)
    _, first = np.unique(nodes.astype(np.int64) * count + documents, return_index=True)
    chosen = np.sort(first)
    return nodes[chosen], documents[chosen]


# --- links and images ---


def _patch_links(
    read: CollectionGraph, changed: CollectionGraph, patch: Patch, images: BoolArray
) -> CollectionGraph:
    """The links of `read` in the arrays of `changed`: image (l,), node (l,), kind (l,), score."""
    places = _places(read, patch)
    keep = images[read.link_image] & ~_unlinked(read, patch)
    new = [
        (read.image_at[link.image], places.at[link.node], LINK_KINDS.index(link.kind), link.score)
        for link in patch.links
        if link.image in read.image_at and link.node in places.at
        and images[read.image_at[link.image]]
    ]  # fmt: skip
    more = np.array(new, np.float64).reshape(-1, 4)
    image = np.concatenate([read.link_image[keep], more[:, 0].astype(np.int32)])
    node = places.now[np.concatenate([read.link_node[keep], more[:, 1].astype(np.int32)])]
    kind = np.concatenate([read.link_kind[keep], more[:, 2].astype(np.int32)])
    score = np.concatenate([read.link_score[keep], more[:, 3].astype(np.float32)])
    pair = image.astype(np.int64) * len(changed.node_ids) + node
    for said in ("confirmed", "rejected"):
        pairs = [
            read.image_at[one] * len(changed.node_ids) + changed.node_at[other]
            for (one, other), review in patch.reviews.items()
            if review == said and one in read.image_at and other in changed.node_at
        ]
        meant = np.isin(pair, np.array(pairs, np.int64))
        if said == "confirmed":
            score[meant] = 1.0
        else:
            score[meant] = -1.0
    order = np.lexsort((-score, kind, pair))  # of equal ones the strongest first
    order = order[score[order] >= 0]
    _, first = np.unique(pair[order] * len(LINK_KINDS) + kind[order], return_index=True)
    chosen = np.sort(order[first])
    return replace(
        changed,
        link_image=image[chosen],
        link_node=node[chosen].astype(np.int32),
        link_kind=kind[chosen],
        link_score=score[chosen],
        derived={},
    )


def _unlinked(graph: CollectionGraph, patch: Patch) -> BoolArray:
    gone = np.zeros(len(graph.link_node), np.bool_)
    for image, node, kind in patch.unlinked:
        if image in graph.image_at:
            links = graph.image_links.row(graph.image_at[image])
            meant = graph.link_kind[links] == LINK_KINDS.index(kind)
            if node:
                meant &= graph.link_node[links] == graph.node_at.get(node, -1)
            gone[links[meant]] = True
    return gone


def _without_images(graph: CollectionGraph, images: BoolArray) -> CollectionGraph:
    place = (np.cumsum(images) - 1).astype(np.int32)
    return replace(
        graph,
        image_ids=[id for id, stays in zip(graph.image_ids, images, strict=True) if stays],
        image_document=graph.image_document[images],
        link_image=place[graph.link_image],
        derived={},
    )


def _group_links(graph: CollectionGraph) -> None:
    graph.node_links = Rows.group(graph.link_node, len(graph.node_ids))
    graph.image_links = Rows.group(graph.link_image, len(graph.image_ids))


def _reviewed(graph: CollectionGraph, patch: Patch) -> Reviewed:
    confirmed, rejected = set(), defaultdict(list)
    for (image, node), review in patch.reviews.items():
        if image in graph.image_at and node in graph.node_at:
            one, other = graph.image_at[image], graph.node_at[node]
            if review == "confirmed":
                confirmed.add((one, other))
            else:
                rejected[one].append(other)
    return Reviewed(
        frozenset(confirmed),
        {image: tuple(nodes) for image, nodes in rejected.items()},
        {graph.node_at[id]: names for id, names in patch.joined.items() if id in graph.node_at},
    )
