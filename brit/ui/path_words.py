"""The legs of a way in words a manager understands, each with its kind and its score.

Plain text: whoever shows it writes text nodes, or escapes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brit.types import Retrieval
from brit.ui.lit import Lit, evidence_key
from brit.ui.pictures import picture_name
from brit.ui.safe import one_line
from brit.ui.ways import QUESTION, Leg, passage_mark
from brit.ui.wording import decimal, dotted, page_of, t

_ICONS = {
    "question": "star", "entity": "label", "triplet": "arrow_right_alt", "link": "add_link",
    "back": "undo", "similar": "target", "stated": "notes",
}  # fmt: skip
_NAME, _LONG = 60, 220


@dataclass(frozen=True)
class PathStep:
    """`mark` is where it arrives, `pair` the line it goes along (none for the question), `evidence`
    the key of the place in a document it rests on, or ""; `icon` names a Material symbol."""

    icon: str
    text: str
    note: str
    mark: str
    pair: frozenset[str]
    evidence: str = ""


def steps_of(retrieval: Retrieval, lit: Lit) -> tuple[PathStep, ...]:
    """The question, then every leg once, way by way."""
    names = _Names(retrieval)
    asked = one_line(retrieval.searched, _LONG)
    note = t("path.searched") if retrieval.trace.follow_up else t("path.question")
    steps = [PathStep(_ICONS["question"], f"“{asked}”", note, QUESTION, frozenset())]
    for leg in dict.fromkeys(leg for way in lit.ways for leg in way):
        text, note = names.tell(leg)
        pair = frozenset((leg.source, leg.target))
        key = evidence_key(f"e:{leg.edge}" if leg.edge else leg.target)
        steps.append(PathStep(_ICONS[leg.kind], text, note, leg.target, pair, key))
    return tuple(steps)


class _Names:
    """What marks are called, and the legs between them."""

    def __init__(self, retrieval: Retrieval) -> None:
        trace = retrieval.trace
        self._nodes = {match.node: match.label for match in trace.matches}
        self._nodes |= {node.id: node.label for node in trace.nodes}
        self._lexical = {(m.node, m.entity) for m in trace.matches if m.method == "lexical"}
        self._images = {
            each.id: (picture_name(each.caption, each.name, each.page, each.document),
                      dotted(one_line(each.document, _NAME), page_of(each.page)))
            for each in retrieval.images
        }  # fmt: skip
        self._places = {
            passage_mark(each, i): dotted(one_line(each.document, _NAME), page_of(each.page))
            for i, each in enumerate(retrieval.passages)
        }
        self._ranks = {f"p:{each.passage}": each.ranks for each in trace.passages}

    def tell(self, leg: Leg) -> tuple[str, str]:
        """What the leg says, and its kind with its score."""
        tellers: dict[str, Callable[[Leg], tuple[str, str]]] = {
            "entity": self._entity, "triplet": self._triplet, "link": self._link,
            "back": self._back, "similar": self._similar, "stated": self._stated,
        }  # fmt: skip
        return tellers[leg.kind](leg)

    def name(self, mark: str) -> str:
        kind, _, id = mark.partition(":")
        if kind == "n":
            return one_line(self._nodes.get(id, id), _NAME)
        if kind == "i":
            name, _ = self._images.get(id, ("", ""))
            return one_line(name, 90) or t("picture.unnamed")
        return self._places.get(mark, "") or t("graph.passage")

    def _entity(self, leg: Leg) -> tuple[str, str]:
        lexical = (leg.target[2:], leg.label) in self._lexical
        told = "lexical" if lexical else "dense"
        entity = one_line(leg.label, _NAME)
        text = t(f"path.entity_{told}", entity=entity, name=self.name(leg.target))
        return text, dotted(t(f"path.kind_{told}"), _score("path.nearness", leg))

    def _triplet(self, leg: Leg) -> tuple[str, str]:
        ends = (leg.source, leg.target) if leg.forward else (leg.target, leg.source)
        subject, object = (self.name(end) for end in ends)
        text = t("path.triplet", subject=subject, relation=one_line(leg.label, 40), object=object)
        return text, dotted(t("path.kind_triplet"), _score("path.nearness", leg))

    def _link(self, leg: Leg) -> tuple[str, str]:
        name, picture = self.name(leg.source), self.name(leg.target).rstrip(".")
        text = t(f"path.link_{leg.link or 'SI'}", name=name, picture=picture)
        _, where = self._images.get(leg.target[2:], ("", ""))
        return text, dotted(t("path.kind_link"), _score("path.picture", leg), where)

    def _back(self, leg: Leg) -> tuple[str, str]:
        picture, name = self.name(leg.source).rstrip("."), self.name(leg.target)
        kind = t(f"link.{leg.link}") if leg.link else ""
        text = t("path.back", picture=picture, name=name)
        return text, dotted(t("path.kind_back"), kind, _score("path.strength", leg))

    def _similar(self, leg: Leg) -> tuple[str, str]:
        what = {"n": "name", "i": "picture"}.get(leg.target[0], "passage")
        text = t(f"path.similar_{what}", name=self.name(leg.target))
        ranks = self._ranks.get(leg.target, {})
        told = [t(f"path.rank_{channel}", n=n) for channel, n in ranks.items()
                if channel in _CHANNELS]  # fmt: skip
        return text, dotted(t("path.kind_similar"), *told, _score("path.nearness", leg))

    def _stated(self, leg: Leg) -> tuple[str, str]:
        text = t("path.stated", place=self.name(leg.target))
        return text, t("path.kind_stated")


_CHANNELS = ("dense", "lexical")


def _score(key: str, leg: Leg) -> str:
    return t(key, score=decimal(leg.score)) if leg.score is not None else ""
