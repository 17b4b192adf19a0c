"""Triplets → nodes, edges, mentions; the disjoint components (§3.1).

A node is a normalised name. What normalisation leaves apart stays apart: plurals too, since folding
them would join «Williams» with «William»; the vectors bring such names together at retrieval.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from brit.types import Edge, Entity, Extraction, Mention, Node, TextGraph, stable_id

TERM = "TERM"
_DETERMINER = re.compile(r"^(?:(?:the|an|a|this|that|these|those)\s)+(?=\S)")
_SIGN = re.compile(r"(?:(?<=[^\W\d] )|(?<=\())[-−–](?=\d)")
_MINUS = "\ue000"  # stands for it while hyphens are dealt with: no text has it (private use)
_DASH = re.compile(r"\s?[-‐‑‒–—−_]\s?")
_CODE_HYPHEN = re.compile(r"(?<=[a-z])-(?=\d)|(?<=\d)-(?=[a-z])")
_POSSESSIVE = re.compile(r"['’`](?:s\b)?(?=\s|$)")
_QUOTES = re.compile(r"[\"“”„«»‘’'`´]")
_EDGES = " .,;:!?*•·|~()[]{}"
_ABBREVIATION = re.compile(r"\s?\(([A-Z][A-Za-z0-9&-]{0,8}[A-Z0-9])s?\)")
_WORD = re.compile(r"[^\W_]+")


def normalise(name: str) -> str:
    """The name two mentions share if they mean one thing: NFKC, lower case, no determiner,
    possessive or quotes; a hyphen is a space, and nothing between a letter and a digit («CX-57C»
    is «cx57c»), but stays between digits («7-27») and as a sign («height -10 ft»)."""
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    text = _QUOTES.sub("", _POSSESSIVE.sub("", text))
    text = _CODE_HYPHEN.sub("", _DASH.sub("-", _SIGN.sub(_MINUS, text)))
    text = re.sub(r"(?<!\d)-|-(?!\d)", " ", text).replace(_MINUS, "-")
    text = " ".join(text.split()).strip(_EDGES)
    return _DETERMINER.sub("", text)


def find_abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """«Full Name (FN)» → {"fn": "full name"}, normalised; the letters of the short form must be
    the initials of the words before the bracket, in order."""
    found: dict[str, str] = {}
    for text in texts:
        for match in _ABBREVIATION.finditer(text):
            full = _full_form(text[: match.start()], match[1])
            if full:
                found.setdefault(normalise(match[1]), normalise(full))
    return found


def build_graph(collection: str, extraction: Extraction) -> TextGraph:
    """One document's graph. Nodes come in the order of first mention; their ids hold for the whole
    collection, so that documents meet in the nodes they share. Raises nothing."""
    short = find_abbreviations(_texts(extraction))
    builder = _Builder(collection, short)
    for entity in _entities(extraction):
        builder.add(entity)
    edges: dict[str, Edge] = {}
    for triplet in extraction.triplets:
        source, target = builder.node_id(triplet.subject.name), builder.node_id(triplet.object.name)
        relation = " ".join(triplet.relation.split())
        if source and target and source != target and relation:
            id = stable_id("edge", source, relation, target, triplet.block)
            edge = Edge(id, source, target, relation, triplet.block, triplet.sentence)
            edges.setdefault(id, edge)
    return TextGraph(tuple(builder.nodes()), tuple(edges.values()), tuple(builder.mentions))


def merge_nodes(existing: Sequence[Node], new: Iterable[Node]) -> list[Node]:
    """Both lists as one, a node an id: the label that stood stays, other forms become aliases."""
    merged = {node.id: node for node in existing}
    for node in new:
        old = merged.get(node.id)
        merged[node.id] = node if old is None else _join(old, node)
    return list(merged.values())


@dataclass
class _Builder:
    """Counts surfaces and kinds of each normalised name."""

    collection: str
    short: Mapping[str, str]
    surfaces: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    mentions: dict[Mention, None] = field(default_factory=dict)

    def key(self, name: str) -> str:
        key = normalise(_ABBREVIATION.sub("", name) or name)
        return self.short.get(key, key)

    def node_id(self, name: str) -> str:
        key = self.key(name)
        return stable_id("node", self.collection, key) if key else ""

    def add(self, entity: Entity) -> None:
        key = self.key(entity.name)
        if key:
            surface = " ".join(entity.name.split())
            self.surfaces[key][surface] += 1
            self.kinds[key][entity.kind] += 1
            self.mentions[Mention(self.node_id(entity.name), entity.block, surface)] = None

    def nodes(self) -> Iterator[Node]:
        for key, counts in self.surfaces.items():
            label = self._label(key, counts)
            aliases = tuple(surface for surface, _ in counts.most_common() if surface != label)
            id = stable_id("node", self.collection, key)
            yield Node(id, key, label, _majority(self.kinds[key]), aliases)

    @staticmethod
    def _label(key: str, counts: Counter[str]) -> str:
        """The form most often written; where an abbreviation joined it, the full form."""
        full = [surface for surface, _ in counts.most_common() if normalise(surface) == key]
        return full[0] if full else counts.most_common(1)[0][0]


def _majority(kinds: Counter[str]) -> str:
    """The kind most often given; TERM is the extractor's «do not know»."""
    named = [kind for kind, _ in kinds.most_common() if kind != TERM]
    return named[0] if named else TERM


def _join(old: Node, new: Node) -> Node:
    aliases = dict.fromkeys((*old.aliases, new.label, *new.aliases))
    aliases.pop(old.label, None)
    kind = new.kind if old.kind == TERM else old.kind
    return replace(old, kind=kind, aliases=tuple(aliases))


def _entities(extraction: Extraction) -> Iterator[Entity]:
    """Every entity once a block, those of triplets included whether listed or not."""
    ends = (e for t in extraction.triplets for e in (t.subject, t.object))
    yield from dict.fromkeys((*extraction.entities, *ends))


def _texts(extraction: Extraction) -> Iterator[str]:
    yield from dict.fromkeys(triplet.sentence for triplet in extraction.triplets)
    yield from dict.fromkeys(entity.name for entity in extraction.entities)


def _full_form(before: str, short: str) -> str:
    """The words before the bracket whose initials spell `short`, or "".

    Small words («of», «and») may stand between and are not spelt.
    """
    letters = [c for c in short.casefold() if c.isalnum()]
    words = list(_WORD.finditer(before[-200:]))
    start = len(words)
    for letter in reversed(letters):
        start -= 1
        while start > 0 and words[start].group().islower() and len(words[start].group()) <= 3:
            if words[start].group()[0] == letter:
                break
            start -= 1
        if start < 0 or words[start].group()[0].casefold() != letter:
            return ""
    return before[-200:][words[start].start() :].strip() if len(letters) >= 2 else ""
