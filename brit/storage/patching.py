"""A list of corrections → what they change in the graph of their collection.

Only rows of the nodes and images that corrections name are read, so that the cost is theirs and not
the collection's.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from brit.types import Correction, Link, LinkKind, Node, Patch, Review

BY_A_PERSON = "a person said that it belongs here"


def read_patch(db: sqlite3.Connection, corrections: Iterable[Correction]) -> Patch:
    """The patch of all corrections of a collection, in any order, those undone among them."""
    ordered = sorted(corrections, key=lambda each: each.number)
    active = [each for each in ordered if not each.undone]
    if not ordered:
        return Patch()
    build = _Build(db)
    build.split([each for each in active if each.kind == "split"])
    build.merge([each for each in active if each.kind == "merge"])
    build.relink({each.image for each in ordered if each.kind == "caption"})
    build.review([each for each in active if each.kind in ("confirm", "reject", "move")])
    return Patch(
        split=build.owner,
        ends=build.ends,
        mentions=frozenset(build.mentions),
        unmentioned=frozenset(build.unmentioned),
        merged=build.merged,
        nodes=build.nodes,
        joined=build.joined,
        links=tuple(build.links),
        unlinked=frozenset(build.unlinked),
        reviews=build.reviews,
        furniture=frozenset(each.image for each in active if each.kind == "furniture"),
    )


@dataclass
class _Build:
    """A patch as it grows; the fields are those of `Patch`."""

    db: sqlite3.Connection
    owner: dict[tuple[str, str], str] = field(default_factory=dict)
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    mentions: set[tuple[str, str]] = field(default_factory=set)
    unmentioned: set[tuple[str, str]] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    unlinked: set[tuple[str, str, str]] = field(default_factory=set)
    reviews: dict[tuple[str, str], Review] = field(default_factory=dict)

    # --- a written form leaves its node ---

    def split(self, corrections: Sequence[Correction]) -> None:
        leaving: dict[str, dict[str, str]] = defaultdict(dict)
        for each in corrections:
            leaving[each.node][each.value] = each.other
        known = self._known(leaving)
        for id, forms in leaving.items():
            if id in known:
                self._split(known[id], forms)

    def _split(self, node: Node, forms: Mapping[str, str]) -> None:
        rows = self.db.execute(
            "SELECT m.block, m.surface, m.document, b.page,"
            " json_extract(b.data, '$.section') AS section"
            " FROM mentions m LEFT JOIN blocks b ON b.id = m.block WHERE m.node = ?",
            (node.id,),
        ).fetchall()
        places: dict[str, list[sqlite3.Row]] = defaultdict(list)
        for row in rows:
            places[forms.get(row["surface"], node.id)].append(row)
        if not places[node.id] or len(places) < 2:
            return  # nothing would leave, or nothing would stay
        aliases = tuple(alias for alias in node.aliases if alias not in forms)
        self.nodes[node.id] = replace(node, aliases=aliases)
        for form, id in forms.items():
            self.nodes[id] = Node(id, form, form, node.kind)
            self.owner[node.id, form] = id
        held = {id: {row["document"] for row in found} for id, found in places.items()}
        for id, documents in held.items():
            if id != node.id:
                self.mentions |= {(id, document) for document in documents}
                self.unmentioned |= {(node.id, each) for each in documents - held[node.id]}
        self._split_edges(node.id, places)
        self._split_links(node, forms, places)

    def _split_edges(self, node: str, places: Mapping[str, Sequence[sqlite3.Row]]) -> None:
        """An edge goes along where its block writes one leaving form and nothing else."""
        owners: dict[str, set[str]] = defaultdict(set)
        for id, rows in places.items():
            for row in rows:
                owners[row["block"]].add(id)
        edges = self.db.execute(
            "SELECT id, source, target, block FROM edges WHERE source = ?1 OR target = ?1", (node,)
        )
        for row in edges:
            found = owners[row["block"]]
            if len(found) == 1 and node not in found:
                (new,) = found
                source, target = self.ends.get(row["id"], (row["source"], row["target"]))
                self.ends[row["id"]] = (
                    new if source == node else source,
                    new if target == node else target,
                )

    def _split_links(
        self, node: Node, forms: Mapping[str, str], places: Mapping[str, Sequence[sqlite3.Row]]
    ) -> None:
        rows = self.db.execute(
            "SELECT l.*, i.page, i.section, i.caption FROM links l JOIN images i ON i.id = l.image"
            " WHERE l.node = ?",
            (node.id,),
        )
        kept = [node.label, *(alias for alias in node.aliases if alias not in forms)]
        for row in rows:
            owners = _owners(row, node.id, forms, kept, places)
            if owners and owners != {node.id}:
                self.unlinked.add((row["image"], node.id, row["kind"]))
                self.links += [replace(_link(row), node=id) for id in sorted(owners)]

    # --- two names are one node ---

    def merge(self, corrections: Sequence[Correction]) -> None:
        ends = {id for each in corrections for id in (each.node, each.other)}
        known = self._known(ends) | self.nodes
        for each in corrections:
            one, whole = self._now(each.node), self._now(each.other)
            if one != whole and one in known and whole in known:
                self.merged[one] = whole
        self.merged = {part: self._now(part) for part in self.merged}
        names: dict[str, list[str]] = defaultdict(list)
        for part, whole in self.merged.items():
            names[whole] += [known[part].label, *known[part].aliases]
        for whole, added in names.items():
            node = known[whole]
            new = [name for name in dict.fromkeys((*node.aliases, *added)) if name != node.label]
            self.nodes[whole] = replace(node, aliases=tuple(new))
            self.joined[whole] = tuple(dict.fromkeys(added))
        for part in self.merged:
            self.nodes.pop(part, None)

    def _now(self, node: str) -> str:
        while node in self.merged:
            node = self.merged[node]
        return node

    # --- links ---

    def relink(self, images: Iterable[str]) -> None:
        """Images whose caption was ever put right: their links by caption as they are kept now, for
        a graph may have been read before or after."""
        rows = self.db.execute(
            "SELECT * FROM links WHERE kind = 'CA' AND image IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(images)),),
        )
        gone = {each for each in self.unlinked if each[2] == "CA" and each[0] in images}
        self.links += [_link(row) for row in rows if (row["image"], row["node"], "CA") not in gone]
        self.unlinked |= {(image, "", "CA") for image in images}

    def review(self, corrections: Sequence[Correction]) -> None:
        """What was said last of an image and a node holds."""
        kinds: dict[tuple[str, str], str] = {}
        for each in corrections:
            pair = (each.image, self._now(each.node))
            if each.kind == "move":
                self.reviews[pair] = "rejected"
                pair = (each.image, self._now(each.other))
            self.reviews[pair] = "rejected" if each.kind == "reject" else "confirmed"
            kinds[pair] = each.value
        confirmed = [pair for pair, said in self.reviews.items() if said == "confirmed"]
        nodes = self._known(node for _, node in confirmed) | self.nodes
        for image, node in confirmed:
            if node in nodes:
                kind: Any = kinds[image, node] or "LP"
                self.links.append(Link(image, node, kind, 1.0, BY_A_PERSON))

    def _known(self, ids: Iterable[str]) -> dict[str, Node]:
        rows = self.db.execute(
            "SELECT * FROM nodes WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {
            row["id"]: Node(row["id"], row["name"], row["label"], row["kind"],
                            tuple(json.loads(row["aliases"])))
            for row in rows
        }  # fmt: skip


def _owners(
    row: sqlite3.Row,
    node: str,
    forms: Mapping[str, str],
    kept: Sequence[str],
    places: Mapping[str, Sequence[sqlite3.Row]],
) -> set[str]:
    """Whose link it is once forms have left: by the caption's words, or by what stands on the
    image's page or in its section; one by likeness stays."""
    kind: LinkKind = row["kind"]
    if kind == "CA":
        caption = row["caption"]
        there = {id for form, id in forms.items() if form in caption}
        for form in forms:
            caption = caption.replace(form, " ")
        return there | ({node} if not there or any(name in caption for name in kept) else set())
    if kind not in ("LP", "LS"):
        return {node}
    column = "page" if kind == "LP" and row["page"] is not None else "section"
    return {
        id
        for id, found in places.items()
        if any(
            each["document"] == row["document"] and each[column] == row[column] for each in found
        )
    }


def _link(row: sqlite3.Row) -> Link:
    names = ("image", "node", "kind", "score", "evidence")
    return Link(**{name: row[name] for name in names})
