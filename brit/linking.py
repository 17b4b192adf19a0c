"""Images ↔ textual nodes: the links CA, SI, LP and LS of §3.1 (PG is worked out at retrieval).

Every link has a kind, a score in 0–1 and its evidence in words a person can check. Furniture
(logos and other page decoration) gets no link. Work grows with the number of blocks and images, not
with their product: an image looks at its own page, and at `REACH` blocks to either side of it in
its section; of those it keeps the `MOST` best, since a link far down that list stands for nearly no
evidence and the picture's true neighbours come first.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from brit.config import LinkingConfig
from brit.models import TripletExtractor
from brit.types import (
    BBox,
    Extraction,
    FloatArray,
    Image,
    Link,
    LinkKind,
    Mention,
    StoredBlock,
    TextBlock,
    TextGraph,
)

MOST = 40
REACH = 60
MAX_NAME_WORDS = 8
CELLS_AT_ONCE = 8_000_000
POINTS_NEAR = 150.0
WORD = re.compile(r"[^\W_]+")
_Reason = tuple[float, str]  # score, evidence


def caption_entities(
    images: Sequence[Image], extractor: TripletExtractor, blocks: Sequence[StoredBlock] = ()
) -> Extraction:
    """Entities and triplets of the captions (CA), found in the block of their image; to be joined
    to the document's extraction before its graph is built.

    Captions that also stand among `blocks` as text have been read already and are left out.
    """
    read = {s.block.text for s in blocks if isinstance(s.block, TextBlock)}
    captions = [
        StoredBlock(
            image.block,
            image.document,
            image.page,
            i,
            TextBlock(image.caption, "caption", image.caption_bbox, section=image.section),
        )
        for i, image in enumerate(images)
        if image.caption and not image.furniture and image.caption not in read
    ]
    return extractor.extract(captions)


def link_images(
    images: Sequence[Image],
    graph: TextGraph,
    blocks: Sequence[StoredBlock],
    *,
    image_vectors: FloatArray | None = None,
    node_vectors: FloatArray | None = None,
    config: LinkingConfig,
) -> tuple[Link, ...]:
    """All links of one document: CA, SI, LP, LS.

    `blocks` come in reading order. `image_vectors` (images, d) and `node_vectors` (nodes, d) are
    `blocks` come in reading order. `image_vectors` (images, d) and `node_vectors` (nodes, d) are
    rows of one space in the order of `images` and `graph.nodes`; without them there is no SI.
    Documents without pages are cut into artificial ones for LP.
    """
    paged = any(stored.page is not None for stored in blocks)
    if not paged:
        images, blocks = cut_pages(images, graph, blocks, config.page_triplets)
    layout = _Layout(blocks, graph.mentions, "page" if paged else "artificial page")
    shown = [image for image in images if not image.furniture]
    links = [*caption_links(shown, graph, blocks)]
    if image_vectors is not None and node_vectors is not None:
        rows = [i for i, image in enumerate(images) if not image.furniture]
        links += similarity_links(
            [image.id for image in shown],
            image_vectors[rows],
            [node.id for node in graph.nodes],
            node_vectors,
            k=config.similar_nodes,
        )
    for image in shown:
        links += page_links(image, layout)
        links += section_links(image, layout)
    return tuple(links)


def cut_pages(
    images: Sequence[Image], graph: TextGraph, blocks: Sequence[StoredBlock], triplets: int
) -> tuple[list[Image], list[StoredBlock]]:
    """A document without pages cut into artificial ones of about `triplets` triplets (§4.1): a page
    ends with the block that fills it. Images stand on the page of their block."""
    found = Counter(edge.block for edge in graph.edges)
    cut, page, held = [], 1, 0
    for stored in blocks:
        if held >= triplets:
            page, held = page + 1, 0
        held += found[stored.id]
        cut.append(replace(stored, page=page))
    page_of = {stored.id: stored.page for stored in cut}
    return [replace(image, page=page_of.get(image.block)) for image in images], cut


# --- CA ------------------------------------------------------------------------------------------


def caption_links(
    images: Sequence[Image], graph: TextGraph, blocks: Sequence[StoredBlock] = ()
) -> Iterator[Link]:
    """Each captioned image to the nodes found in its caption or named by its words.

    Score: 1 for a node of one caption, falling with the share of captions it stands in.
    """
    surfaces = _surfaces(graph)
    mentioned: dict[str, list[str]] = defaultdict(list)
    for mention in graph.mentions:
        mentioned[mention.block].append(mention.node)
    texts = {s.block.text: s.id for s in blocks if isinstance(s.block, TextBlock)}
    found: list[tuple[Image, list[str]]] = []
    for image in images:
        if image.caption:
            own = [*mentioned[image.block], *mentioned[texts.get(image.caption, image.block)]]
            named = _names_in(image.caption, surfaces)
            found.append((image, list(dict.fromkeys((*own, *named)))))
    frequency = Counter(id for _, ids in found for id in ids)
    for image, ids in found:
        for id in ids:
            score = _rarity(frequency[id], len(found))
            yield Link(image.id, id, "CA", score, f"in the caption “{_short(image.caption)}”")


def _surfaces(graph: TextGraph) -> dict[tuple[str, ...], str]:
    """The words of every form of every node → its id; labels before aliases."""
    forms = [(node.label, node.id) for node in graph.nodes]
    forms += [(alias, node.id) for node in graph.nodes for alias in node.aliases]
    surfaces: dict[tuple[str, ...], str] = {}
    for form, id in forms:
        surfaces.setdefault(_words(form), id)
    return surfaces


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.casefold()))


def _names_in(caption: str, surfaces: Mapping[tuple[str, ...], str]) -> Iterator[str]:
    """Ids of the nodes named in a caption, longest names first; a name inside a longer one that
    was found («GS» in «Watch GS Pro») does not count."""
    words = _words(caption)
    taken = [False] * len(words)
    for size in range(min(MAX_NAME_WORDS, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            id = surfaces.get(words[start : start + size])
            if id is not None and not all(taken[start : start + size]):
                taken[start : start + size] = [True] * size
                yield id


# --- SI ------------------------------------------------------------------------------------------


def similarity_links(
    images: Sequence[str],
    image_vectors: FloatArray,
    nodes: Sequence[str],
    node_vectors: FloatArray,
    k: int = 3,
) -> Iterator[Link]:
    """Each image to its `k` most similar nodes by cosine (§5.3: 3).

    `image_vectors` (len(images), d), `node_vectors` (len(nodes), d): rows of length 1, or of zeros
    where there is nothing to compare; equal ones in the order of the nodes' ids. The product is
    made a few million cells at a time.
    """
    k = min(k, len(nodes))
    if not k:
        return
    step = max(1, CELLS_AT_ONCE // len(nodes))
    for first in range(0, len(images), step):
        cosines = image_vectors[first : first + step] @ node_vectors.T  # (rows, nodes)
        least = np.partition(cosines, -k, axis=1)[:, -k]
        for row, bar in enumerate(least):
            columns = np.flatnonzero((cosines[row] >= bar) & (cosines[row] > 0)).tolist()
            ordered = sorted(columns, key=lambda j: (-cosines[row, j], nodes[j]))
            for rank, j in enumerate(ordered[:k], 1):
                score = float(cosines[row, j])
                evidence = f"looks alike: number {rank} of {len(nodes)} names, {score:.2f}"
                yield Link(images[first + row], nodes[j], "SI", min(score, 1.0), evidence)


# --- LP and LS -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """A block with its position in reading order."""

    position: int
    stored: StoredBlock
    nodes: tuple[str, ...]


class _Layout:
    """Where the nodes of a document stand, by page and by section."""

    def __init__(
        self, blocks: Sequence[StoredBlock], mentions: Iterable[Mention], page_word: str
    ) -> None:
        self.page_word = page_word
        nodes: dict[str, dict[str, None]] = defaultdict(dict)
        for mention in mentions:
            nodes[mention.block][mention.node] = None
        self.position = {stored.id: i for i, stored in enumerate(blocks)}
        self.pages: dict[int, list[_Place]] = defaultdict(list)
        self.sections: dict[str, list[_Place]] = defaultdict(list)
        for i, stored in enumerate(blocks):
            place = _Place(i, stored, tuple(nodes.get(stored.id, ())))
            if stored.page is not None:
                self.pages[stored.page].append(place)
            if stored.block.section:
                self.sections[stored.block.section].append(place)
        self.page_counts = _count_nodes(self.pages.values())
        self.section_counts = _count_nodes(self.sections.values())

    def position_of(self, image: Image) -> int:
        """Where the image stands in reading order; without its block, where its page begins."""
        if image.block in self.position:
            return self.position[image.block]
        page = self.pages.get(image.page) if image.page is not None else None
        return page[0].position if page else 0


def page_links(image: Image, layout: _Layout) -> list[Link]:
    """LP: the nodes on the image's page. Score: nearness × rarity; nearness halves at
    `POINTS_NEAR` points between the boxes, or one block where boxes are unknown; rarity is 1 for a
    node of one page and near 0 for one of every page."""
    if image.page is None:
        return []
    here = layout.position_of(image)
    total = len(layout.pages)
    best: dict[str, _Reason] = {}
    for place in layout.pages.get(image.page, ()):
        if not place.nodes or place.stored.id == image.block:
            continue
        nearness = _nearness(image.bbox, place.stored.block.bbox, abs(place.position - here))
        evidence = f"on {layout.page_word} {image.page}, {_direction(image.bbox, place, here)}"
        for node in place.nodes:
            _keep(best, node, nearness * _rarity(layout.page_counts[node], total), evidence)
    return _links(image, "LP", best)


def section_links(image: Image, layout: _Layout) -> list[Link]:
    """LS: the nodes of the image's section, at most `REACH` blocks away. Score: nearness × rarity;
    nearness halves at ten blocks, rarity is over sections."""
    if not image.section:
        return []
    here = layout.position_of(image)
    title = _short(image.section_title) or "without a title"
    total = len(layout.sections)
    best: dict[str, _Reason] = {}
    for place in _within(layout.sections.get(image.section, []), here):
        distance = abs(place.position - here)
        nearness = 1 / (1 + distance / 10)
        evidence = f"in section “{title}”, {_count(distance)} away"
        for node in place.nodes:
            _keep(best, node, nearness * _rarity(layout.section_counts[node], total), evidence)
    return _links(image, "LS", best)


def _within(places: Sequence[_Place], here: int) -> Sequence[_Place]:
    """The places whose position is at most `REACH` from `here`; `places` are sorted."""
    first = bisect_left(places, here - REACH, key=attrgetter("position"))
    last = bisect_right(places, here + REACH, key=attrgetter("position"))
    return places[first:last]


def _count_nodes(groups: Iterable[Sequence[_Place]]) -> Counter[str]:
    """In how many pages or sections each node stands."""
    return Counter(node for group in groups for node in {n for place in group for n in place.nodes})


def _keep(best: dict[str, _Reason], node: str, score: float, evidence: str) -> None:
    if node not in best or best[node][0] < score:
        best[node] = (score, evidence)


def _links(image: Image, kind: LinkKind, best: Mapping[str, _Reason]) -> list[Link]:
    """The `MOST` best as links, the best first."""
    ordered = sorted(best, key=lambda node: (-best[node][0], node))[:MOST]
    return [Link(image.id, node, kind, *best[node]) for node in ordered]


def _rarity(count: int, total: int) -> float:
    """1 for one of `total` places, falling with the logarithm to near 0 for all of them."""
    if total <= 1 or count <= 1:
        return 1.0
    return math.log((1 + total) / count) / math.log(1 + total)


def _nearness(image: BBox | None, other: BBox | None, blocks: int) -> float:
    if image is None or other is None:
        return 1 / (1 + blocks)
    dx = max(image[0] - other[2], other[0] - image[2], 0.0)
    dy = max(image[1] - other[3], other[1] - image[3], 0.0)
    return 1 / (1 + math.hypot(dx, dy) / POINTS_NEAR)


def _direction(image: BBox | None, place: _Place, here: int) -> str:
    distance = _count(abs(place.position - here))
    box = place.stored.block.bbox
    if image is None or box is None:
        return f"{distance} {'before' if place.position < here else 'after'} the picture"
    if box[3] <= image[1] + 2:
        return f"{distance} above the picture"
    if box[1] >= image[3] - 2:
        return f"{distance} below the picture"
    return "beside the picture"


def _count(blocks: int) -> str:
    return "1 block" if blocks == 1 else f"{blocks} blocks"


def _short(text: str, size: int = 120) -> str:
    text = " ".join(text.split())
    return text if len(text) <= size else f"{text[: size - 1].rstrip()}…"
