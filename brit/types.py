"""What flows between the stages: frozen, equal by content, free of arrays.

Ids are short hashes of what they name, so that inserting a thing twice changes nothing:
`stable_id("block", document, page, ordinal, text)`.
Boxes are (x0, y0, x1, y1) in points, origin top left, of the unrotated page.
The only arrays are those of `CollectionGraph`, the flat in-memory form of a collection's graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

BBox = tuple[float, float, float, float]
FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

TextKind = Literal[
    "heading", "paragraph", "list-item", "caption", "footnote", "header", "footer", "formula"
]
Status = Literal["whole", "partial", "password", "refused"]
LinkKind = Literal["CA", "SI", "LP", "LS", "PG"]
LINK_KINDS: tuple[LinkKind, ...] = ("CA", "SI", "LP", "LS", "PG")
Preset = Literal["default", "paper"]
HopKind = Literal["text-to-image", "image-to-text", "similarity"]


def stable_id(*parts: object) -> str:
    """The id of a thing: 16 hexadecimal digits of the SHA-256 of its parts."""
    joined = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# --- documents -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutlineEntry:
    """A bookmark: level 1 is the outermost, `page` is 1-based."""

    level: int
    title: str
    page: int


@dataclass(frozen=True)
class DocumentHead:
    """What a reader knows of a document before its first page is read.

    `name` is the file's name, or the wiki page's title; `source` the file's name.
    `paged` is False where the format has no pages: then there is one page record whose number is
    never shown. `page_count` counts page records.
    """

    name: str
    source: str
    format: str
    page_count: int
    paged: bool = True
    outline: tuple[OutlineEntry, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextBlock:
    """A run of text. `section` is "" until the sections of the whole document are known.

    `level` is the depth of a heading (1 outermost, 0 unknown or no heading); `links` are the titles
    of the pages of its wiki that the text leads to.
    """

    text: str
    kind: TextKind
    bbox: BBox | None = None
    level: int = 0
    section: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImageBlock:
    """One place at which a picture stands. `file` is the id of its pixels in the image store.

    `name` is the picture's own file name where the format has one; `file` is "" where the picture
    is missing. `furniture` marks logos and other page decoration, left out of retrieval.
    """

    file: str
    bbox: BBox | None = None
    name: str | None = None
    caption: str = ""
    caption_bbox: BBox | None = None
    caption_confidence: float = 0.0
    furniture: bool = False
    section: str = ""


@dataclass(frozen=True)
class TableBlock:
    """A table: `header` names the columns, every row is as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bbox: BBox | None = None
    caption: str = ""
    section: str = ""

    @property
    def text(self) -> str:
        """The table in reading order, one line a row, cells separated by « | »."""
        lines = [self.caption] if self.caption else []
        return "\n".join([*lines, *(" | ".join(row) for row in (self.header, *self.rows) if row)])


Block = TextBlock | ImageBlock | TableBlock


@dataclass(frozen=True)
class Page:
    """One page as a reader gives it: blocks in reading order, or the reason why there are none.

    `scan`: there is no usable text layer, the text is to be read from the page's picture;
    `confidence` is the mean of that reading (0–1), None where none took place. `missing` says what
    could not be read of a page that has been read; `merged` counts the pictures of the file that
    were joined into figures with others.
    """

    number: int
    width: float
    height: float
    blocks: tuple[Block, ...] = ()
    rotation: int = 0
    seconds: float = 0.0
    failure: str = ""
    scan: bool = False
    confidence: float | None = None
    missing: str = ""
    merged: int = 0


@dataclass(frozen=True)
class Section:
    """A section: `path` holds the titles from the outermost down to its own."""

    id: str
    title: str
    level: int
    path: tuple[str, ...]


@dataclass(frozen=True)
class StoredBlock:
    """A block in the workspace, with its provenance. `page` is None where there are no pages."""

    id: str
    document: str
    page: int | None
    ordinal: int
    block: Block


@dataclass(frozen=True)
class Passage:
    """Consecutive text of one page and section, about 60 to 90 words: the unit of text search."""

    id: str
    document: str
    page: int | None
    bbox: BBox | None
    section: str
    text: str
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class Image:
    """A picture of one document, whatever the number of its places; the first place counts.

    `text` is what was read inside the picture, `section` the id and `section_title` the title of
    its section.
    """

    id: str
    document: str
    file: str
    page: int | None
    bbox: BBox | None
    name: str | None = None
    caption: str = ""
    caption_bbox: BBox | None = None
    text: str = ""
    section: str = ""
    section_title: str = ""
    furniture: bool = False
    block: str = ""


@dataclass(frozen=True)
class Document:
    """A document in the workspace, with the counts of its ledger."""

    id: str
    collection: str
    name: str
    source: str
    format: str
    status: Status
    reason: str = ""
    pages: int = 0
    paged: bool = True
    figures: int = 0
    captions: int = 0
    triplets: int = 0
    nodes: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


# --- graph ---------------------------------------------------------------------------------------


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


# --- retrieval -----------------------------------------------------------------------------------


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

    `node` and `image` are its two ends; `link` the kind of the link, None for plain similarity.
    """

    kind: HopKind
    round: int
    node: str | None
    image: str
    link: LinkKind | None
    score: float
    kept: bool
    reason: str


@dataclass(frozen=True)
class RankedPassage:
    """How a passage got its score: the rank in each channel that named it (1 is best)."""

    passage: str
    score: float
    ranks: dict[str, int]
    kept: bool


@dataclass(frozen=True)
class RetrievalTrace:
    """Every step of a retrieval: inputs, scores, kept, dropped and why, what fell back.

    The page draws its path from this and from nothing else.
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


@dataclass(frozen=True)
class RetrievedImage:
    """`via` is the label of the textual node that led here; `path` the picture's file."""

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


@dataclass(frozen=True)
class RetrievedPassage:
    document: str
    page: int | None
    bbox: BBox | None
    text: str
    score: float
    id: str = ""
    section: str = ""


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


# --- answer --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Citation:
    """`marker` is the number shown in the answer; `index` the position in `Retrieval.passages` or
    `Retrieval.images`."""

    marker: int
    kind: Literal["passage", "image"]
    document: str
    page: int | None
    bbox: BBox | None
    index: int = 0


@dataclass(frozen=True)
class Answer:
    """`model` is the model's name, or "extractive"; `notes` are said on the page (what fell back,
    what was left out, that no model is configured)."""

    text: str
    citations: tuple[Citation, ...]
    model: str
    usage: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Completion:
    """A language model's reply; `data` is the parsed JSON where a schema was asked for."""

    text: str
    data: Any = None
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """`done` of `total` units of `stage`; `detail` names the thing in hand."""

    stage: str
    done: int
    total: int
    detail: str = ""


OnProgress = Callable[[Progress], None]
Cancelled = Callable[[], bool]


def no_progress(_: Progress) -> None:
    """For callers that do not watch."""
