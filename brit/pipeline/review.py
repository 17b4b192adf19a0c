"""The links of a collection in the order in which a person should look at them.

What is judged is a pair of an image and a node, whatever the number of links between them. First
come pairs that led to a picture in an answer, the more often the earlier; then those that retrieval
would lean on most and that are least sure: the strength of the strongest link, times how far its
score is from sure, times how much hangs on the node.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from brit.exploring.ties import WEIGHT
from brit.pipeline.collection import ReadGraph, read_graph
from brit.pipeline.explore import graph_of_open
from brit.storage import Workspace
from brit.storage.ledger import Stamp
from brit.types import LINK_KINDS, BoolArray, CollectionGraph, IntArray, LinkKind, Review

State = Literal["open", "confirmed", "rejected", "all"]
LEAST_DOUBT = 0.1
RECENT = 300
"""Turns of chats in which links are counted."""
KEPT_OPEN = 2
_WEIGHTS = np.array([WEIGHT[kind] for kind in LINK_KINDS])
_open: dict[tuple[str, str], tuple[int, ReviewQueue]] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Pair:
    """An image and a node with the links between them, the strongest first; `used` counts the
    answers in which one of them led to the picture, `ties` the edges and links of the node."""

    image: str
    node: str
    label: str
    kind: str
    links: tuple[tuple[LinkKind, float], ...]
    used: int
    ties: int
    said: Review | None


@dataclass(frozen=True, eq=False)
class ReviewQueue:
    """All pairs (p,) of a version of a collection, the most important first: positions of their
    `image` and `node` in the graph, and what was said (0 nothing, 1 confirmed, 2 rejected).
    `strongest` is the best link of each, −1 where it was rejected. `used` is by pair of ids."""

    workspace: Workspace
    collection: Stamp
    read: ReadGraph
    image: IntArray
    node: IntArray
    said: IntArray
    kinds: IntArray
    used: Counter[tuple[str, str]]
    documents: dict[str, str]

    @property
    def total(self) -> int:
        return len(self.image)

    @property
    def reviewed(self) -> int:
        return int(np.count_nonzero(self.said))

    def chosen(
        self, state: State, kind: LinkKind | None = None, document: str | None = None
    ) -> IntArray:
        """The places in the queue of those that match, in its order."""
        wanted = {"open": self.said == 0, "confirmed": self.said == 1, "rejected": self.said == 2}
        keep: BoolArray = wanted.get(state, np.ones(self.total, np.bool_))
        if kind is not None:
            keep = keep & (self.kinds >> LINK_KINDS.index(kind) & 1).astype(np.bool_)
        if document is not None:
            graph = self.read.graph
            at = graph.documents.index(document) if document in graph.documents else -1
            keep = keep & (graph.image_document[self.image] == at)
        return np.flatnonzero(keep).astype(np.int32)

    def place_of(self, image: str, node: str) -> int | None:
        """Where a pair stands; None where it is no longer there."""
        graph = self.read.graph
        one, other = graph.image_at.get(image), graph.node_at.get(node)
        if one is None or other is None:
            return None
        found = np.flatnonzero((self.image == one) & (self.node == other))
        return int(found[0]) if len(found) else None

    def pair(self, place: int) -> Pair:
        graph = self.read.graph
        image, node = int(self.image[place]), int(self.node[place])
        links = graph.image_links.row(image)
        links = links[graph.link_node[links] == node]
        found = [(LINK_KINDS[graph.link_kind[at]], float(graph.link_score[at])) for at in links]
        said: tuple[Review | None, ...] = (None, "confirmed", "rejected")
        ids = graph.image_ids[image], graph.node_ids[node]
        return Pair(
            image=ids[0],
            node=ids[1],
            label=graph.node_labels[node],
            kind=graph.node_kinds[node],
            links=tuple(sorted(found, key=lambda link: -WEIGHT[link[0]] * link[1])),
            used=self.used[ids],
            ties=int(_degrees(graph)[node]),
            said=said[int(self.said[place])],
        )


def open_review(workspace: Workspace, name: str) -> ReviewQueue:
    """The queue of a collection as it is now. Raises UnknownName."""
    stamp = workspace.documents.stamp(name)
    key, turns = (str(workspace.folder), stamp.id), workspace.chats.answered(stamp.id)
    with _lock:
        known = _open.get(key)
        if known is None or known[1].collection != stamp or known[0] != turns:
            before = known[1].read if known else graph_of_open(workspace, stamp.id)
            queue = _read_queue(workspace, stamp, before)
            _open.pop(key, None)
            _open[key] = known = (turns, queue)
            while len(_open) > KEPT_OPEN:
                _open.pop(next(iter(_open)))
    return known[1]


def _read_queue(workspace: Workspace, stamp: Stamp, before: ReadGraph | None) -> ReviewQueue:
    with workspace.snapshot():
        read = read_graph(workspace, stamp.id, before)
        used = Counter[tuple[str, str]]()
        for (picture, name), count in workspace.chats.used_links(stamp.id, RECENT).items():
            used[picture, read.patch.now(name)] += count
        documents = workspace.documents.names(stamp.id)
    linked, rejected = _linked(read.graph), _rejected(read.graph)
    image, node, said, kinds, matter = (
        np.concatenate(pair) for pair in zip(linked, rejected, strict=True)
    )
    often = np.zeros(len(image), np.int32)
    if used:
        ids = read.graph.image_ids, read.graph.node_ids
        pairs = zip(image.tolist(), node.tolist(), strict=True)
        often = np.array([used[ids[0][one], ids[1][other]] for one, other in pairs], np.int32)
    order = np.lexsort((node, image, -matter, -often))
    return ReviewQueue(
        workspace,
        stamp,
        read,
        image[order],
        node[order],
        said[order],
        kinds[order],
        used,
        documents,
    )


def _linked(graph: CollectionGraph) -> tuple[Any, ...]:
    """Image, node, what was said, kinds as bits, and how much it matters, of each linked pair."""
    width = len(graph.node_ids) + 1
    keys = graph.link_image.astype(np.int64) * width + graph.link_node
    pairs, first, of = np.unique(keys, return_index=True, return_inverse=True)
    strength = _WEIGHTS[graph.link_kind] * graph.link_score
    best = np.lexsort((-strength, of))
    best = best[np.unique(of[best], return_index=True)[1]]
    kinds = np.zeros(len(pairs), np.int32)
    np.bitwise_or.at(kinds, of, (1 << graph.link_kind).astype(np.int32))
    score, node = graph.link_score[best], graph.link_node[first]
    doubt = np.maximum(4 * score * (1 - score), LEAST_DOUBT)
    confirmed = [one * width + other for one, other in graph.reviewed.confirmed]
    said = np.isin(pairs, np.array(confirmed, np.int64)).astype(np.int32)
    matter = strength[best] * doubt * (1 + np.log1p(_degrees(graph)[node]))
    return graph.link_image[first], node, said, kinds, matter


def _rejected(graph: CollectionGraph) -> tuple[Any, ...]:
    """The same of the rejected pairs, which are of no kind any more and pass for all."""
    pairs = [(one, other) for one, others in graph.reviewed.rejected.items() for other in others]
    image, node = np.array(pairs, np.int32).reshape(-1, 2).T
    kinds = np.full(len(pairs), (1 << len(LINK_KINDS)) - 1, np.int32)
    return image, node, np.full(len(pairs), 2, np.int32), kinds, np.zeros(len(pairs))


def _degrees(graph: CollectionGraph) -> IntArray:
    """(n,) edges and links of each node."""
    known: IntArray | None = graph.derived.get("degrees")
    if known is None:
        ends = np.diff(graph.incident.start)
        known = graph.derived["degrees"] = ends[::2] + ends[1::2] + np.diff(graph.node_links.start)
    return known
