"""Nodes and images as marks, edges and links as ties, so that both are walked alike.

Of n nodes and e edges, mark i < n is node i and mark n + j is image j; tie t < e is edge t and tie
e + l is link l.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brit.types import LINK_KINDS, CollectionGraph, FloatArray, IntArray, LinkKind, Rows

# How much a link says beside an edge, whose sentence a document holds: a caption names, the same
# page only stands near.
WEIGHT: dict[LinkKind, float] = {"CA": 1.0, "SI": 0.6, "LS": 0.4, "LP": 0.3, "PG": 0.2}


@dataclass(frozen=True, eq=False)
class Ties:
    """`one` and `other` (t,) are the marks a tie joins: subject and object, or image and node.

    `strength` (t,) is 1 for edges and at most that for links. Row i of `at` lists the ties of mark
    i; one that joins a mark with itself stands there twice.
    """

    graph: CollectionGraph
    one: IntArray
    other: IntArray
    strength: FloatArray
    at: Rows

    @property
    def nodes(self) -> int:
        return len(self.graph.node_ids)

    @property
    def edges(self) -> int:
        return len(self.graph.edge_ids)

    @property
    def marks(self) -> int:
        return self.nodes + len(self.graph.image_ids)

    def mark_id(self, mark: int) -> str:
        """«n:…» for a node, «i:…» for an image."""
        if mark < self.nodes:
            return f"n:{self.graph.node_ids[mark]}"
        return f"i:{self.graph.image_ids[mark - self.nodes]}"

    def mark_at(self, id: str) -> int | None:
        """The mark of an id, None where there is none."""
        kind, _, rest = id.partition(":")
        if kind == "n":
            return self.graph.node_at.get(rest)
        found = self.graph.image_at.get(rest) if kind == "i" else None
        return None if found is None else self.nodes + found

    def link_kind(self, tie: int) -> LinkKind | None:
        """None for an edge."""
        if tie < self.edges:
            return None
        return LINK_KINDS[int(self.graph.link_kind[tie - self.edges])]

    def relation(self, tie: int) -> str:
        """What an edge says; "" for a link."""
        if tie >= self.edges:
            return ""
        return self.graph.relations[int(self.graph.edge_relation[tie])]

    def between(self, one: int, other: int) -> list[int]:
        """The ties that join two marks, in either direction, strongest first."""
        ties = np.unique(self.at.row(one))
        there = (self.one[ties] == other) | (self.other[ties] == other)
        if one == other:
            there = self.one[ties] == self.other[ties]
        found = ties[there]
        return [int(tie) for tie in found[np.argsort(-self.strength[found], kind="stable")]]

    def beyond(self, tie: int, mark: int) -> int:
        """The other end of a tie."""
        return int(self.other[tie] if self.one[tie] == mark else self.one[tie])


def join_ties(graph: CollectionGraph) -> Ties:
    """The marks and ties of a graph."""
    nodes, ties = len(graph.node_ids), len(graph.edge_ids) + len(graph.link_node)
    one = np.concatenate([graph.edge_source, nodes + graph.link_image]).astype(np.int32)
    other = np.concatenate([graph.edge_target, graph.link_node]).astype(np.int32)
    weights = np.array([WEIGHT[kind] for kind in LINK_KINDS], np.float32)
    of_links = weights[graph.link_kind] * np.clip(graph.link_score, 0.0, 1.0)
    strength = np.concatenate([np.ones(len(graph.edge_ids), np.float32), of_links])
    at = Rows.group(
        np.concatenate([one, other]),
        nodes + len(graph.image_ids),
        np.tile(np.arange(ties, dtype=np.int32), 2),
    )
    return Ties(graph, one, other, strength.astype(np.float32), at)
