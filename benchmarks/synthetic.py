"""Workspaces of any size with invented rows: what ingestion would have left, models aside.

Two edges a node; six nodes in ten are one giant component, the others small ones. Vectors lie about
topics and subjects of topics, as those of names do: alike within a subject, hardly across topics.
Relation texts grow with the root of the edges and are as uneven as words are (2,600 for 13,000
edges in the real collection). An image for every fifty nodes, forty links each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from brit.models import Role
from brit.storage import Workspace
from brit.storage.codec import encode
from brit.types import DocumentHead, Edge, FloatArray, Mention, Node, TextBlock

COLLECTION = "synthetic"
DIM = 384
IN_DOCUMENT = 100  # nodes
GIANT = 0.6
SMALL = 12  # nodes at most in a small component
LINKS = 40
TOPICS, IN_SUBJECT = 200, 50
AT_ONCE, BLOCK = 50_000, 1_000
CACHE = 4_000_000  # kilobytes
_NODE = re.compile(r"[a-z]+ [a-z]+ [0-9]+")
_SIGNS = "bdfgklmnprstvz"


class Names:
    """An extractor that knows the form of the invented names."""

    name = "names"

    def extract_entities(self, text: str) -> list[str]:
        return _NODE.findall(text)


class Vectors:
    """An encoder whose vectors follow from the names: nothing is computed but sums."""

    name, dim, same_entity = "synthetic", DIM, 0.75

    def __init__(self, size: int) -> None:
        random = np.random.default_rng(1)
        topics = random.normal(size=(TOPICS, DIM))
        self.size = size
        count = max(size // IN_SUBJECT, 1)
        self._subjects = (
            topics[random.integers(0, TOPICS, count)] + 0.9 * random.normal(size=(count, DIM))
        ).astype(np.float32)

    def of_nodes(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """→ (stop − start, DIM); `start` is a multiple of `BLOCK`."""
        stop = self.size if stop is None else stop
        rows = np.arange(start, stop)
        noise = [
            np.random.default_rng(2 + first).standard_normal((min(BLOCK, stop - first), DIM), "f4")
            for first in range(start, stop, BLOCK)
        ]
        return _unit(self._subjects[rows * 7 % len(self._subjects)] + 0.8 * np.concatenate(noise))

    def of_relations(self, texts: Sequence[str]) -> FloatArray:
        seeds = [int(text.rsplit(" ", 1)[1]) for text in texts]
        rows = [np.random.default_rng(10**9 + seed).normal(size=DIM) for seed in seeds]
        return _unit(np.array(rows, np.float32).reshape(-1, DIM))

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """A name: nearly its node's vector; a question: the sum of its names'."""
        del role
        rows = np.zeros((len(texts), DIM), np.float32)
        for at, text in enumerate(texts):
            for name in _NODE.findall(text):
                rows[at] += self._asked(int(name.rsplit(" ", 1)[1]))
        return _unit(rows)

    def encode_images(self, images: Sequence[Any], hints: Sequence[str] = ()) -> FloatArray:
        raise NotImplementedError

    @lru_cache(maxsize=1000)  # noqa: B019 (one encoder a process)
    def _asked(self, number: int) -> FloatArray:
        start = number // BLOCK * BLOCK
        node = self.of_nodes(start, min(start + BLOCK, self.size))[number - start]
        off = np.random.default_rng(number).normal(size=DIM) * 0.3 / DIM**0.5
        return (node + off).astype(np.float32)


def fill(workspace: Workspace, size: int) -> None:
    """A collection of `size` nodes, as if its documents had been ingested."""
    collection = workspace.documents.create_collection(COLLECTION).id
    vectors, names = Vectors(size), node_names(size)
    source, target = edge_ends(size)
    count = max(size // IN_DOCUMENT, 1)
    random = np.random.default_rng(3)
    relation = relation_numbers(len(source), random)
    document = np.minimum(np.maximum(source, target) // IN_DOCUMENT, count - 1)
    workspace.read.execute(f"PRAGMA cache_size = -{CACHE}")  # all of it is one transaction
    with workspace.write() as db:
        for at in range(count):
            _put_document(workspace, collection, f"d{at}")
        nodes = ((f"n{at:07}", collection, name, name, "TERM", "[]") for at, name in names)
        db.executemany(
            "INSERT INTO nodes (id, collection, name, label, kind, aliases)"
            " VALUES (?, ?, ?, ?, ?, ?)", nodes)  # fmt: skip
        for index in ("words", "trigrams"):
            db.execute(f"INSERT INTO node_{index} (rowid, text) SELECT number, label FROM nodes")
        db.executemany(
            "INSERT INTO mentions VALUES (?, ?, '', ?)",
            ((f"n{at:07}", f"b{at}", f"d{min(at // IN_DOCUMENT, count - 1)}")
             for at in range(size)))  # fmt: skip
        order = np.argsort(document, kind="stable").tolist()
        db.executemany(
            "INSERT INTO edges (id, document, source, target, relation, block, sentence)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((f"e{at:07}", f"d{document[at]}", f"n{source[at]:07}", f"n{target[at]:07}",
              f"relation {relation[at]}", f"b-d{document[at]}", "") for at in order))  # fmt: skip
        _put_images(db, size, count, random)
        _put_vectors(workspace, vectors, size, np.unique(relation).tolist())
        db.execute("UPDATE documents SET version = 1")


def add_document(workspace: Workspace, collection: str, size: int, count: int) -> None:
    """A further document with new nodes, half of its edges leading to known ones; its vectors are
    stored with it, as ingestion has them stored by then."""
    nodes = [Node(f"new{at}", f"new {at}", f"new entity {at}", "TERM") for at in range(count)]
    ends = [f"n{at * 37 % size:07}" if at % 2 else nodes[at - 1].id for at in range(count)]
    edges = [
        Edge(f"newe{at}", node.id, end, f"relation {at}", "b-new", "")
        for at, (node, end) in enumerate(zip(nodes, ends, strict=True))
    ]
    known = [Mention(end, "b-new", "") for end in ends[1::2]]
    with workspace.write():
        _put_document(workspace, collection, "new")
        workspace.graph.put_nodes(collection, nodes)
        workspace.graph.put_document_graph(
            "new",
            mentions=[*(Mention(node.id, "b-new", "") for node in nodes), *known],
            edges=edges,
            links=(),
        )
        rows = _unit(np.random.default_rng(4).standard_normal((count, DIM), "f4"))
        workspace.graph.put_vectors("synthetic", "node", [node.id for node in nodes], rows)
        relations = [edge.relation for edge in edges]
        workspace.graph.put_vectors("synthetic", "relation", relations, rows)
        workspace.documents.touch(collection, built="new")


def ask_questions(vectors: Vectors, count: int) -> list[str]:
    """Each names two nodes; their vectors are made here, not when they are asked."""
    random = np.random.default_rng(6)
    asked = dict(node_names(vectors.size, random.integers(0, vectors.size, 2 * count).tolist()))
    texts = [*asked.values()]
    questions = [f"what has {a} to do with {b}" for a, b in pairwise(texts)]
    vectors.encode_texts(questions)
    return questions[:count]


def node_names(size: int, chosen: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
    """Two invented words and the number. Of the real collection's names the commonest words stand
    in one of a hundred, and 29,000 words in all are 9,700 different ones: so here."""
    known = 57 * (2 * size) ** 0.5
    for at in range(size) if chosen is None else chosen:
        share = [(at * step % 99_991) / 99_991 for step in (30_011, 57_037)]
        first, second = (int(20 * ((known / 20 + 1) ** each - 1)) for each in share)
        yield at, f"{_word(first)} {_word(second)} {at}"


def edge_ends(size: int) -> tuple[Any, Any]:
    """Two edges a node: trees that make the components, and as many edges again within them; in
    the giant one the further edges prefer a few hubs."""
    random = np.random.default_rng(7)
    giant = int(GIANT * size)
    first = np.arange(size)
    starts = giant + np.cumsum(random.integers(1, SMALL + 1, size))
    root = np.concatenate([[0], starts[starts < size]]) if giant else starts
    begin = root[np.searchsorted(root, first, side="right") - 1]
    begin[first >= giant] = np.maximum(begin[first >= giant], giant)
    tree = first[first > begin]
    up = begin[tree] + (random.random(len(tree)) * (tree - begin[tree])).astype(int)
    more = random.choice(tree, 2 * size - len(tree))
    reach = more - begin[more]
    skew = np.where(more < giant, 3.0, 1.0)
    other = begin[more] + (random.random(len(more)) ** skew * reach).astype(int)
    return np.concatenate([tree, more]), np.concatenate([up, other])


def relation_numbers(count: int, random: np.random.Generator) -> Any:
    """A text for each edge, out of about 23 √count, some of them very common."""
    kinds = int(23 * count**0.5)
    weights = 1 / np.arange(1, kinds + 1)
    return random.choice(kinds, count, p=weights / weights.sum())


def _word(number: int) -> str:
    signs = []
    for _ in range(3):
        number, sign = divmod(number, len(_SIGNS) * 5)
        signs.append(_SIGNS[sign // 5] + "aeiou"[sign % 5])
    return "".join(signs)


def _put_document(workspace: Workspace, collection: str, id: str) -> None:
    head = DocumentHead(f"{id}.pdf", f"{id}.pdf", "pdf", 1)
    workspace.documents.put_document(id, collection, "", head)
    workspace.documents.set_status(id, "whole", "", ready=True)
    with workspace.write() as db:
        text = encode(TextBlock("A text.", "paragraph"))
        db.execute("INSERT INTO blocks VALUES (?, ?, 1, 0, 'text', ?)", (f"b-{id}", id, text))


def _put_images(db: Any, size: int, documents: int, random: np.random.Generator) -> None:
    images = [(f"i{at:06}", f"d{at * 2 % documents}") for at in range(size // 50)]
    db.executemany(
        "INSERT INTO images (id, document, file, caption, section, section_title, furniture, block)"
        " VALUES (?, ?, ?, 'A picture', '', '', 0, '')",
        [(id, document, id) for id, document in images])  # fmt: skip
    kinds = ("CA", "CA", "SI", *("LP", "LS") * LINKS)[:LINKS]
    db.executemany(
        "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, '', ?)",
        (
            (image, f"n{int(node):07}", kind, 0.5, document)
            for image, document in images
            for kind, node in zip(
                kinds,
                (int(document[1:]) * IN_DOCUMENT + random.integers(0, IN_DOCUMENT, LINKS)).tolist(),
                strict=True,
            )
        ),
    )


def _put_vectors(
    workspace: Workspace, vectors: Vectors, size: int, relations: Sequence[int]
) -> None:
    for start in range(0, size, AT_ONCE):
        stop = min(start + AT_ONCE, size)
        keys = [f"n{at:07}" for at in range(start, stop)]
        workspace.graph.put_vectors("synthetic", "node", keys, vectors.of_nodes(start, stop))
    pictures = [f"i{at:06}" for at in range(size // 50)]
    rows = _unit(np.random.default_rng(5).standard_normal((len(pictures), DIM), "f4"))
    for kind in ("caption", "image"):
        workspace.graph.put_vectors("synthetic", kind, pictures, rows)
    texts = sorted(f"relation {number}" for number in relations)
    workspace.graph.put_vectors("synthetic", "relation", texts, vectors.of_relations(texts))


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return unit
