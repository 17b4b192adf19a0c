"""How the question led to one thing: a way of legs, read off the trace of a retrieval alone.

Marks carry their kind, as in the drawn graphs: "q" the question, "n:…" a textual node, "i:…" an
image, "p:…" a passage, "e:…" a triplet. The drawings, the steps in words and what is lit up are
all made of these ways, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from brit.types import EntityMatch, Hop, LinkKind, Retrieval, RetrievedPassage, TraceEdge

QUESTION = "q"
LegKind = Literal["entity", "triplet", "link", "back", "similar", "stated"]
Way = tuple["Leg", ...]


@dataclass(frozen=True)
class Leg:
    """One step from mark to mark. `label` is the entity of the question or the relation of the
    triplet `edge`, `forward` whether its subject is the source; `score` is None where nothing was
    scored: a triplet is simply said in a passage."""

    kind: LegKind
    source: str
    target: str
    label: str = ""
    score: float | None = None
    link: LinkKind | None = None
    forward: bool = True
    edge: str = ""


def passage_mark(passage: RetrievedPassage, index: int) -> str:
    """The mark of a passage; those of old chats have no id but their place."""
    return f"p:{passage.id or index}"


class Ways:
    """The ways of one retrieval."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval
        self._trace = retrieval.trace
        self._origin = {node.id: node for node in self._trace.nodes}

    def to(self, mark: str) -> Way:
        """The way to a mark; empty to what the trace does not know."""
        kind, _, id = mark.partition(":")
        if kind == "n":
            return self.to_node(id)
        if kind == "i":
            return self.to_image(id)
        if kind == "e":
            return self.to_triplet(id)
        passages = self._retrieval.passages
        at = next((i for i, each in enumerate(passages) if passage_mark(each, i) == mark), None)
        return () if at is None else self.to_passage(at)

    def to_node(self, node: str, seen: frozenset[str] = frozenset()) -> Way:
        """Through the entity it matched; else over triplets from a node that did; else from the
        image that leads to it; else by its own likeness to the question."""
        if match := self._matched.get(node):
            mark = f"n:{node}"
            return (Leg("entity", QUESTION, mark, match.entity, match.score),)
        entry = self._origin.get(node)
        back = self._back.get(node) if node not in seen else None
        if back and (node not in self._walks or (entry and entry.origin == "image")):
            way = self.to_image(back.image, seen | {node})
            link = Leg("back", f"i:{back.image}", f"n:{node}", "", back.score, back.link)
            return (*way, link) if way else ()
        if walk := self._walks.get(node):
            start = self.to_node(walk[0])
            pairs = pairwise(walk)
            return (*start, *(self._triplet(one, other) for one, other in pairs))
        score = entry.score if entry else None
        return (Leg("similar", QUESTION, f"n:{node}", "", score),) if entry else ()

    def to_image(self, image: str, seen: frozenset[str] = frozenset()) -> Way:
        """Over the best link that was followed to it; else by likeness to the question."""
        hop = self._towards.get(image)
        if hop and hop.node and hop.node not in seen and (way := self.to_node(hop.node, seen)):
            return (
                *way,
                Leg("link", f"n:{hop.node}", f"i:{image}", "", self._score(image, hop), hop.link),
            )
        found = next((each for each in self._retrieval.images if each.id == image), None)
        if hop is None and found is None:
            return ()
        return (Leg("similar", QUESTION, f"i:{image}", "", self._score(image, hop)),)

    def to_passage(self, at: int) -> Way:
        """Over a triplet of the sub-graph that is said in it; else by likeness to the question."""
        passage = self._retrieval.passages[at]
        mark = passage_mark(passage, at)
        edge = self.edge_said_in(passage)
        if edge is None:
            return (Leg("similar", QUESTION, mark, "", passage.score),)
        way = self.to_triplet(edge.id)
        return (*way, Leg("stated", way[-1].target, mark))

    def to_triplet(self, id: str) -> Way:
        """To its end that is nearer to the question, and over it."""
        edge = next((each for each in self._trace.edges if each.id == id), None)
        if edge is None:
            return ()
        ways = {end: self.to_node(end) for end in (edge.source, edge.target)}
        near = min(ways, key=lambda end: (not ways[end], len(ways[end])))
        far = edge.target if near == edge.source else edge.source
        return (*ways[near], self._leg(edge, near, far))

    def edge_said_in(self, passage: RetrievedPassage) -> TraceEdge | None:
        """The triplet of the sub-graph nearest to the question whose sentence a passage holds."""
        triplets = self._retrieval.triplets
        said = {each.edge for each in triplets if each.text and each.text in passage.text}
        return next((edge for edge in self._trace.edges if edge.id in said), None)

    # --- what the trace says ---

    @cached_property
    def _matched(self) -> dict[str, EntityMatch]:
        best = sorted(self._trace.matches, key=lambda match: match.score)
        return {match.node: match for match in best}

    @cached_property
    def _towards(self) -> dict[str, Hop]:
        """Of each image the step that led to it, links before mere likeness, the best last."""
        kept = [hop for hop in self._trace.hops if hop.kept and hop.kind != "image-to-text"]
        ordered = sorted(kept, key=lambda hop: (hop.kind == "text-to-image", hop.score))
        return {hop.image: hop for hop in ordered}

    @cached_property
    def _back(self) -> dict[str, Hop]:
        hops = [h for h in self._trace.hops if h.kept and h.kind == "image-to-text" and h.node]
        return {hop.node: hop for hop in sorted(hops, key=lambda hop: hop.score) if hop.node}

    @cached_property
    def _walks(self) -> dict[str, list[str]]:
        """Of each node that can be reached over triplets the shortest walk from a matched one."""
        import networkx as nx

        graph: nx.Graph[str] = nx.Graph((e.source, e.target) for e in self._trace.edges)
        starts = [node for node in reversed(self._matched) if node in graph]
        return dict(nx.multi_source_dijkstra_path(graph, starts)) if starts else {}

    @cached_property
    def _between(self) -> dict[frozenset[str], TraceEdge]:
        """The triplets by their two ends, the nearest to the question of several."""
        return {frozenset((e.source, e.target)): e for e in reversed(self._trace.edges)}

    def _triplet(self, one: str, other: str) -> Leg:
        return self._leg(self._between[frozenset((one, other))], one, other)

    @staticmethod
    def _leg(edge: TraceEdge, one: str, other: str) -> Leg:
        forward = edge.source == one
        return Leg("triplet", f"n:{one}", f"n:{other}", edge.relation, edge.score, None, forward,
                   edge.id)  # fmt: skip

    def _score(self, image: str, hop: Hop | None) -> float | None:
        if hop is not None:
            return hop.score
        return next((each.score for each in self._retrieval.images if each.id == image), None)


def marks_of(ways: Sequence[Way]) -> frozenset[str]:
    """Every mark these ways touch."""
    return frozenset(mark for way in ways for leg in way for mark in (leg.source, leg.target))


def pairs_of(ways: Sequence[Way]) -> frozenset[frozenset[str]]:
    """The two ends of every leg, whichever way round."""
    return frozenset(frozenset((leg.source, leg.target)) for way in ways for leg in way)
