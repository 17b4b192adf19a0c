"""What a retrieval returns (§3.2), and the trace of how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from brit.types.basics import BBox, HopKind, LinkKind, Preset, Review


@dataclass(frozen=True)
class EntityMatch:
    """A query entity matched a textual node; `method` says by which channel."""

    entity: str
    node: str
    label: str
    score: float
    method: Literal["dense", "lexical"]


@dataclass(frozen=True)
class ComponentVerdict:
    """Pruning (§3.2): the component's best node–entity cosine, and whether it was kept."""

    component: int
    nodes: int
    best: float
    kept: bool
    reason: str


@dataclass(frozen=True)
class Prize:
    """The prize PCST gave to a node or an edge; `score` is the similarity it came from."""

    id: str
    label: str
    score: float
    prize: float


@dataclass(frozen=True)
class TraceNode:
    """A node of the retrieved sub-graph; `origin` says how it came in: pcst, prize (prized, but cut
    off by PCST), match (a name that leads to an image), image (an image leads to it), triplet (an
    end of a triplet that came in over an image)."""

    id: str
    label: str
    kind: str
    score: float
    origin: str


@dataclass(frozen=True)
class TraceEdge:
    """An edge of the retrieved sub-graph."""

    id: str
    source: str
    target: str
    relation: str
    score: float


@dataclass(frozen=True)
class Hop:
    """A candidate step of the traversal between text and images, taken or not, with the reason.

    `node` and `image` are its two ends; `link` the kind of the link, None for plain similarity and
    for a link that a person rejected. `reviewed` is what a person said of the link.
    """

    kind: HopKind
    round: int
    node: str | None
    image: str
    link: LinkKind | None
    score: float
    kept: bool
    reason: str
    reviewed: Review | None = None


@dataclass(frozen=True)
class RankedPassage:
    """How a passage got its score: the rank in each channel that named it (1 is best)."""

    passage: str
    score: float
    ranks: dict[str, int]
    kept: bool


@dataclass(frozen=True)
class FollowUp:
    """`query` was searched for instead of a question that goes on from the chat. `model` wrote it;
    where that is "", `added` are the words of earlier questions that were put to it. `usage` is
    what the model's reply cost in tokens, `note` says why it was not used."""

    query: str
    model: str = ""
    added: tuple[str, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class RoundChoice:
    """Where a model would look next: places in the list of names it was shown, and what else to
    search for. Neither where what was found is enough. `usage` is what the reply cost in tokens."""

    reason: str
    names: tuple[int, ...] = ()
    query: str = ""
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RoundDecision:
    """Whether a retrieval went on into `round`, and why: from the nodes of these labels, with a
    further `query`, or not at all. `by` is the model that decided; "" where the scores did."""

    round: int
    by: str
    reason: str
    nodes: tuple[str, ...] = ()
    query: str = ""
    usage: dict[str, int] = field(default_factory=dict)

    @property
    def went_on(self) -> bool:
        return bool(self.nodes or self.query)


@dataclass(frozen=True)
class RetrievalTrace:
    """Every step of a retrieval: inputs, scores, kept, dropped and why, what fell back.

    The page draws its path from this and from nothing else. `unread` names the files of the
    collection that were still being read, and so could not be found. `follow_up` is None where the
    question was searched for as it stands. `decisions` are empty where only one round was allowed.
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    matches: tuple[EntityMatch, ...] = ()
    components_total: int = 0
    components: tuple[ComponentVerdict, ...] = ()
    node_prizes: tuple[Prize, ...] = ()
    edge_prizes: tuple[Prize, ...] = ()
    edge_cost: float = 0.0
    nodes: tuple[TraceNode, ...] = ()
    edges: tuple[TraceEdge, ...] = ()
    hops: tuple[Hop, ...] = ()
    passages: tuple[RankedPassage, ...] = ()
    rounds: int = 0
    nodes_total: int = 0
    images_total: int = 0
    fallbacks: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    decisions: tuple[RoundDecision, ...] = ()


@dataclass(frozen=True)
class RetrievedTriplet:
    subject: str
    relation: str
    object: str
    score: float
    document: str
    page: int | None
    text: str
    edge: str = ""
    bbox: BBox | None = None
    document_id: str = ""


@dataclass(frozen=True)
class RetrievedImage:
    """`via` is the label of the textual node that led here; `path` the picture's file;
    `description` was generated by a model."""

    id: str
    name: str | None
    document: str
    page: int | None
    bbox: BBox | None
    path: str
    caption: str
    score: float
    reason: HopKind
    via: str | None
    link: LinkKind | None
    section: str = ""
    text: str = ""
    description: str = ""
    document_id: str = ""


@dataclass(frozen=True)
class RetrievedPassage:
    document: str
    page: int | None
    bbox: BBox | None
    text: str
    score: float
    id: str = ""
    section: str = ""
    document_id: str = ""


@dataclass(frozen=True)
class RetrievedPage:
    document: str
    page: int
    score: float


@dataclass(frozen=True)
class Retrieval:
    """The answer of the retrieval stage, best first in every list (command-line contract)."""

    question: str
    preset: Preset
    encoder: str
    entities: tuple[str, ...]
    low_relevance: bool
    triplets: tuple[RetrievedTriplet, ...]
    images: tuple[RetrievedImage, ...]
    passages: tuple[RetrievedPassage, ...]
    pages: tuple[RetrievedPage, ...]
    words: int
    timings_ms: dict[str, float]
    trace: RetrievalTrace

    @property
    def searched(self) -> str:
        """What was searched for: the question, or what a follow-up question stands for."""
        return self.trace.follow_up.query if self.trace.follow_up else self.question
