"""Pruning (§3.2): which of the disjoint graphs have to do with the question's entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from brit.models import GraphIndex, VectorIndex
from brit.retrieval.query import Query
from brit.retrieval.scope import Scope
from brit.retrieval.stopwords import STOP_WORDS
from brit.types import ComponentVerdict, EntityMatch, FloatArray

FIRST_LOOK = 64
LAST_LOOK = 4096
MAX_COMPONENTS = 200
SOLE_NAMES = 8
SHOWN_DROPPED = 10
SHOWN_MATCHES = 40
SPACED = re.compile(r"[\da-zà-öø-ÿ]")  # scripts that put spaces between words


class Match(NamedTuple):
    """`node` is a position in the graph; `score` a cosine, 1 for a name found word for word.

    A name is distinctive when it has a digit, or a capital where the question writes it: a code, a
    proper name."""

    entity: str
    node: int
    score: float
    lexical: bool = False
    distinctive: bool = False


def search_above(
    vectors: VectorIndex, queries: FloatArray, threshold: float, allowed: Sequence[str] | None
) -> list[list[tuple[str, float]]]:
    """Everything above `threshold`, and some below it: looks twice as far until it sees less."""
    look = FIRST_LOOK
    while True:
        found = vectors.search(queries, look, allowed)
        more = any(len(hits) == look and hits[-1][1] > threshold for hits in found)
        if not more or look >= LAST_LOOK:
            return found
        look *= 4


def match_entities(index: GraphIndex, scope: Scope, query: Query, threshold: float) -> list[Match]:
    """Textual nodes near each entity of the question, by cosine, best first.

    Also those below the threshold that came up, since a verdict wants the best of each component.
    Without any entity the question itself is compared.
    """
    names = query.entities or (query.text,)
    vectors = query.entity_vectors if query.entities else query.vector[None, :]
    found = search_above(index.nodes, vectors, threshold, scope.node_ids)
    matches = [
        Match(name, scope.node_at[id], score)
        for name, hits in zip(names, found, strict=True)
        for id, score in hits
        if isfinite(score) and id in scope.node_at
    ]
    return sorted(matches, key=lambda match: -match.score)


def match_names(
    index: GraphIndex, scope: Scope, text: str, words: str, limit: int = 200
) -> list[Match]:
    """Nodes whose name stands in a question word for word: product codes embed badly.

    They are looked for by `words`, the text without its stop words, which most names hold."""
    asked, plain = text.casefold(), text == text.lower()
    places = [at for at, sign in enumerate(text) for _ in sign.casefold()]  # «ß» becomes two
    matches = []
    for id, _ in index.lexical("node", words, limit, scope.documents):
        at = scope.node_at.get(id)
        if at is None or not scope.inside[at]:
            continue
        for label in (scope.graph.node_labels[at], *scope.graph.reviewed.names.get(at, ())):
            name = label.casefold()
            if name not in STOP_WORDS and (place := find_name(name, asked)) >= 0:
                # Somebody who writes no capital at all may mean a name all the same.
                last = places[place + len(name) - 1]
                written = label if plain else text[places[place] : last + 1]
                distinctive = written != written.lower() or any(map(str.isdigit, label))
                matches.append(Match(label, at, 1.0, lexical=True, distinctive=distinctive))
                break
    return matches


def find_name(name: str, text: str) -> int:
    """Where `name` stands in `text` as whole words, −1 for nowhere; scripts without spaces as a
    part of it."""
    at = text.find(name) if len(name) > 1 else -1
    while at >= 0:
        end = at + len(name)
        if _is_border(text[at - 1 : at], name[0]) and _is_border(text[end : end + 1], name[-1]):
            return at
        at = text.find(name, at + 1)
    return -1


def sole_holders(scope: Scope, matches: Sequence[Match]) -> dict[str, float]:
    """The documents that alone hold a distinctive name of the question → 1: it is about them."""
    graph = scope.graph
    nodes = [match.node for match in matches if match.distinctive][:SOLE_NAMES]
    held = (np.unique(graph.mention_document[graph.mention_node == node]) for node in nodes)
    return {graph.documents[int(only[0])]: 1.0 for only in held if len(only) == 1}


def _is_border(beside: str, edge: str) -> bool:
    """Whether a word may end between two signs: not where a letter or digit goes on."""
    return not (beside.isalnum() and SPACED.match(edge))


def judge_components(
    scope: Scope, matches: Sequence[Match], threshold: float
) -> list[ComponentVerdict]:
    """A verdict for each component that a match fell into, best first; the rest is dropped unseen.

    A component is kept when the best cosine among its nodes exceeds the threshold.
    """
    best: dict[int, float] = {}
    for match in matches:
        component = int(scope.component[match.node])
        best[component] = max(best.get(component, -1.0), match.score)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    sizes = scope.component_sizes
    verdicts = []
    for place, (component, score) in enumerate(ranked):
        kept = score > threshold and place < MAX_COMPONENTS
        reason = f"best cosine {score:.2f} exceeds {threshold:.2f}"
        if score <= threshold:
            reason = f"best cosine {score:.2f} does not exceed {threshold:.2f}"
        elif not kept:
            reason = f"{MAX_COMPONENTS} components are more like the question"
        verdicts.append(ComponentVerdict(component, int(sizes[component]), score, kept, reason))
    return verdicts


def shown_verdicts(verdicts: Sequence[ComponentVerdict]) -> tuple[ComponentVerdict, ...]:
    """The verdicts for the trace: all that were kept, the best of the dropped."""
    kept = [verdict for verdict in verdicts if verdict.kept]
    return (*kept, *[verdict for verdict in verdicts if not verdict.kept][:SHOWN_DROPPED])


def shown_matches(scope: Scope, matches: Sequence[Match]) -> tuple[EntityMatch, ...]:
    """The matches for the trace."""
    graph = scope.graph
    return tuple(
        EntityMatch(
            entity=match.entity,
            node=graph.node_ids[match.node],
            label=graph.node_labels[match.node],
            score=match.score,
            method="lexical" if match.lexical else "dense",
        )
        for match in matches[:SHOWN_MATCHES]
    )
