"""What of a graph somebody wants to see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from brit.exploring.ties import Ties
from brit.types import LINK_KINDS, BoolArray, LinkKind


@dataclass(frozen=True)
class GraphFilter:
    """An empty tuple of documents (ids), kinds or relations means all; `links` names those wanted,
    `score` is the least a link must have."""

    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    links: tuple[LinkKind, ...] = LINK_KINDS
    score: float = 0.0


@dataclass(frozen=True, eq=False)
class Admitted:
    """Marks (m,) and ties (t,) that pass a filter; a tie passes only with both its ends."""

    marks: BoolArray
    ties: BoolArray


def admit(ties: Ties, wanted: GraphFilter, always: Sequence[int] = ()) -> Admitted:
    """What passes; the marks in `always` do, whatever the filter says of them."""
    marks = np.concatenate([_nodes(ties, wanted), _images(ties, wanted)])
    marks[list(always)] = True
    passing = np.concatenate([_edges(ties, wanted), _links(ties, wanted)])
    return Admitted(marks, passing & marks[ties.one] & marks[ties.other])


def _nodes(ties: Ties, wanted: GraphFilter) -> BoolArray:
    graph = ties.graph
    nodes = _named(graph.node_kinds, wanted.kinds)
    if wanted.documents:
        mentioned = np.zeros(ties.nodes, np.bool_)
        inside = _named(graph.documents, wanted.documents)[graph.mention_document]
        mentioned[graph.mention_node[inside]] = True
        nodes &= mentioned
    return nodes


def _images(ties: Ties, wanted: GraphFilter) -> BoolArray:
    return _named(ties.graph.documents, wanted.documents)[ties.graph.image_document]


def _edges(ties: Ties, wanted: GraphFilter) -> BoolArray:
    graph = ties.graph
    inside = _named(graph.documents, wanted.documents)[graph.edge_document]
    return inside & _named(graph.relations, wanted.relations)[graph.edge_relation]


def _links(ties: Ties, wanted: GraphFilter) -> BoolArray:
    graph = ties.graph
    kinds = np.array([kind in wanted.links for kind in LINK_KINDS])
    passing: BoolArray = kinds[graph.link_kind] & (graph.link_score >= wanted.score)
    return passing


def _named(names: Sequence[str], wanted: Sequence[str]) -> BoolArray:
    """Which of the names are wanted; all, where none is named."""
    chosen = set(wanted)
    return np.fromiter((not chosen or name in chosen for name in names), np.bool_, len(names))
