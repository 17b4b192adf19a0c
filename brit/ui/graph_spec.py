"""What the two graphs show: nodes and edges with their state, from a retrieval and nothing else.

The path tells how the question led to pictures and passages, the sub-graph shows all that was
retrieved. Ids carry their kind: "q" the question, "n:…" a textual node, "i:…" an image, "p:…" a
passage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from brit.types import Answer, Hop, Retrieval
from brit.ui.pictures import picture_name
from brit.ui.safe import one_line
from brit.ui.ways import QUESTION, Leg, Ways, passage_mark
from brit.ui.wording import dotted, page_of, t

NodeKind = Literal["question", "node", "image", "passage", "gap"]
State = Literal["used", "kept", "dropped"]
MOST_NODES = 150
# A path of more than these is no longer read at a glance.
PATH_MATCHES, PATH_DROPPED, PATH_IMAGES, PATH_PASSAGES = 5, 2, 5, 4
_RANK: dict[State, int] = {"used": 2, "kept": 1, "dropped": 0}


@dataclass(frozen=True)
class GraphNode:
    """`label` is whole; how much of it is drawn is the drawing's affair. x, y in pixels."""

    id: str
    kind: NodeKind
    label: str
    state: State
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class GraphEdge:
    """`via` are points between its ends through which it is led, around what stands there."""

    source: str
    target: str
    label: str
    state: State
    via: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class GraphSpec:
    """Every id once, every edge between two nodes that are there."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


class _Builder:
    """Gathers nodes and edges of one retrieval; the strongest state of a thing counts. The mark
    `also` is shown with its way, whatever else is left out."""

    def __init__(self, retrieval: Retrieval, answer: Answer | None, also: str = "") -> None:
        self.retrieval = retrieval
        self.ways = Ways(retrieval)
        self.also = also
        self.trace = retrieval.trace
        self.labels = {m.node: m.label for m in self.trace.matches}
        self.labels |= {node.id: node.label for node in self.trace.nodes}
        self.kept_nodes = {node.id for node in self.trace.nodes}
        citations = answer.citations if answer else ()
        cited = {(c.kind, c.index): c.marker for c in reversed(citations)}
        self.cited_images = {
            im.id for i, im in enumerate(retrieval.images) if ("image", i) in cited
        }
        self.markers = {
            i: cited["passage", i]
            for i in range(len(retrieval.passages))
            if ("passage", i) in cited
        }
        self.nodes: dict[str, GraphNode] = {}
        self.edges: dict[tuple[str, str], GraphEdge] = {}
        self.add(QUESTION, "question", t("graph.question"), "used")

    def add(self, id: str, kind: NodeKind, label: str, state: State) -> str:
        old = self.nodes.get(id)
        if old is None or _RANK[old.state] < _RANK[state]:
            self.nodes[id] = GraphNode(id, kind, one_line(label), state)
        return id

    def add_node(self, node: str, state: State) -> str:
        return self.add(f"n:{node}", "node", self.labels.get(node, node), state)

    def connect(self, source: str, target: str, label: str, state: State) -> None:
        """An edge, unless there is one between the two already that says as much."""
        key = (source, target)
        if source == target or (target, source) in self.edges:
            key = (target, source)
        old = self.edges.get(key)
        if source != target and (old is None or _RANK[old.state] < _RANK[state]):
            self.edges[key] = GraphEdge(*key, label or (old.label if old else ""), state)

    def spec(self) -> GraphSpec:
        nodes = sorted(self.nodes.values(), key=lambda node: -_RANK[node.state])[:MOST_NODES]
        ids = {node.id for node in nodes}
        edges = [e for e in self.edges.values() if e.source in ids and e.target in ids]
        return GraphSpec(tuple(nodes), tuple(edges))

    # --- what both graphs show ---

    def matches(self) -> list[str]:
        """Nodes the question's entities matched, best first, each once."""
        ordered = sorted(self.trace.matches, key=lambda match: -match.score)
        return list(dict.fromkeys(match.node for match in ordered))

    def add_matches(self, nodes: Iterable[str]) -> None:
        for node in nodes:
            state: State = "kept" if node in self.kept_nodes else "dropped"
            legs = self.ways.to_node(node)
            self.connect(QUESTION, self.add_node(node, state), self.leg_label(legs[0]), state)

    def add_images(self, limit: int, onward: int) -> None:
        """Retrieved images with the steps that led there, and `PATH_DROPPED` of the dropped.

        From each image at most `onward` steps back to text are shown, the strongest ones.
        """
        shown = {im.id: im for im in self.retrieval.images[:limit]}
        wanted = {*self.cited_images, self.also.removeprefix("i:")}
        shown |= {im.id: im for im in self.retrieval.images if im.id in wanted}
        for id, image in shown.items():
            state: State = "used" if id in self.cited_images else "kept"
            name = picture_name(image.caption, image.name, image.page)
            self.add(f"i:{id}", "image", name, state)
        for id in shown:
            self.add_way(f"i:{id}", self.nodes[f"i:{id}"].state)
        for hop in self._steps_of(shown, onward):
            self._add_hop(hop)
        self._add_dropped_hops(shown.keys())

    def _steps_of(self, shown: Iterable[str], onward: int) -> list[Hop]:
        images = set(shown)
        hops = [hop for hop in self.trace.hops if hop.kept and hop.image in images]
        back = sorted((h for h in hops if h.kind == "image-to-text"), key=lambda h: -h.score)
        first = [
            hop
            for i, hop in enumerate(back)
            if sum(hop.image == other.image for other in back[:i]) < onward
        ]
        return [hop for hop in hops if hop.kind != "image-to-text"] + first

    def _add_hop(self, hop: Hop) -> None:
        image, link = f"i:{hop.image}", t(f"link.{hop.link}") if hop.link else ""
        if hop.node is None or hop.kind == "similarity":
            self.connect(QUESTION, image, t("graph.similar"), "kept")
        elif hop.kind == "text-to-image":
            self.connect(self.add_node(hop.node, "kept"), image, link, "kept")
        else:
            self.connect(image, self.add_node(hop.node, "kept"), link, "kept")

    def _add_dropped_hops(self, shown: Iterable[str]) -> None:
        known = set(shown)
        dropped = [h for h in self.trace.hops if not h.kept and h.image not in known]
        best = {h.image: h for h in sorted(dropped, key=lambda hop: hop.score)}
        for hop in sorted(best.values(), key=lambda h: -h.score)[:PATH_DROPPED]:
            self.add(f"i:{hop.image}", "image", "", "dropped")
            source = f"n:{hop.node}" if f"n:{hop.node}" in self.nodes else QUESTION
            self.connect(source, f"i:{hop.image}", hop.reason, "dropped")

    def add_passages(self, limit: int) -> None:
        """Cited passages and the best others, reached by the triplets that are written in them."""
        passages = self.retrieval.passages
        marks = [passage_mark(passage, i) for i, passage in enumerate(passages)]
        chosen = [i for i, mark in enumerate(marks) if i in self.markers or mark == self.also]
        others = [i for i in range(len(passages)) if i not in chosen]
        for i in chosen + others[: max(limit - len(chosen), 0)]:
            state: State = "used" if i in self.markers else "kept"
            marker = str(self.markers.get(i, ""))
            where = dotted(marker, page_of(passages[i].page))
            label = where or one_line(passages[i].section, 24) or t("graph.passage")
            self.add_way(self.add(marks[i], "passage", label, state), state)

    def add_trace_edges(self) -> None:
        """Triplets between nodes that are shown."""
        for edge in self.trace.edges:
            ends = f"n:{edge.source}", f"n:{edge.target}"
            if all(end in self.nodes for end in ends):
                self.connect(*ends, edge.relation, "kept")

    # --- the ways from the question to what is shown ---

    def add_way(self, mark: str, state: State) -> None:
        """Every leg of the way to a mark: what is drawn is what is told."""
        for leg in self.ways.to(mark):
            for end in (leg.source, leg.target):
                if end.startswith("n:"):
                    self.add_node(end[2:], state)
                elif end not in self.nodes:  # a picture on the way to another
                    self.add(end, "image", "", state)
            ends = (leg.source, leg.target) if leg.forward else (leg.target, leg.source)
            self.connect(*ends, self.leg_label(leg), state)

    def leg_label(self, leg: Leg) -> str:
        """The words on a line; "" where the mark it leads to says the same."""
        if leg.kind in ("similar", "stated"):
            return t(f"graph.{leg.kind}") if not leg.target.startswith("n:") else ""
        if leg.kind in ("link", "back"):
            return t(f"link.{leg.link}") if leg.link else ""
        same = leg.label.casefold() == self.labels.get(leg.target[2:], "").casefold()
        return "" if leg.kind == "entity" and same else leg.label

    def join_to_question(self) -> None:
        """Every shown name gets its way, too, unless something leads to it."""
        reached = {e.target for e in self.edges.values() if e.source[:2] in ("q", "i:")}
        for id in [id for id in self.nodes if id.startswith("n:")]:
            state = self.nodes[id].state
            if id not in reached or state == "used":
                self.add_way(id, state)


def path_spec(retrieval: Retrieval, answer: Answer | None, also: str = "") -> GraphSpec:
    """The way from the question through matched nodes and triplets to pictures and passages, and
    to the mark `also`, however many others are shown."""
    builder = _Builder(retrieval, answer, also)
    matches = builder.matches()
    kept = [node for node in matches if node in builder.kept_nodes]
    dropped = [node for node in matches if node not in builder.kept_nodes]
    builder.add_matches([*kept[:PATH_MATCHES], *dropped[:PATH_DROPPED]])
    builder.add_images(PATH_IMAGES, onward=1)
    builder.add_passages(PATH_PASSAGES)
    builder.add_way(also, "kept")
    builder.join_to_question()
    builder.add_trace_edges()
    return builder.spec()


def subgraph_spec(retrieval: Retrieval, answer: Answer | None) -> GraphSpec:
    """All nodes and edges retrieved, with the pictures linked to them; at most `MOST_NODES`."""
    builder = _Builder(retrieval, answer)
    builder.add_matches(node for node in builder.matches() if node in builder.kept_nodes)
    builder.add_images(len(retrieval.images), onward=MOST_NODES)
    builder.add_passages(0)
    for node in sorted(builder.trace.nodes, key=lambda node: -node.score):
        builder.add_node(node.id, "kept")
    builder.join_to_question()
    builder.add_trace_edges()
    return builder.spec()
