"""Rows, as a database gives them → the flat arrays of a `CollectionGraph`.

A graph grows by what a document adds: arrays are copied, which memory does by the gigabyte, but
nothing is sorted, looked up or connected again that was there before. Building is growing from
nothing, so that a graph is the same in however many steps it came about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.types import (
    LINK_KINDS,
    CollectionGraph,
    IntArray,
    LinkKind,
    Reviewed,
    Rows,
    positions,
)

NodeRow = tuple[str, str, str]  # id, label, kind
EdgeRow = tuple[str, str, str, str, str]  # id, source node, target node, relation, document
LinkRow = tuple[str, str, LinkKind, float]  # image, node, kind, score
ImageRow = tuple[str, str]  # id, document
MentionRow = tuple[str, str]  # node, document


def build_collection_graph(
    nodes: Iterable[NodeRow],
    edges: Iterable[EdgeRow],
    links: Iterable[LinkRow],
    images: Iterable[ImageRow],
    mentions: Iterable[MentionRow],
) -> CollectionGraph:
    """Rows → the flat arrays of a collection's graph; components are found here.

    Links of images that are not among `images` (furniture) are left out; an edge, link or mention
    of an unknown node raises KeyError.
    """
    return extend_graph(_nothing(), nodes, edges, links, images, mentions)


def extend_graph(
    graph: CollectionGraph,
    nodes: Iterable[NodeRow],
    edges: Iterable[EdgeRow],
    links: Iterable[LinkRow],
    images: Iterable[ImageRow],
    mentions: Iterable[MentionRow],
) -> CollectionGraph:
    """`graph` with the rows of further documents behind its own, which may name what it holds.

    A node it knows gets the label and kind of the new row. `graph` stays as it is.
    """
    edge_rows, mention_rows = list(edges), list(dict.fromkeys(mentions))
    node_ids, node_at = graph.node_ids.copy(), graph.node_at.copy()
    labels, kinds = graph.node_labels.copy(), graph.node_kinds.copy()
    for id, label, kind in nodes:
        at = _place(id, node_ids, node_at)
        labels[at : at + 1], kinds[at : at + 1] = [label], [kind]
    image_ids, image_at = graph.image_ids.copy(), graph.image_at.copy()
    relations, relation_at = graph.relations.copy(), graph.relation_at.copy()
    documents, document_at = graph.documents.copy(), positions(graph.documents)
    image_rows = [(_place(id, image_ids, image_at), document) for id, document in images]

    def where(names: Iterable[str]) -> IntArray:
        return _integers(_place(name, documents, document_at) for name in names)

    new = _ends(edge_rows, [row for row in links if row[0] in image_at], node_at, image_at)
    new |= {
        "edge_relation": _integers(_place(row[3], relations, relation_at) for row in edge_rows),
        "edge_document": where(row[4] for row in edge_rows),
        "image_document": where(document for _, document in image_rows),
        "mention_node": _integers(node_at[node] for node, _ in mention_rows),
        "mention_document": where(document for _, document in mention_rows),
    }
    longer: dict[str, Any] = {
        name: np.concatenate([getattr(graph, name), rows]) for name, rows in new.items()
    }
    grown = replace(
        graph,
        node_ids=node_ids,
        node_labels=labels,
        node_kinds=kinds,
        edge_ids=graph.edge_ids + [row[0] for row in edge_rows],
        relations=relations,
        image_ids=image_ids,
        documents=documents,
        derived={},
        **longer,
    )
    grown.node_at, grown.image_at, grown.relation_at = node_at, image_at, relation_at
    return _connect(grown, len(graph.edge_ids), len(graph.link_node))


def _ends(
    edges: Sequence[EdgeRow],
    links: Sequence[LinkRow],
    node_at: Mapping[str, int],
    image_at: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "edge_source": _integers(node_at[row[1]] for row in edges),
        "edge_target": _integers(node_at[row[2]] for row in edges),
        "link_image": _integers(image_at[row[0]] for row in links),
        "link_node": _integers(node_at[row[1]] for row in links),
        "link_kind": _integers(LINK_KINDS.index(row[2]) for row in links),
        "link_score": np.array([row[3] for row in links], np.float32),
    }


def _connect(graph: CollectionGraph, edges: int, links: int) -> CollectionGraph:
    """Components and rows of a graph whose first `edges` and `links` are in them already."""
    nodes = len(graph.node_ids)
    source, target = graph.edge_source[edges:], graph.edge_target[edges:]
    new_edges = np.arange(edges, len(graph.edge_ids), dtype=np.int32)
    new_links = np.arange(links, len(graph.link_node), dtype=np.int32)
    both_ends = np.concatenate([2 * source, 2 * target + 1])
    graph.component = join_components(graph.component, nodes, source, target)
    graph.incident = graph.incident.extend(both_ends, 2 * nodes, np.tile(new_edges, 2))
    graph.node_links = graph.node_links.extend(graph.link_node[links:], nodes, new_links)
    graph.image_links = graph.image_links.extend(
        graph.link_image[links:], len(graph.image_ids), new_links
    )
    return graph


def join_components(
    component: IntArray, count: int, source: IntArray, target: IntArray
) -> IntArray:
    """Numbers of components after new nodes and edges came → int32 (count,).

    `component` numbers the nodes there were; `source` and `target` are the ends of new edges only.
    """
    known = int(component.max()) + 1 if len(component) else 0
    fresh = np.arange(known, known + count - len(component), dtype=np.int32)
    component = np.concatenate([component, fresh])
    size = known + len(fresh)
    if not size:
        return component
    ends = (component[source], component[target])
    matrix = coo_array((np.ones(len(source), np.int8), ends), shape=(size, size))
    return number_by_size(connected_components(matrix, directed=False)[1][component])


def number_by_size(labels: IntArray) -> IntArray:
    """The same groups numbered from 0, the largest first; equal sizes by their first node."""
    sizes = np.bincount(labels)
    first = np.empty(len(sizes), dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)  # what is written last stays
    rank = np.empty(len(sizes), dtype=np.int32)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes), dtype=np.int32)
    numbered: IntArray = rank[labels]
    return numbered


def _nothing() -> CollectionGraph:
    none, rows = np.zeros(0, np.int32), Rows(np.zeros(1, np.int32), np.zeros(0, np.int32))
    lists: dict[str, Any] = {field.name: [] for field in fields(CollectionGraph)}
    arrays: dict[str, Any] = dict.fromkeys(
        ("component", "edge_source", "edge_target", "edge_relation", "edge_document",
         "link_image", "link_node", "link_kind", "image_document", "mention_node",
         "mention_document"),
        none,
    )  # fmt: skip
    arrays |= dict.fromkeys(("incident", "node_links", "image_links"), rows)
    arrays |= {"link_score": np.zeros(0, np.float32), "reviewed": Reviewed(), "derived": {}}
    return CollectionGraph(**lists | arrays)


def _place(id: str, ids: list[str], at: dict[str, int]) -> int:
    """Where `id` stands, at the end where it is new."""
    place = at.setdefault(id, len(ids))
    if place == len(ids):
        ids.append(id)
    return place


def _integers(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int32)
