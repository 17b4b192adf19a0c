"""What people correct in a collection's graph, and what that changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from brit.types.basics import Review
from brit.types.graph import Link, Node

CorrectionKind = Literal["confirm", "reject", "move", "merge", "split", "caption", "furniture"]
CORRECTION_KINDS: tuple[CorrectionKind, ...] = (
    "confirm", "reject", "move", "merge", "split", "caption", "furniture",
)  # fmt: skip


@dataclass(frozen=True)
class Correction:
    """One entry of the list of corrections, by ids that are made of content and so outlive a new
    reading of a document.

    `confirm` and `reject` name `image` and `node`, `move` also the node the link goes to (`other`);
    `value` is then the kind of the link. `merge`: `node` and `other` are one, called as `other`;
    `split`: what is written as `value` leaves `node` and is node `other`. `caption`: `value` is
    the caption of `image`; `furniture`: `image` is page decoration.
    """

    number: int
    kind: CorrectionKind
    image: str
    node: str
    other: str
    value: str
    created: float
    undone: bool


@dataclass(frozen=True)
class Patch:
    """What the corrections of a collection change in its graph as it was read.

    `split` says which node a written form belongs to, by (node as read, form); `ends` are the ends
    of the edges that this moves, `mentions` and `unmentioned` the pairs (node, document) it adds
    and takes away. Then `merged` leads from a node to the one it is part of. `nodes` are those with
    other names, or new; `joined` the names each got from nodes merged into it. `links` come in the
    place of `unlinked` (image, node or "" for all, kind), before merging; `reviews` and `furniture`
    hold after it.
    """

    split: Mapping[tuple[str, str], str] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    mentions: frozenset[tuple[str, str]] = frozenset()
    unmentioned: frozenset[tuple[str, str]] = frozenset()
    merged: Mapping[str, str] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    unlinked: frozenset[tuple[str, str, str]] = frozenset()
    reviews: Mapping[tuple[str, str], Review] = field(default_factory=dict)
    furniture: frozenset[str] = frozenset()

    def now(self, node: str) -> str:
        """The node that a node as read, or as split off, is part of."""
        return self.merged.get(node, node)

    def parts(self, node: str) -> list[str]:
        """The node itself and those merged into it."""
        return [node, *(part for part, whole in self.merged.items() if whole == node)]
