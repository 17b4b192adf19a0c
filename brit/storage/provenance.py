"""Where nodes, edges and links of a graph were read: what a person looks up to believe them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from brit.storage.workspace import Workspace
from brit.types import Edge, LinkKind, Patch


@dataclass(frozen=True)
class MentionPlace:
    """A block in which a node is named, the ways it is written there, and the document's id."""

    block: str
    document: str
    surfaces: tuple[str, ...]


def mention_places(workspace: Workspace, node: str, patch: Patch) -> list[MentionPlace]:
    """All mentions of a node as corrected, document by document, in reading order."""
    parts = patch.parts(node)
    read = [*parts, *(one for (one, _), other in patch.split.items() if other in parts)]
    rows = workspace.read.execute(
        "SELECT m.block, m.document, m.node, m.surface"
        " FROM mentions m JOIN blocks b ON b.id = m.block JOIN documents d ON d.id = m.document"
        " WHERE m.node IN (SELECT value FROM json_each(?))"
        " ORDER BY d.name, d.id, b.page, b.ordinal",
        (json.dumps(read),),
    )
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        owner = patch.split.get((row["node"], row["surface"]), row["node"])
        if owner in parts:
            found.setdefault((row["block"], row["document"]), []).append(row["surface"])
    return [MentionPlace(*place, tuple(surfaces)) for place, surfaces in found.items()]


def edges_by_id(workspace: Workspace, ids: Sequence[str]) -> dict[str, tuple[Edge, str]]:
    """Each edge that is still there with its document."""
    names = ("id", "source", "target", "relation", "block", "sentence")
    rows = workspace.read.execute(
        "SELECT * FROM edges WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
    )
    return {
        row["id"]: (Edge(**{name: row[name] for name in names}), row["document"]) for row in rows
    }


def link_evidence(workspace: Workspace, image: str, node: str, kind: LinkKind, patch: Patch) -> str:
    """Why an image and a node are linked, in words; "" where they are no longer."""
    parts = patch.parts(node)
    row = workspace.read.execute(
        "SELECT evidence FROM links WHERE image = ? AND kind = ?"
        " AND node IN (SELECT value FROM json_each(?)) ORDER BY score DESC",
        (image, kind, json.dumps(parts)),
    ).fetchone()
    added = (
        link.evidence
        for link in patch.links
        if (link.image, link.kind) == (image, kind) and patch.now(link.node) == node
    )
    evidence = str(row["evidence"]) if row else next(added, "")
    confirmed = patch.reviews.get((image, node)) == "confirmed" and row
    return f"{evidence}; a person confirmed it" if confirmed else evidence


def node_names(workspace: Workspace, collection: str, patch: Patch) -> dict[str, tuple[str, ...]]:
    """Each node as corrected with its label and other names."""
    rows = workspace.read.execute(
        "SELECT id, label, aliases FROM nodes WHERE collection = ?", (collection,)
    )
    names = {row["id"]: (row["label"], *json.loads(row["aliases"])) for row in rows}
    return names | {id: (node.label, *node.aliases) for id, node in patch.nodes.items()}
