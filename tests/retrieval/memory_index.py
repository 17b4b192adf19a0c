"""A graph index held in memory, for graphs made by hand."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from brit.index import FaissIndex, build_collection_graph
from brit.models import LexicalKind
from brit.types import (
    BBox,
    Edge,
    Extraction,
    FloatArray,
    Image,
    LinkKind,
    Passage,
    StoredBlock,
    TextBlock,
    stable_id,
)

DOCUMENT = "doc"


class DictEncoder:
    """Vectors by hand: each text has its own, unknown texts are zeros."""

    name = "by hand"
    same_entity = 0.75

    def __init__(self, vectors: dict[str, Sequence[float]], dim: int) -> None:
        self.dim = dim
        self.known = vectors

    def encode_texts(self, texts: Sequence[str], role: str = "passage") -> FloatArray:
        del role
        rows = [self.known.get(text, [0.0] * self.dim) for text in texts]
        return np.array(rows, np.float32).reshape(len(rows), self.dim)

    def encode_images(self, images: Sequence[object], hints: Sequence[str] = ()) -> FloatArray:
        raise NotImplementedError


class NamesOf:
    """An extractor that knows the names it may find in a question."""

    name = "names"

    def __init__(self, *names: str) -> None:
        self.names = names

    def extract(self, blocks: Sequence[StoredBlock], _on_part: object = None) -> Extraction:
        raise NotImplementedError

    def extract_entities(self, text: str) -> list[str]:
        return [name for name in self.names if name in text]


@dataclass
class Spec:
    """A graph in few words. Triplets: (subject, relation, object[, passage]); images: name →
    (caption, page, vector); links: (image, node, kind, score); passages: name → (text, page)."""

    triplets: list[tuple[str, ...]] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    images: dict[str, tuple[str, int, Sequence[float]]] = field(default_factory=dict)
    links: list[tuple[str, str, LinkKind, float]] = field(default_factory=list)
    passages: dict[str, tuple[str, int]] = field(default_factory=dict)
    document_of: dict[str, str] = field(default_factory=dict)
    section_of: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=lambda: {DOCUMENT: "manual.pdf"})
    running_lines: list[tuple[int, str]] = field(default_factory=list)


class MemoryIndex:
    """Implements GraphIndex; nodes, passages, images and blocks are known by their names."""

    def __init__(self, spec: Spec, encoder: object) -> None:
        self.text_encoder = self.image_encoder = encoder
        self.documents = spec.documents
        self._document_of = spec.document_of
        self._running_lines = spec.running_lines
        names = [*spec.nodes, *(name for triplet in spec.triplets for name in triplet[:3:2])]
        self._nodes = list(dict.fromkeys(names))
        self._edges = dict(map(self._edge, spec.triplets))
        self._passages = {
            name: Passage(
                id=name,
                document=self._where(name),
                page=page,
                bbox=None,
                section=spec.section_of.get(name, ""),
                text=text,
                blocks=(f"block {name}",),
            )
            for name, (text, page) in spec.passages.items()
        }
        self._images = {
            name: Image(
                id=name,
                document=self._where(name),
                file=name,
                page=page,
                bbox=BOX,
                caption=caption,
                section=spec.section_of.get(name, ""),
            )
            for name, (caption, page, _) in spec.images.items()
        }
        self.graph = build_collection_graph(
            [(name, name, "TERM") for name in self._nodes],
            [
                (e.id, e.source, e.target, e.relation, self._edge_document(e))
                for e in self._edges.values()
            ],
            spec.links,
            [(image.id, image.document) for image in self._images.values()],
            [(name, self._where(name)) for name in self._nodes],
        )
        self.nodes = self._embed({name: name for name in self._nodes})
        self.relations = self._embed({name: name for name in self.graph.relations})
        self.passages = self._embed({p.id: p.text for p in self._passages.values()})
        self.captions = self._embed({i.id: i.caption for i in self._images.values() if i.caption})
        self.images = FaissIndex(encoder.name, encoder.dim)
        vectors = [vector for _, _, vector in spec.images.values()]
        self.images.add([*spec.images], np.array(vectors, np.float32).reshape(-1, encoder.dim))

    def lexical(
        self, kind: LexicalKind, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        texts = {
            "node": {name: name for name in self._nodes},
            "passage": {id: passage.text for id, passage in self._passages.items()},
            "image": {id: image.caption for id, image in self._images.items()},
        }[kind]
        if documents is not None and kind != "node":
            held = self._passages if kind == "passage" else self._images
            texts = {id: text for id, text in texts.items() if held[id].document in documents}
        return _bm25(texts, query)[:k]

    def passage(self, id: str) -> Passage:
        return self._passages[id]

    def passage_ids(self, documents: Sequence[str] | None = None) -> list[str]:
        wanted = self.documents if documents is None else documents
        return [id for id, passage in self._passages.items() if passage.document in wanted]

    def image(self, id: str) -> Image:
        return self._images[id]

    def running_lines(self, document: str) -> list[tuple[int, str]]:
        return self._running_lines if document == DOCUMENT else []

    def edge(self, id: str) -> Edge:
        return self._edges[id]

    def block(self, id: str) -> StoredBlock:
        name = id.removeprefix("block ")
        passage = self._passages.get(name)
        text = passage.text if passage else name
        page = passage.page if passage else 1
        return StoredBlock(id, self._where(name), page, 0, TextBlock(text, "paragraph"))

    def image_path(self, image: Image) -> str:
        return f"/images/{image.file}.png"

    def _edge(self, triplet: tuple[str, ...]) -> tuple[str, Edge]:
        subject, relation, target, *passage = triplet
        id = stable_id("edge", *triplet)
        block = f"block {passage[0]}" if passage else f"block of {subject}"
        return id, Edge(id, subject, target, relation, block, f"{subject} {relation} {target}.")

    def _edge_document(self, edge: Edge) -> str:
        return self._document_of.get(edge.source, self._where(edge.block.removeprefix("block ")))

    def _where(self, name: str) -> str:
        return self._document_of.get(name, DOCUMENT)

    def _embed(self, texts: dict[str, str]) -> FaissIndex:
        index = FaissIndex(self.text_encoder.name, self.text_encoder.dim)
        index.add([*texts], self.text_encoder.encode_texts([*texts.values()]))
        return index


BOX: BBox = (10.0, 10.0, 100.0, 100.0)


def _bm25(texts: dict[str, str], query: str) -> list[tuple[str, float]]:
    bags = {id: Counter(re.findall(r"\w+", text.lower())) for id, text in texts.items()}
    mean = sum(bag.total() for bag in bags.values()) / max(len(bags), 1)
    scores: dict[str, float] = Counter()
    for word in set(re.findall(r"\w+", query.lower())):
        holders = [id for id, bag in bags.items() if bag[word]]
        rarity = math.log(1 + (len(bags) - len(holders) + 0.5) / (len(holders) + 0.5))
        for id in holders:
            count = bags[id][word]
            length = 0.25 + 0.75 * bags[id].total() / mean
            scores[id] += rarity * count * 2.2 / (count + 1.2 * length)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def unit(*values: float) -> list[float]:
    row = np.array(values, dtype=np.float64)
    return (row / np.linalg.norm(row)).tolist()
