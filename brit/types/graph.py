"""Triplets, nodes, edges and links (§3.1), and the flat form of a collection's graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from brit.types.basics import FloatArray, IntArray, LinkKind


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
    """An image and a textual node belong together; `evidence` says why in words."""

    image: str
    node: str
    kind: LinkKind
    score: float
    evidence: str


@dataclass(eq=False)
class CollectionGraph:
    """A collection's graph as flat arrays; position i of every node array is node i.

    `node_ids`, `node_labels`, `node_kinds` are of length n; `edge_source`, `edge_target` and
    `edge_relation` of length e hold positions in the node arrays and in `relations`;
    `component` (n,) numbers the disjoint components from 0 by falling size; `link_image` (l,) holds
    positions in `image_ids`, `link_node` (l,) in the node arrays, `link_kind` (l,) in `LINK_KINDS`.
    `documents` lists document ids; `edge_document` (e,), `image_document` (i,) and the pairs
    `mention_node`, `mention_document` (m,) hold positions in it and say what stands where.
    `derived` keeps what retrieval computes from these arrays for as long as the graph lives.
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
    derived: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def component_count(self) -> int:
        return int(self.component.max()) + 1 if len(self.component) else 0
