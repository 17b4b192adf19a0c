"""Nodes, edges, mentions, links and vectors; the lexical search over them."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.errors import UnknownName
from brit.models import LexicalKind
from brit.types import Edge, FloatArray, Link, Mention, Node

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace

BATCH = 500
# Scripts written without spaces between words: Thai, Hiragana, Katakana, Han.
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{3,}")
CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w{4,}")
WORD = re.compile(r"\w+")
MAX_QUERY_WORDS = 64
MOST_SCORED = 4_000
"""Passages or images that the words of a query may score; only those that hold one of its rarer
words are, where there are more. Of the development data's questions none comes near."""


@dataclass(frozen=True)
class GraphRows:
    """Plain rows of some documents: nodes (id, label, kind), edges (id, source, target, relation,
    document), links (image, node, kind, score), images without furniture (id, document), mentions
    (node, document)."""

    nodes: list[tuple[Any, ...]]
    edges: list[tuple[Any, ...]]
    links: list[tuple[Any, ...]]
    images: list[tuple[Any, ...]]
    mentions: list[tuple[Any, ...]]


def _node(row: sqlite3.Row) -> Node:
    return Node(
        row["id"], row["name"], row["label"], row["kind"], tuple(json.loads(row["aliases"]))
    )


def _index_node(db: sqlite3.Connection, number: int, node: Node) -> None:
    text = "\n".join((node.label, *node.aliases))
    for index in ("words", "trigrams"):
        db.execute(f"INSERT INTO node_{index} (rowid, text) VALUES (?, ?)", (number, text))


def _edge(row: sqlite3.Row) -> Edge:
    names = ("id", "source", "target", "relation", "block", "sentence")
    return Edge(**{name: row[name] for name in names})


class GraphStore:
    """The graphs of all collections of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def put_nodes(self, collection: str, nodes: Iterable[Node]) -> None:
        """New nodes, and known ones under a new label, kind or aliases."""
        with self._workspace.write() as db:
            for node in nodes:
                number = db.execute(
                    "INSERT INTO nodes (id, collection, name, label, kind, aliases)"
                    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                    " label = excluded.label, kind = excluded.kind, aliases = excluded.aliases"
                    " RETURNING number",
                    (node.id, collection, node.name, node.label, node.kind,
                     json.dumps(node.aliases)),
                ).fetchone()["number"]  # fmt: skip
                for index in ("words", "trigrams"):
                    db.execute(f"DELETE FROM node_{index} WHERE rowid = ?", (number,))
                _index_node(db, number, node)

    def index_words(self) -> None:
        """Fill the empty tables of the search by words from the nodes."""
        with self._workspace.write() as db:
            for row in db.execute("SELECT * FROM nodes").fetchall():
                _index_node(db, row["number"], _node(row))

    def put_document_graph(
        self,
        document: str,
        *,
        mentions: Iterable[Mention],
        edges: Iterable[Edge],
        links: Iterable[Link],
    ) -> None:
        """What one document adds to the graph; its nodes are there already."""
        with self._workspace.write() as db:
            db.executemany(
                "INSERT OR IGNORE INTO mentions VALUES (?, ?, ?, ?)",
                [(each.node, each.block, each.surface, document) for each in mentions],
            )
            db.executemany(
                "INSERT OR IGNORE INTO edges"
                " (id, document, source, target, relation, block, sentence)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(each.id, document, each.source, each.target, each.relation, each.block,
                  each.sentence) for each in edges],
            )  # fmt: skip
            db.executemany(
                "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?)",
                [(each.image, each.node, each.kind, each.score, each.evidence, document)
                 for each in links],
            )  # fmt: skip

    def nodes(self, collection: str) -> list[Node]:
        rows = self._workspace.read.execute(
            "SELECT * FROM nodes WHERE collection = ? ORDER BY number", (collection,)
        )
        return [_node(row) for row in rows]

    def nodes_by_id(self, ids: Sequence[str]) -> list[Node]:
        """The nodes that exist, in no order."""
        found: list[Node] = []
        for start in range(0, len(ids), BATCH):
            part = list(ids[start : start + BATCH])
            marks = ",".join("?" * len(part))
            rows = self._workspace.read.execute(f"SELECT * FROM nodes WHERE id IN ({marks})", part)
            found.extend(_node(row) for row in rows)
        return found

    def edges(self, collection: str) -> list[tuple[Edge, str]]:
        """Every edge with its document."""
        rows = self._workspace.read.execute(
            "SELECT e.* FROM edges e JOIN documents d ON e.document = d.id"
            " WHERE d.collection = ? ORDER BY e.number", (collection,))  # fmt: skip
        return [(_edge(row), row["document"]) for row in rows]

    def edge(self, id: str) -> Edge:
        """Raises UnknownName when it went with its document."""
        row = self._workspace.read.execute("SELECT * FROM edges WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise UnknownName("That triplet is no longer there. Ask again.")
        return _edge(row)

    def links(self, collection: str) -> list[Link]:
        rows = self._workspace.read.execute(
            "SELECT l.* FROM links l JOIN documents d ON l.document = d.id"
            " WHERE d.collection = ? ORDER BY l.image, l.kind, l.node", (collection,))  # fmt: skip
        names = ("image", "node", "kind", "score", "evidence")
        return [Link(**{name: row[name] for name in names}) for row in rows]

    def mention_pairs(self, collection: str) -> list[tuple[str, str]]:
        """Distinct (node, document) pairs."""
        rows = self._workspace.read.execute(
            "SELECT DISTINCT m.node, m.document FROM mentions m JOIN documents d"
            " ON m.document = d.id WHERE d.collection = ?", (collection,))  # fmt: skip
        return [(row["node"], row["document"]) for row in rows]

    def rows(self, documents: Sequence[str]) -> GraphRows:
        """What some documents hold of the graph, each kind in the order it was put."""

        def read(query: str) -> list[tuple[Any, ...]]:
            within = "(SELECT value FROM json_each(?))"
            rows = self._workspace.read.execute(
                query.format(within=within), [json.dumps(list(documents))]
            )
            return [tuple(row) for row in rows]

        return GraphRows(
            nodes=read(
                "SELECT id, label, kind FROM nodes WHERE id IN"
                " (SELECT node FROM mentions WHERE document IN {within}) ORDER BY number"
            ),
            edges=read(
                "SELECT id, source, target, relation, document FROM edges"
                " WHERE document IN {within} ORDER BY number"
            ),
            links=read(
                "SELECT l.image, l.node, l.kind, l.score FROM links l JOIN documents d"
                " ON l.document = d.id WHERE l.document IN {within}"
                " ORDER BY d.version, l.image, l.kind, l.node"
            ),
            images=read(
                "SELECT id, document FROM images WHERE document IN {within}"
                " AND NOT coalesce(read_furniture, furniture) ORDER BY number"
            ),
            mentions=read(
                "SELECT DISTINCT m.node, m.document FROM mentions m JOIN documents d"
                " ON m.document = d.id WHERE d.id IN {within} ORDER BY d.version, m.node"
            ),
        )

    def mentions(self, document: str) -> list[Mention]:
        rows = self._workspace.read.execute(
            "SELECT node, block, surface FROM mentions WHERE document = ?", (document,)
        )
        return [Mention(**row) for row in rows]

    def drop_orphans(self, collection: str) -> None:
        """Nodes that no document mentions any more, with their texts and vectors."""
        with self._workspace.write() as db:
            orphans = db.execute(
                "SELECT id, number FROM nodes n WHERE collection = ? AND NOT EXISTS"
                " (SELECT 1 FROM mentions m WHERE m.node = n.id)",
                [collection],
            ).fetchall()
            for row in orphans:
                for index in ("words", "trigrams"):
                    db.execute(f"DELETE FROM node_{index} WHERE rowid = ?", (row["number"],))
                db.execute("DELETE FROM nodes WHERE id = ?", (row["id"],))
            # In one pass: a key without its encoder is sought through all vectors.
            db.execute(
                "DELETE FROM vectors WHERE kind = 'node'"
                " AND key IN (SELECT value FROM json_each(?))",
                (json.dumps([row["id"] for row in orphans]),),
            )
            db.execute(
                "DELETE FROM vectors WHERE kind = 'relation' AND key NOT IN"
                " (SELECT relation FROM edges)"
            )
            self._workspace.corrections.forget_unnamed(collection)

    def drop_unowned_vectors(self) -> None:
        """Vectors that were made for a document which went before it was built."""
        owners = {"passage": "SELECT id FROM passages", "caption": "SELECT id FROM images",
                  "image": "SELECT file FROM images", "node": "SELECT id FROM nodes",
                  "relation": "SELECT relation FROM edges"}  # fmt: skip
        with self._workspace.write() as db:
            for kind, owned in owners.items():
                db.execute(f"DELETE FROM vectors WHERE kind = ? AND key NOT IN ({owned})", (kind,))

    def count_components(self, collection: str) -> int:
        """The disjoint graphs of a collection (§3.1), counted and kept with it."""
        db = self._workspace.read
        ids = db.execute("SELECT id FROM nodes WHERE collection = ?", [collection])
        position = {row["id"]: at for at, row in enumerate(ids)}
        pairs = db.execute(
            "SELECT DISTINCT e.source, e.target FROM edges e JOIN documents d ON e.document = d.id"
            " WHERE d.collection = ?",
            [collection],
        ).fetchall()
        source = [position[row["source"]] for row in pairs]
        target = [position[row["target"]] for row in pairs]
        matrix = coo_array(([1] * len(pairs), (source, target)), shape=(len(position),) * 2)
        count = int(connected_components(matrix, directed=False)[0]) if position else 0
        with self._workspace.write() as db:
            db.execute("UPDATE collections SET components = ? WHERE id = ?", (count, collection))
        return count

    # --- vectors ---

    def put_vectors(
        self, encoder: str, kind: str, keys: Sequence[str], vectors: FloatArray
    ) -> None:
        with self._workspace.write() as db:
            db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                [(encoder, kind, key, row.astype("<f4").tobytes())
                 for key, row in zip(keys, vectors, strict=True)],
            )  # fmt: skip

    def vectors(
        self, encoder: str, kind: str, keys: Sequence[str], dim: int
    ) -> tuple[list[str], FloatArray]:
        """The keys that have a vector, in the order given, and their vectors (n, dim)."""
        wanted = set(keys)
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), BATCH):
            part = list(keys[start : start + BATCH])
            marks = ",".join("?" * len(part))
            rows = self._workspace.read.execute(
                f"SELECT key, vector FROM vectors WHERE encoder = ? AND kind = ?"
                f" AND key IN ({marks})", (encoder, kind, *part))  # fmt: skip
            found.update((row["key"], row["vector"]) for row in rows)
        order = [key for key in dict.fromkeys(keys) if key in found and key in wanted]
        joined = b"".join(found[key] for key in order)
        return order, np.frombuffer(joined, dtype="<f4").reshape(len(order), dim).astype(np.float32)

    def missing_vectors(self, encoder: str, kind: str, keys: Sequence[str]) -> list[str]:
        """The keys without a vector of that encoder, each once, in the order given."""
        known: set[str] = set()
        for start in range(0, len(keys), BATCH):
            part = list(keys[start : start + BATCH])
            marks = ",".join("?" * len(part))
            rows = self._workspace.read.execute(
                f"SELECT key FROM vectors WHERE encoder = ? AND kind = ? AND key IN ({marks})",
                (encoder, kind, *part),
            )
            known.update(row["key"] for row in rows)
        return [key for key in dict.fromkeys(keys) if key not in known]

    def drop_vectors(self, kind: str, keys: Iterable[str]) -> None:
        """Of every encoder: what the keys stand for has changed."""
        with self._workspace.write() as db:
            db.executemany(
                "DELETE FROM vectors WHERE kind = ? AND key = ?", [(kind, key) for key in keys]
            )

    # --- lexical search ---

    def lexical(
        self,
        collection: str,
        kind: LexicalKind,
        query: str,
        k: int,
        documents: Sequence[str] | None = None,
    ) -> list[tuple[str, float]]:
        """At most k (id, BM25 score), best first: words, then what trigrams find beside them."""
        words = list(dict.fromkeys(WORD.findall(query)))[:MAX_QUERY_WORDS]
        runs = [run for match in UNSPACED.findall(query) for run in _trigrams(match)]
        codes = CODE.findall(query)
        found = dict(self._match(collection, kind, "words", words, k, documents))
        for id, score in self._match(collection, kind, "trigrams", runs + codes, k, documents):
            found[id] = max(found.get(id, 0.0), score)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:k]

    def _match(
        self,
        collection: str,
        kind: LexicalKind,
        index: str,
        terms: Sequence[str],
        k: int,
        documents: Sequence[str] | None,
    ) -> list[tuple[str, float]]:
        """BM25 scores. Those of what holds a rare word are the same whether or not common words
        are left out: what holds both is scored by both."""
        if not terms:
            return []
        rare, common = _quoted(terms), list[str]()
        if kind != "node":  # whose names are short, and may be one common word
            rare, common = self._by_rarity(f"{kind}_{index}", rare)
        where, values = _scope(collection, kind, documents)

        def scored(match: str) -> list[tuple[str, float]]:
            return self._scored(kind, index, match, where, values, k)

        found = dict(scored(" OR ".join(rare)))
        if common:
            found |= scored(f"({' OR '.join(rare)}) AND ({' OR '.join(common)})")
        return list(found.items())

    def _by_rarity(self, table: str, terms: Sequence[str]) -> tuple[list[str], list[str]]:
        """The rarest terms, as long as together they are in no more than `MOST_SCORED` rows but at
        least one, and the others."""
        counts = {
            term: self._workspace.read.execute(
                f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (term,)
            ).fetchone()[0]
            for term in terms
        }
        held = [term for term in sorted(terms, key=counts.__getitem__) if counts[term]]
        sums = itertools.accumulate(counts[term] for term in held)
        cut = max(sum(total <= MOST_SCORED for total in sums), 1)
        return held[:cut] or list(terms[:1]), held[cut:]

    def _scored(
        self, kind: str, index: str, match: str, where: str, values: Sequence[str], k: int
    ) -> list[tuple[str, float]]:
        rows = self._workspace.read.execute(
            f"SELECT t.id, -bm25({kind}_{index}) AS score FROM {kind}_{index}"
            f" JOIN {kind}s t ON t.number = {kind}_{index}.rowid"
            f" WHERE {kind}_{index} MATCH ? AND {where} ORDER BY score DESC, t.id LIMIT ?",
            (match, *values, k),
        )
        return [(row["id"], row["score"]) for row in rows]


def _quoted(terms: Sequence[str]) -> list[str]:
    """As FTS5 strings, each once."""
    chosen = dict.fromkeys(terms[:MAX_QUERY_WORDS])
    return ['"' + term.replace('"', '""') + '"' for term in chosen]


def _trigrams(run: str) -> list[str]:
    return [run[start : start + 3] for start in range(len(run) - 2)][:MAX_QUERY_WORDS]


def _scope(
    collection: str, kind: LexicalKind, documents: Sequence[str] | None
) -> tuple[str, tuple[str, ...]]:
    """The WHERE that keeps a search inside a collection, or some of its documents."""
    if documents is None:
        if kind == "node":
            return "t.collection = ?", (collection,)
        return "t.document IN (SELECT id FROM documents WHERE collection = ?)", (collection,)
    marks = ",".join("?" * len(documents))
    if kind == "node":
        scope = f"t.id IN (SELECT node FROM mentions WHERE document IN ({marks}))"
    else:
        scope = f"t.document IN ({marks})"
    return scope + (" AND NOT t.furniture" if kind == "image" else ""), tuple(documents)
