"""Collections and documents as they are told of: with the counts of what they hold."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from brit.types import Document


@dataclass(frozen=True)
class Collection:
    """A collection with its counts: what is still being read counts when it can be asked about.

    `version` grows with every change of its content.
    """

    id: str
    name: str
    created: float
    version: int
    components: int
    documents: int
    passages: int
    images: int
    nodes: int
    edges: int


@dataclass(frozen=True)
class Stamp:
    """Which collection, and which version of it."""

    id: str
    name: str
    version: int


COUNTS = """
    (SELECT count(*) FROM documents d WHERE d.collection = c.id AND d.ready) AS documents,
    (SELECT count(*) FROM passages p JOIN documents d ON p.document = d.id
        WHERE d.collection = c.id) AS passages,
    (SELECT count(*) FROM images i JOIN documents d ON i.document = d.id
        WHERE d.collection = c.id AND NOT i.furniture) AS images,
    (SELECT count(*) FROM nodes n WHERE n.collection = c.id) AS nodes,
    (SELECT count(*) FROM edges e JOIN documents d ON e.document = d.id
        WHERE d.collection = c.id) AS edges
"""

LEDGER = """
    (SELECT count(*) FROM images i WHERE i.document = d.id AND NOT i.furniture) AS figures,
    (SELECT count(*) FROM images i WHERE i.document = d.id AND NOT i.furniture
        AND i.caption != '') AS captions,
    (SELECT count(*) FROM edges e WHERE e.document = d.id) AS triplets,
    (SELECT count(DISTINCT node) FROM mentions m WHERE m.document = d.id) AS nodes
"""


def collection_of(row: sqlite3.Row) -> Collection:
    """A row of `collections` with its `COUNTS`."""
    return Collection(**row)


def document_of(row: sqlite3.Row) -> Document:
    """A row of `documents` with its `LEDGER`."""
    names = ("id", "collection", "name", "source", "format", "status", "reason", "seconds",
             "figures", "captions", "triplets", "nodes")  # fmt: skip
    return Document(
        **{name: row[name] for name in names},
        pages=row["page_count"],
        paged=bool(row["paged"]),
        ready=bool(row["ready"]),
        warnings=(*json.loads(row["warnings"]), *json.loads(row["notes"])),
    )
