"""Where nodes, edges and links of a graph were read: what a person looks up to believe them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from brit.storage.workspace import Workspace
from brit.types import Edge, LinkKind


@dataclass(frozen=True)
class MentionPlace:
    """A block in which a node is named, the ways it is written there, and the document's id."""

    block: str
    document: str
    surfaces: tuple[str, ...]


def mention_places(workspace: Workspace, node: str) -> list[MentionPlace]:
    """All mentions of a node, document by document, in reading order."""
    rows = workspace.read.execute(
        "SELECT m.block, m.document, json_group_array(m.surface) AS surfaces"
        " FROM mentions m JOIN blocks b ON b.id = m.block JOIN documents d ON d.id = m.document"
        " WHERE m.node = ? GROUP BY m.block ORDER BY d.name, d.id, b.page, b.ordinal",
        (node,),
    )
    return [
        MentionPlace(row["block"], row["document"], tuple(json.loads(row["surfaces"])))
        for row in rows
    ]


def edges_by_id(workspace: Workspace, ids: Sequence[str]) -> dict[str, tuple[Edge, str]]:
    """Each edge that is still there with its document."""
    names = ("id", "source", "target", "relation", "block", "sentence")
    rows = workspace.read.execute(
        "SELECT * FROM edges WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
    )
    return {
        row["id"]: (Edge(**{name: row[name] for name in names}), row["document"]) for row in rows
    }


def link_evidence(workspace: Workspace, image: str, node: str, kind: LinkKind) -> str:
    """Why an image and a node are linked, in words; "" where they are no longer."""
    row = workspace.read.execute(
        "SELECT evidence FROM links WHERE image = ? AND node = ? AND kind = ?", (image, node, kind)
    ).fetchone()
    return str(row["evidence"]) if row else ""


def node_names(workspace: Workspace, collection: str) -> dict[str, tuple[str, ...]]:
    """Each node with its label and other names."""
    rows = workspace.read.execute(
        "SELECT id, label, aliases FROM nodes WHERE collection = ?", (collection,)
    )
    return {row["id"]: (row["label"], *json.loads(row["aliases"])) for row in rows}
