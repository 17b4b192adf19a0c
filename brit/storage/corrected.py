"""The graph of a collection row by row, as people corrected it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from brit.storage.workspace import Workspace
from brit.types import Edge, Link, Node, Patch


class CorrectedGraph:
    """What `GraphStore` has of a collection, with its corrections."""

    def __init__(self, workspace: Workspace, collection: str) -> None:
        self._store, self._collection = workspace.graph, collection
        self._patch = workspace.corrections.patch(collection)

    def nodes(self) -> list[Node]:
        patch, found = self._patch, self._store.nodes(self._collection)
        known = {node.id for node in found}
        return [
            *(patch.nodes.get(node.id, node) for node in found if node.id not in patch.merged),
            *(node for id, node in patch.nodes.items() if id not in known),
        ]

    def edges(self) -> list[tuple[Edge, str]]:
        """Every edge with its document; none from a node to itself that was not so before."""
        found = []
        for edge, document in self._store.edges(self._collection):
            ends = self._patch.ends.get(edge.id, (edge.source, edge.target))
            source, target = map(self._patch.now, ends)
            if source != target or ends[0] == ends[1]:
                found.append((replace(edge, source=source, target=target), document))
        return found

    def links(self) -> list[Link]:
        return correct_links(self._store.links(self._collection), self._patch)

    def mention_pairs(self) -> list[tuple[str, str]]:
        """Distinct (node, document) pairs."""
        patch = self._patch
        read = [
            pair
            for pair in self._store.mention_pairs(self._collection)
            if pair not in patch.unmentioned
        ]
        pairs = ((patch.now(node), document) for node, document in (*read, *patch.mentions))
        return list(dict.fromkeys(pairs))


def names_like(workspace: Workspace, collection: str, text: str, most: int) -> list[Node]:
    """The nodes as corrected in whose label the text stands, the shortest first."""
    patch = workspace.corrections.patch(collection)
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
    rows = workspace.read.execute(
        "SELECT id FROM nodes WHERE collection = ? AND label LIKE ? ESCAPE '\\'"
        " ORDER BY length(label), label LIMIT ?",
        (collection, pattern, most),
    )
    split = [
        id for id in patch.split.values()
        if id in patch.nodes and text.casefold() in patch.nodes[id].label.casefold()
    ]  # fmt: skip
    ids = list(dict.fromkeys(patch.now(id) for id in (*(row["id"] for row in rows), *split)))
    known = {node.id: node for node in workspace.graph.nodes_by_id(ids)} | dict(patch.nodes)
    return [known[id] for id in ids][:most]


def correct_links(links: Iterable[Link], patch: Patch) -> list[Link]:
    """The links with their corrections; what a person confirmed has a score of 1."""
    found: dict[tuple[str, str, str], Link] = {}
    read = (link for link in links if not is_unlinked(link, patch))
    for link in (*read, *patch.links):
        node = patch.now(link.node)
        said = patch.reviews.get((link.image, node))
        if said == "rejected" or link.image in patch.furniture:
            continue
        score = 1.0 if said else link.score
        link = replace(link, node=node, score=score, reviewed=said)
        known = found.get((link.image, node, link.kind))
        if known is None or (not said and known.score < score):
            found[link.image, node, link.kind] = link
    return list(found.values())


def is_unlinked(link: Link, patch: Patch) -> bool:
    """Whether a link as read is replaced by what the patch has for it."""
    by_node = (link.image, link.node, link.kind) in patch.unlinked
    return by_node or (link.image, "", link.kind) in patch.unlinked


def correct_hits(
    hits: Iterable[tuple[str, float]], query: str, patch: Patch
) -> list[tuple[str, float]]:
    """Nodes found by words (id, score): merged ones as one, and those split off whose words are
    in the query, which the search by words does not know."""
    found: dict[str, float] = {}
    for id, score in hits:
        found[patch.now(id)] = max(score, found.get(patch.now(id), score))
    asked = set(query.casefold().split())
    best = max(found.values(), default=1.0)
    for id in patch.split.values():
        node = patch.nodes.get(id)
        if node is not None and asked.issuperset(node.label.casefold().split()):
            found.setdefault(id, best)
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))
