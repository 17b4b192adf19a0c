"""The part of a collection's graph a question may touch, as rows that are gathered without loops.

A scope is a whole collection, or what stands in some of its documents; then nodes, edges, images,
links and components are those of these documents alone. Scopes are built once and kept with their
graph; a graph that is dropped takes its scopes with it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.types import LINK_KINDS, BoolArray, CollectionGraph, IntArray, LinkKind, Rows

SCOPES_KEPT = 8


@dataclass(frozen=True, eq=False)
class Scope:
    """A graph seen through some of its documents (`None`: all).

    `component` (n,) is −1 outside; `incident` leads from a node to its edges, `node_links` and
    `image_links` from a node or an image to its links, all as positions in the graph's arrays.
    """

    graph: CollectionGraph
    documents: tuple[str, ...] | None
    inside: BoolArray
    component: IntArray
    edges: IntArray
    incident: Rows
    node_links: Rows
    image_links: Rows
    images: IntArray

    @property
    def node_at(self) -> dict[str, int]:
        return self.graph.node_at

    @property
    def image_at(self) -> dict[str, int]:
        return self.graph.image_at

    @property
    def relation_at(self) -> dict[str, int]:
        return self.graph.relation_at

    @cached_property
    def node_ids(self) -> list[str] | None:
        """The ids to which a search is limited; None where it is not."""
        return None if self.documents is None else self.ids_of(np.flatnonzero(self.inside))

    @cached_property
    def image_ids(self) -> list[str] | None:
        if self.documents is None:
            return None
        return [self.graph.image_ids[at] for at in self.images.tolist()]

    @cached_property
    def members(self) -> Rows:
        """Component → its nodes."""
        nodes = np.flatnonzero(self.inside).astype(np.int32)
        return Rows.group(self.component[nodes], self.component_count, nodes)

    @cached_property
    def component_edges(self) -> Rows:
        """Component → its edges."""
        owner = self.component[self.graph.edge_source[self.edges]]
        return Rows.group(owner, self.component_count, self.edges)

    @cached_property
    def component_count(self) -> int:
        return int(self.component.max()) + 1 if len(self.component) else 0

    @cached_property
    def component_sizes(self) -> IntArray:
        """Component → how many nodes it has."""
        return np.bincount(self.component[self.inside]).astype(np.int32)

    @cached_property
    def node_count(self) -> int:
        return int(self.inside.sum())

    def ids_of(self, nodes: Iterable[int]) -> list[str]:
        return [self.graph.node_ids[at] for at in nodes]

    def far_end(self, edges: IntArray, near: IntArray) -> IntArray:
        """The other end of each edge, seen from the node `near` it was reached from."""
        source, target = self.graph.edge_source[edges], self.graph.edge_target[edges]
        return np.where(source == near, target, source)

    def of_kinds(self, links: IntArray, kinds: Sequence[LinkKind]) -> BoolArray:
        """Which of the links are of one of the kinds."""
        wanted = np.array([kind in kinds for kind in LINK_KINDS])
        chosen: BoolArray = wanted[self.graph.link_kind[links]]
        return chosen


def open_scope(graph: CollectionGraph, documents: Sequence[str] = ()) -> Scope:
    """The scope of some documents (ids; none: the whole collection), built at most once."""
    key = tuple(sorted(set(documents))) or None
    kept: OrderedDict[tuple[str, ...] | None, Scope] = graph.derived.setdefault(
        "scopes", OrderedDict()
    )
    scope = kept.get(key) or _build_scope(graph, key)
    kept[key] = scope
    while len(kept) > SCOPES_KEPT:
        kept.popitem(last=False)
    return scope


def _build_scope(graph: CollectionGraph, documents: tuple[str, ...] | None) -> Scope:
    if documents is None:
        return Scope(
            graph=graph,
            documents=None,
            inside=np.ones(len(graph.node_ids), dtype=bool),
            component=graph.component,
            edges=np.arange(len(graph.edge_ids), dtype=np.int32),
            incident=Rows(graph.incident.start[::2], graph.incident.items),
            node_links=graph.node_links,
            image_links=graph.image_links,
            images=np.arange(len(graph.image_ids), dtype=np.int32),
        )
    count = len(graph.node_ids)
    chosen = np.array([name in documents for name in graph.documents], dtype=bool)
    edges = _where(chosen, graph.edge_document)
    images = _where(chosen, graph.image_document)
    inside = np.zeros(count, dtype=bool)
    inside[graph.mention_node[_where(chosen, graph.mention_document)]] = True
    inside[graph.edge_source[edges]] = inside[graph.edge_target[edges]] = True
    both_ends = np.concatenate([graph.edge_source[edges], graph.edge_target[edges]])
    shown = np.zeros(len(graph.image_ids), dtype=bool)
    shown[images] = True
    links = np.flatnonzero(shown[graph.link_image] & inside[graph.link_node]).astype(np.int32)
    return Scope(
        graph=graph,
        documents=documents,
        inside=inside,
        component=_number_components(graph, inside, edges),
        edges=edges,
        incident=Rows.group(both_ends, count, np.tile(edges, 2)),
        node_links=Rows.group(graph.link_node[links], count, links),
        image_links=Rows.group(graph.link_image[links], len(graph.image_ids), links),
        images=images,
    )


def _where(chosen: BoolArray, owner: IntArray) -> IntArray:
    if not len(chosen):
        return np.zeros(0, np.int32)
    return np.flatnonzero(chosen[owner]).astype(np.int32)


def _number_components(graph: CollectionGraph, inside: BoolArray, edges: IntArray) -> IntArray:
    nodes = np.flatnonzero(inside)
    component = np.full(len(inside), -1, dtype=np.int32)
    local = np.full(len(inside), -1, dtype=np.int32)
    local[nodes] = np.arange(len(nodes), dtype=np.int32)
    source, target = local[graph.edge_source[edges]], local[graph.edge_target[edges]]
    ones = np.ones(len(edges), dtype=np.int8)
    if len(nodes):
        matrix = coo_array((ones, (source, target)), shape=(len(nodes), len(nodes)))
        component[nodes] = connected_components(matrix, directed=False)[1]
    return component
