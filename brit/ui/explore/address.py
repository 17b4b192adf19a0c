"""What is looked at on the Graph page, as the address says it, so that a link shows the same.

An address may be old, made up or hostile: what it names is looked up in the graph, and whatever is
not there, or not of its form, is as if it had not been written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from brit.exploring import GraphFilter, Ties
from brit.types import LINK_KINDS, LinkKind

HOPS = (1, 2, 3, 4)
SIZES = (50, 150, 500, 1000, 2500, 5000)
SIZE = 150
WHOLE = 0
"""In the place of a number of hops: the whole component."""
_JOIN, _NONE = "~", "none"
_MOST_VALUES = 400
_SCORE = re.compile(r"0(\.\d{1,2})?|1(\.0{1,2})?")
# Parameters of this page; others belong to the frame around it.
NAMES = ("node", "hops", "to", "pick", "size", "documents", "kinds", "relations", "links", "score")


@dataclass(frozen=True)
class Spot:
    """`node` is the mark in the middle and `to` the end of the way from it, as «n:…» or «i:…»;
    `pick` is the mark, or the two joined ones («n:…~i:…»), that is told of. "" is none."""

    node: str = ""
    to: str = ""
    pick: str = ""
    hops: int = 1
    size: int = SIZE
    wanted: GraphFilter = field(default_factory=GraphFilter)

    def centred(self, mark: str) -> Spot:
        """The same filters around another mark."""
        return replace(self, node=mark, to="", pick="", hops=1)

    @property
    def params(self) -> dict[str, str | list[str]]:
        """The parameters that lead here; what is as usual is left out."""
        usual, wanted = Spot(), self.wanted
        texts = {"node": self.node, "to": self.to, "pick": self.pick}
        numbers = {
            name: str(getattr(self, name))
            for name in ("hops", "size")
            if getattr(self, name) != getattr(usual, name)
        }
        lists = {
            "documents": list(wanted.documents),
            "kinds": list(wanted.kinds),
            "relations": list(wanted.relations),
            "links": [] if wanted.links == LINK_KINDS else [",".join(wanted.links) or _NONE],
        }
        score = {"score": f"{wanted.score:.2f}"} if wanted.score else {}
        return {k: v for k, v in (texts | numbers | lists | score).items() if v}


def pair_id(one: str, other: str) -> str:
    """The id of the line between two marks."""
    return f"{one}{_JOIN}{other}"


def pair_of(ties: Ties, pick: str) -> tuple[int, int] | None:
    """The two marks of a line's id, where they are there and joined."""
    first, _, second = pick.partition(_JOIN)
    one, other = ties.mark_at(first), ties.mark_at(second)
    if one is None or other is None or not ties.between(one, other):
        return None
    return one, other


def read_spot(params: Mapping[str, Sequence[str]], ties: Ties) -> Spot:
    """What the parameters of an address name, as far as it is there."""

    def text(name: str) -> str:
        return next(iter(params.get(name, ())), "")[:200]

    node = _mark(ties, text("node"))
    to = _mark(ties, text("to")) if node else ""
    pick = text("pick")
    if _mark(ties, pick) == "" and pair_of(ties, pick) is None:
        pick = ""
    reach = (WHOLE, *HOPS) if node.startswith("n:") else HOPS  # a component is one of nodes
    return Spot(
        node=node,
        to="" if to == node else to,
        pick=pick,
        hops=_number(text("hops"), reach, 1),
        size=_number(text("size"), SIZES, SIZE),
        wanted=_wanted(params, ties, text("score")),
    )


def _wanted(params: Mapping[str, Sequence[str]], ties: Ties, score: str) -> GraphFilter:
    graph = ties.graph
    return GraphFilter(
        documents=_known(params.get("documents", ()), graph.documents),
        kinds=_known(params.get("kinds", ()), graph.node_kinds),
        relations=_known(params.get("relations", ()), graph.relations),
        links=_links(params.get("links", ())),
        score=float(score) if _SCORE.fullmatch(score) else 0.0,
    )


def _links(values: Sequence[str]) -> tuple[LinkKind, ...]:
    named = set(",".join(values).split(","))
    if named == {_NONE}:
        return ()
    return tuple(kind for kind in LINK_KINDS if kind in named) or LINK_KINDS


def _known(values: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    wanted = dict.fromkeys(values[:_MOST_VALUES])
    there = set(known) if wanted else set()
    return tuple(value for value in wanted if value in there)


def _mark(ties: Ties, id: str) -> str:
    return id if ties.mark_at(id) is not None else ""


def _number(text: str, allowed: Sequence[int], usual: int) -> int:
    return next((number for number in allowed if text == str(number)), usual)
