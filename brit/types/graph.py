"""Triplets, nodes, edges and links (§3.1), and the flat form of a collection's graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from brit.types.basics import FloatArray, IntArray, LinkKind, Review


@dataclass(frozen=True)
class Entity:
    """A name found in a block; `kind` as the extractor calls it (PERSON, PRODUCT, TERM, …)."""

    name: str
    kind: str
    block: str


@dataclass(frozen=True)
class Triplet:
    """<subject, relation, object> (§3.1) with the sentence and the block it was read in."""

    subject: Entity
    relation: str
    object: Entity
    block: str
    sentence: str


@dataclass(frozen=True)
class Extraction:
    """What an extractor found in a sequence of blocks.

    `entities` holds every entity, in a triplet or not; `skipped` counts chunks given up on;
    `notes` are sentences on what the extractor could not do, for the ledger.
    """

    triplets: tuple[Triplet, ...]
    entities: tuple[Entity, ...]
    skipped: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Node:
    """A textual node: `name` is the normalised form, `label` the form most often written."""

    id: str
    name: str
    label: str
    kind: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mention:
    """A node stands in a block: provenance."""

    node: str
    block: str
    surface: str


@dataclass(frozen=True)
class Edge:
    """A triplet between two nodes, from `source` (subject) to `target` (object)."""

    id: str
    source: str
    target: str
    relation: str
    block: str
    sentence: str


@dataclass(frozen=True)
class TextGraph:
    """Nodes, edges and mentions of one document (§3.1)."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class Link:
    """An image and a textual node belong together; `evidence` says why in words, `reviewed` what a
    person said of it."""

    image: str
    node: str
    kind: LinkKind
    score: float
    evidence: str
    reviewed: Review | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """Ragged rows: row i is `items[start[i]:start[i + 1]]` (compressed sparse rows)."""

    start: IntArray
    items: IntArray

    @classmethod
    def group(cls, keys: IntArray, count: int, items: IntArray | None = None) -> Rows:
        """Row i holds the items whose key is i (their positions, if no items are given)."""
        order = np.argsort(keys, kind="stable").astype(np.int32)
        start = np.zeros(count + 1, dtype=np.int32)
        np.cumsum(np.bincount(keys, minlength=count), out=start[1:])
        return cls(start, order if items is None else items[order])

    def extend(self, keys: IntArray, count: int, items: IntArray) -> Rows:
        """`count` rows, each with its new items behind its old ones; nothing is sorted again."""
        more = Rows.group(keys, count, items)
        known = np.full(count + 1, len(self.items), dtype=np.int32)
        known[: len(self.start)] = self.start
        place = np.repeat(known[1:], np.diff(more.start))
        return Rows(known + more.start, np.insert(self.items, place, more.items))

    def gather(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The rows one after the other → (owner, items): `owner` holds positions in `rows`."""
        counts = self.start[rows + 1] - self.start[rows]
        owner = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
        first = np.repeat(self.start[rows] - (np.cumsum(counts) - counts), counts)
        return owner, self.items[first + np.arange(len(first), dtype=np.int32)]

    def row(self, at: int) -> IntArray:
        return self.items[self.start[at] : self.start[at + 1]]


@dataclass(frozen=True)
class Reviewed:
    """What people said of a graph, by positions in it: the pairs (image, node) whose links they
    confirmed, the nodes they rejected for an image, and the further names of nodes they merged."""

    confirmed: frozenset[tuple[int, int]] = frozenset()
    rejected: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(eq=False)
class CollectionGraph:
    """A collection's graph as flat arrays; position i of every node array is node i.

    `node_ids`, `node_labels`, `node_kinds` are of length n; `edge_source`, `edge_target` and
    `edge_relation` of length e hold positions in the node arrays and in `relations`; `component`
    (n,) numbers the disjoint components from 0 by falling size; `link_image` (l,) holds positions
    in `image_ids`, `link_node` (l,) in the node arrays, `link_kind` (l,) in `LINK_KINDS`.
    `documents` lists document ids; `edge_document` (e,), `image_document` (i,) and the pairs
    `mention_node`, `mention_document` (m,) hold positions in it and say what stands where.
    `incident` leads from a node to its edges: row 2i holds those node i is the source of, row 2i +
    1 those it is the target of. `node_links` and `image_links` lead from a node or an image to its
    links. `reviewed` is empty in a graph as it was read. `derived` keeps what retrieval computes
    from these arrays for as long as the graph lives.
    """

    node_ids: list[str]
    node_labels: list[str]
    node_kinds: list[str]
    edge_ids: list[str]
    edge_source: IntArray
    edge_target: IntArray
    edge_relation: IntArray
    relations: list[str]
    component: IntArray
    image_ids: list[str]
    link_image: IntArray
    link_node: IntArray
    link_kind: IntArray
    link_score: FloatArray
    documents: list[str]
    edge_document: IntArray
    image_document: IntArray
    mention_node: IntArray
    mention_document: IntArray
    incident: Rows
    node_links: Rows
    image_links: Rows
    reviewed: Reviewed = field(default_factory=Reviewed)
    derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def component_count(self) -> int:
        return int(self.component.max()) + 1 if len(self.component) else 0

    @cached_property
    def node_at(self) -> dict[str, int]:
        return positions(self.node_ids)

    @cached_property
    def relation_at(self) -> dict[str, int]:
        return positions(self.relations)

    @cached_property
    def image_at(self) -> dict[str, int]:
        return positions(self.image_ids)


def positions(ids: Iterable[str]) -> dict[str, int]:
    """Each id → where it stands."""
    return {id: at for at, id in enumerate(ids)}
